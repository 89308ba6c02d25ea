#include "report/knowledge/finding_text.h"

#include <cstdio>

#include "base/counted.h"
#include "base/text.h"
#include "record/predicate_text.h"
#include "record/target_name.h"
#include "report/table.h"

namespace hone {
namespace {

using text_form::Rows;
using text_form::table;

std::string origin_of(const ListedFinding& listed) {
  if (!listed.file) return "shipped";
  return listed.replaces_shipped ? "yours, in the place of the shipped one" : "yours";
}

// Four digits.
std::string number_text(double number) {
  char text[32];
  return {text, static_cast<std::size_t>(std::snprintf(text, sizeof text, "%.4g", number))};
}

std::string signed_text(double number) { return (number > 0 ? "+" : "") + number_text(number); }

std::string effect_text(const FindingEffect& effect) {
  std::string text = std::string(name_of(effect.metric)) + " " +
                     std::string(name_of(effect.direction)) + ", " +
                     std::string(name_of(effect.method));
  if (effect.ratio) text += ", ratio " + number_text(*effect.ratio);
  if (effect.interval.size() == 2) {
    text += " [" + number_text(effect.interval[0]) + ", " + number_text(effect.interval[1]) + "]";
  }
  if (effect.sessions) text += ", " + counted(*effect.sessions, "session");
  return text;
}

std::string trial_text(const FindingTrial& trial) {
  std::string text = trial.model + " on " + target_name(trial.ep, trial.device);
  if (!trial.ep_version.empty()) text += " " + trial.ep_version;
  if (!trial.ort_version.empty()) text += ", onnxruntime " + trial.ort_version;
  if (trial.machine) text += ", " + *trial.machine;
  if (trial.hardware) text += ", hardware " + *trial.hardware;
  return text + (trial.evidence ? ", evidence " + trial.evidence->substr(0, 12) : "");
}

void add_trials(Rows& rows, const std::string& label, const std::vector<FindingTrial>& trials) {
  for (const FindingTrial& trial : trials) rows.push_back({label, trial_text(trial)});
}

void add_claim(Rows& rows, const Finding& finding) {
  rows.push_back({"where", describe(finding.when)});
  if (finding.change) rows.push_back({"change", describe_change(*finding.change)});
  if (finding.effect) rows.push_back({"effect", effect_text(*finding.effect)});
  if (finding.accuracy_effect) {
    const FindingAccuracy& accuracy = *finding.accuracy_effect;
    rows.push_back({"accuracy", accuracy.metric +
                                    (accuracy.drop ? " -" + number_text(*accuracy.drop) : "") +
                                    " " + accuracy.observation});
  }
  rows.push_back({"advice", std::string(name_of(finding.advice))});
  rows.push_back({"seen", finding.observation});
  if (finding.mechanism) {
    rows.push_back({"because", finding.mechanism->hypothesis +
                                   (finding.mechanism->is_confirmed ? "" : " (not confirmed)")});
  }
}

std::string ruling_text(const FindingRuling& ruling) {
  if (ruling.does == RulingKind::prunes) return "rules it out";
  if (ruling.does == RulingKind::nothing) return "does nothing";
  return "orders " + signed_text(ruling.priority_delta);
}

std::string verdict_text(const ChangeRulings& one) {
  if (one.prunes) return "ruled out by " + *one.prunes;
  return one.priority_delta == 0 ? "unmoved" : signed_text(one.priority_delta);
}

std::string matches_text(Truth truth) {
  if (truth == Truth::unknown) return "may apply";
  return truth == Truth::yes ? "applies" : "does not apply";
}

std::string known_or_not(const std::string& text) { return text.empty() ? "not known" : text; }

}  // namespace

std::string describe_change(const Change& change) {
  const bool are_alternatives = change.dimension == "opset" || change.dimension == "precision";
  const std::string keys = join(change.keys, are_alternatives ? " or " : " + ");
  return change.dimension + (keys.empty() ? "" : " " + keys);
}

std::string describe_list(const KnowledgeList& list) {
  Rows rows;
  for (const ListedFinding& listed : list.findings) {
    const Finding& finding = listed.finding;
    rows.push_back({finding.id, std::string(name_of(finding.status)),
                    std::string(name_of(finding.advice)),
                    finding.title + (listed.file ? " (" + origin_of(listed) + ")" : "")});
  }
  return counted(rows.size(), "finding") + "\n" + table(rows);
}

std::string describe_finding(const ListedFinding& listed) {
  const Finding& finding = listed.finding;
  Rows rows;
  rows.push_back({"status", std::string(name_of(finding.status)) + ", " +
                                std::string(name_of(finding.category)) + ", " +
                                std::string(name_of(finding.kind)) + ", " + origin_of(listed)});
  if (finding.superseded_by) rows.push_back({"by", *finding.superseded_by});
  add_claim(rows, finding);
  add_trials(rows, "held on", finding.scope.validated_on);
  add_trials(rows, "failed on", finding.scope.falsified_on);
  add_trials(rows, "not tested", finding.scope.not_tested_on);
  for (const FindingEvidence& evidence : finding.evidence) {
    rows.push_back({"evidence", evidence.sha256.substr(0, 12) + " " + evidence.what});
  }
  for (const std::string& source : finding.sources) rows.push_back({"source", source});
  for (const std::string& missing : listed.missing) rows.push_back({"to confirm", missing});
  for (const FindingEvent& event : finding.history) {
    rows.push_back({event.at, std::string(name_of(event.action)) + ": " + event.why});
  }
  return printable(finding.id + ": " + finding.title) + "\n" + table(rows);
}

std::string describe_check(const KnowledgeCheck& check) {
  std::string text;
  for (const std::string& problem : check.problems) text += printable(problem) + "\n";
  return text + counted(check.findings, "finding") + " in " + counted(check.files, "file") + ", " +
         counted(check.problems.size(), "problem") + "\n";
}

std::string describe_answer(const KnowledgeAnswer& answer) {
  std::string text = printable(answer.model) + " on " +
                     target_name(answer.target.ep, answer.target.device) + ", onnxruntime " +
                     known_or_not(answer.ort_version) + ", EP " + known_or_not(answer.ep_version) +
                     ", " + known_or_not(answer.precision) + "\n";
  for (const ChangeRulings& one : answer.changes) {
    text += describe_change(one.change) + ": " + verdict_text(one) + "\n";
    Rows rows;
    for (const FindingRuling& ruling : one.rulings) {
      rows.push_back({ruling.finding, std::string(name_of(ruling.status)),
                      matches_text(ruling.matches), ruling_text(ruling), ruling.why});
    }
    text += table(rows);
  }
  return text + counted(answer.other_targets, "finding") + " about other targets\n";
}

}  // namespace hone
