#include "knowledge/family_evidence.h"

#include <algorithm>
#include <set>

#include "base/hash_file.h"
#include "base/text.h"

namespace hone {
namespace {

// Empty where the file has these bytes.
std::string problem_of(const ModelEvidence& evidence, const Path& folder) {
  const auto digest = hash_of_file_inside(folder, evidence.file);
  if (!digest) return digest.error().what;
  if (digest->hex() == evidence.sha256) return {};
  return "'" + printable(evidence.file) + "' is not these bytes";
}

void check_files(const ModelFinding& finding, const Path& folder,
                 std::vector<std::string>& problems) {
  for (std::size_t i = 0; i < finding.evidence.size(); ++i) {
    const std::string problem = problem_of(finding.evidence[i], folder);
    if (!problem.empty())
      problems.push_back(printable(finding.id) + ": evidence[" + std::to_string(i) +
                         "]: " + problem);
  }
}

void check_trials(const ModelFinding& finding, const std::set<std::string>& cited,
                  std::vector<std::string>& problems) {
  for (const auto& [name, trials] : {std::pair{"validated_on", &finding.scope.validated_on},
                                     std::pair{"falsified_on", &finding.scope.falsified_on}}) {
    for (std::size_t i = 0; i < trials->size(); ++i) {
      const std::optional<std::string>& evidence = (*trials)[i].evidence;
      if (!evidence || cited.contains(*evidence)) continue;
      problems.push_back(printable(finding.id) + ": scope." + name + "[" + std::to_string(i) +
                         "].evidence: no finding cites a file of that hash");
    }
  }
}

}  // namespace

bool has_evidence_beside(const FamilyKnowledge& knowledge) {
  return std::ranges::any_of(knowledge.findings, [](const ModelFinding& finding) {
    return std::ranges::any_of(finding.evidence, [](const ModelEvidence& evidence) {
      return evidence.file.find('/') != std::string::npos;
    });
  });
}

std::vector<std::string> evidence_problems(const FamilyKnowledge& knowledge, const Path& folder) {
  // What a finding fell by is the evidence of its counter-example.
  std::set<std::string> cited;
  for (const ModelFinding& finding : knowledge.findings)
    for (const ModelEvidence& evidence : finding.evidence) cited.insert(evidence.sha256);
  std::vector<std::string> problems;
  for (const ModelFinding& finding : knowledge.findings) {
    check_files(finding, folder, problems);
    check_trials(finding, cited, problems);
  }
  return problems;
}

}  // namespace hone
