#include "flow/knowledge/family_files.h"

#include <algorithm>

#include "base/text.h"
#include "knowledge/family.h"
#include "knowledge/family_check.h"
#include "knowledge/family_evidence.h"
#include "knowledge/family_store.h"
#include "knowledge/store.h"

namespace hone {
namespace {

// What is checked: the given files, else what is shipped and the user's own.
Result<std::vector<FindingSource>> sources_to_check(const FamilyCheckOrder& order) {
  std::vector<FindingSource> sources;
  const auto add = [&](const Path& path) -> Status {
    HONE_TRY(std::vector<FindingSource> more, read_sources(path));
    for (FindingSource& source : more) sources.push_back(std::move(source));
    return done();
  };
  for (const std::string& path : order.paths) {
    // A shell's model_knowledge/*.json names the schema too.
    const bool is_schema = Path(path).filename() == "schema.json" && order.paths.size() > 1;
    if (!is_schema) HONE_TRY_DO(add(path));
  }
  if (!order.paths.empty()) return sources;
  for (const EmbeddedFile& file : embedded_families()) {
    sources.push_back({std::string(file.name), std::string(file.text)});
  }
  std::error_code error;
  if (std::filesystem::exists(order.folder, error)) HONE_TRY_DO(add(order.folder));
  return sources;
}

// Families to hold others against. What cannot be read cannot be compared with.
Result<std::vector<FamilyKnowledge>> read_earlier(const FamilyCheckOrder& order) {
  std::vector<FamilyKnowledge> earlier;
  if (!order.against.empty()) {
    HONE_TRY(const std::vector<FindingSource> sources, read_sources(order.against));
    for (const FindingSource& source : sources) {
      HONE_TRY(FamilyKnowledge knowledge, parse_family(source.name, source.text));
      earlier.push_back(std::move(knowledge));
    }
    return earlier;
  }
  // A user's copy goes on where the shipped family ends.
  for (const EmbeddedFile& file : embedded_families()) {
    HONE_TRY(FamilyKnowledge knowledge, parse_family(file.name, file.text));
    earlier.push_back(std::move(knowledge));
  }
  return earlier;
}

std::vector<std::string> problems_beside(const FamilyKnowledge& knowledge,
                                         const std::vector<FamilyKnowledge>& earlier) {
  std::vector<std::string> problems = problems_of(knowledge);
  for (const FamilyKnowledge& before : earlier) {
    if (before.family != knowledge.family) continue;
    for (const std::string& rewrite : rewrites_of_history(before, knowledge)) {
      problems.push_back("beside the version before: " + rewrite);
    }
  }
  return problems;
}

// A family of the version before that no file is of is gone.
void add_lost_families(const std::vector<FamilyKnowledge>& earlier,
                       const std::vector<std::string>& seen, KnowledgeCheck& result) {
  for (const FamilyKnowledge& before : earlier) {
    if (std::ranges::find(seen, before.family) != seen.end()) continue;
    result.problems.push_back("beside the version before: the family '" + printable(before.family) +
                              "' is gone");
  }
}

// All that is wrong with one, and with files beside the one it is in.
std::vector<std::string> problems_in(const FindingSource& source, const FamilyKnowledge& knowledge,
                                     const std::vector<FamilyKnowledge>& earlier, bool has_folder) {
  std::vector<std::string> problems = problems_beside(knowledge, earlier);
  if (!has_folder || !has_evidence_beside(knowledge)) return problems;
  for (std::string& problem : evidence_problems(knowledge, Path(source.name).parent_path()))
    problems.push_back(std::move(problem));
  return problems;
}

}  // namespace

Result<KnowledgeCheck> check_families(const FamilyCheckOrder& order) {
  HONE_TRY(const std::vector<FindingSource> sources, sources_to_check(order));
  HONE_TRY(const std::vector<FamilyKnowledge> earlier, read_earlier(order));
  KnowledgeCheck result{.files = sources.size(), .findings = 0, .problems = {}};
  std::vector<std::string> seen;
  for (const FindingSource& source : sources) {
    const auto knowledge = parse_family(source.name, source.text);
    if (!knowledge) {
      result.problems.push_back(source.name + ": " + knowledge.error().cause);
      continue;
    }
    seen.push_back(knowledge->family);
    result.findings += knowledge->findings.size();
    for (const std::string& problem :
         problems_in(source, *knowledge, earlier, !order.paths.empty()))
      result.problems.push_back(source.name + ": " + problem);
  }
  if (!order.against.empty()) add_lost_families(earlier, seen, result);
  return result;
}

}  // namespace hone
