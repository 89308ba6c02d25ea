#include "report/knowledge/family_text.h"

#include "base/counted.h"
#include "base/text.h"
#include "report/table.h"

namespace hone {
namespace {

using text_form::Rows;
using text_form::table;

std::string origin_of(const ListedFamily& listed) {
  if (!listed.file) return "shipped";
  return listed.replaces_shipped ? "yours, in the place of the shipped one" : "yours";
}

std::string trial_text(const ModelTrial& trial) {
  std::string text = trial.model + " at " + trial.precision + " on " + trial.ep;
  if (trial.ort_version) text += ", onnxruntime " + *trial.ort_version;
  if (trial.evidence) text += ", evidence " + trial.evidence->substr(0, 12);
  return text + (trial.why ? ": " + *trial.why : "");
}

void add_trials(Rows& rows, const std::string& label, const std::vector<ModelTrial>& trials) {
  for (const ModelTrial& trial : trials) rows.push_back({label, trial_text(trial)});
}

void add_texts(Rows& rows, const std::string& label, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) rows.push_back({label, text});
}

// What became of the claim: "3 held", "1 held, 1 fell".
std::string standing_of(const ModelFinding& finding) {
  const ModelScope& scope = finding.scope;
  if (scope.validated_on.empty() && scope.falsified_on.empty()) return "not tested";
  std::string text = std::to_string(scope.validated_on.size()) + " held";
  if (!scope.falsified_on.empty()) {
    text += ", " + std::to_string(scope.falsified_on.size()) + " fell";
  }
  return text;
}

}  // namespace

std::string describe_families(const FamilyList& list) {
  std::size_t findings = 0;
  Rows rows;
  for (const ListedFamily& listed : list.families) {
    findings += listed.knowledge.findings.size();
    for (const ModelFinding& finding : listed.knowledge.findings) {
      rows.push_back({finding.id, standing_of(finding), finding.effort,
                      finding.title + (listed.file ? " (" + origin_of(listed) + ")" : "")});
    }
  }
  return counted(findings, "finding") + " about " +
         counted(list.families.size(), "family", "families") + "\n" + table(rows);
}

std::string describe_model_finding(const ModelFinding& finding) {
  Rows rows;
  rows.push_back({"seen", finding.observation});
  add_trials(rows, "held on", finding.scope.validated_on);
  add_trials(rows, "fell on", finding.scope.falsified_on);
  add_trials(rows, "not tried", finding.scope.not_yet_tested_on);
  rows.push_back(
      {"effort", finding.effort + (finding.goal_reached ? ", reached " + *finding.goal_reached
                                                        : std::string())});
  if (finding.counter_to) rows.push_back({"against", *finding.counter_to});
  if (finding.recipe_template) rows.push_back({"recipe", *finding.recipe_template});
  add_texts(rows, "gotcha", finding.gotchas);
  add_texts(rows, "gap", finding.gaps);
  if (!finding.mechanism.notes.empty()) {
    rows.push_back({"because", finding.mechanism.notes +
                                   (finding.mechanism.is_confirmed ? "" : " (not confirmed)")});
  }
  for (const ModelEvidence& evidence : finding.evidence) {
    rows.push_back({"evidence", evidence.sha256.substr(0, 12) + " " + evidence.file});
  }
  if (finding.resolution) rows.push_back({"resolved", *finding.resolution});
  const std::string id = finding.id.empty() ? "draft" : finding.id;
  return printable(id + ", " + finding.date + ": " + finding.title) + "\n" + table(rows);
}

std::string describe_family(const ListedFamily& listed) {
  const FamilyKnowledge& knowledge = listed.knowledge;
  std::string text = knowledge.family + " (" + printable(knowledge.model_type) + "), " +
                     counted(knowledge.findings.size(), "finding") + ", " + origin_of(listed) +
                     "\n";
  for (const ModelFinding& finding : knowledge.findings) {
    text += describe_model_finding(finding);
  }
  return text;
}

}  // namespace hone
