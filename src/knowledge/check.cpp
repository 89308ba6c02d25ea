#include "knowledge/check.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/json_trim.h"
#include "base/text.h"
#include "knowledge/confirmation.h"
#include "knowledge/predicate.h"
#include "knowledge/problems.h"
#include "knowledge/version.h"

namespace hone {
namespace {

constexpr std::size_t longest_id = 64;

// An id is a file name, too.
bool is_id(std::string_view text) {
  return !text.empty() && text.size() <= longest_id && is_lower(text.front()) &&
         std::ranges::all_of(text, [](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
}

struct Dimension {
  std::string_view name;
  bool (*is_key)(std::string_view key);
  std::string_view takes;
  std::vector<std::string> KnownNames::*known = nullptr;
};

bool is_opset(std::string_view key) {
  return !key.empty() && key.size() <= 3 && std::ranges::all_of(key, is_digit);
}
bool is_name(std::string_view key) { return is_word(key, "_") && !is_digit(key.front()); }
// A name, with a value or without.
bool is_setting(std::string_view key) {
  const std::size_t end = std::min(key.find('='), key.size());
  return is_name(key.substr(0, end)) && (end == key.size() || is_word(key.substr(end + 1), "_.-"));
}
bool is_capability(std::string_view key) {
  const std::size_t end = std::min(key.find('='), key.size());
  return is_setting(key) && (end == key.size() || key.substr(end + 1) == "off" ||
                             key.substr(0, end) == "optimize_rounds");
}
// "w8a8", "w8a8+per_channel".
bool is_precision(std::string_view key) { return std::ranges::all_of(split(key, '+'), is_setting); }
bool is_word_static(std::string_view key) { return key == "static"; }
// An option, with a value or without.
bool is_option(std::string_view key) {
  const std::size_t end = std::min(key.find('='), key.size());
  return is_word(key.substr(0, end), "_.") &&
         (end == key.size() || is_word(key.substr(end + 1), "_.-"));
}

constexpr Dimension dimensions[] = {
    {"export", is_option, "what a checkpoint is exported with, as \"form=contrib\""},
    {"shapes", is_word_static, "\"static\""},
    {"opset", is_opset, "opsets, as \"21\""},
    {"optimize", is_capability, "capabilities in snake_case, as \"name\" or \"name=off\"",
     &KnownNames::capabilities},
    {"precision", is_precision, "precisions, as \"w8a8\" or \"w8a8+per_channel\"",
     &KnownNames::precisions},
    {"compile", is_option, "options of the EP, or none"},
    {"session", is_option, "session options, as \"name\" or \"name=value\"",
     &KnownNames::session_options},
    {"provider", is_option, "options of the EP, as \"name\" or \"name=value\""},
};

void check_key(const std::string& key, const std::string& place, const Dimension& dimension,
               const KnownNames& names, FindingProblems& problems) {
  if (!dimension.is_key(key)) {
    problems.add(place + ": '" + printable(key) + "' is no name; " + std::string(dimension.name) +
                 " takes " + std::string(dimension.takes) + ", and conditions belong into `when`");
    return;
  }
  if (dimension.known == nullptr || (names.*dimension.known).empty()) return;
  const std::vector<std::string>& known = names.*dimension.known;
  for (const std::string& word : split(key, '+')) {
    const std::string name = word.substr(0, word.find('='));
    if (std::ranges::find(known, name) != known.end()) continue;
    const std::string meant = nearest(name, known);
    problems.add(place + ": there is no '" + name + "'" +
                 (meant.empty() ? "" : "; did you mean '" + meant + "'?"));
  }
}

void check_change(const Change& change, const KnownNames& names, FindingProblems& problems) {
  const auto dimension = std::ranges::find(dimensions, change.dimension, &Dimension::name);
  if (dimension == std::end(dimensions)) {
    std::vector<std::string> known;
    for (const Dimension& one : dimensions) known.emplace_back(one.name);
    problems.add("change.dimension: '" + printable(change.dimension) + "' is none of " +
                 join(known, ", "));
    return;
  }
  problems.expect(!change.keys.empty() || change.dimension == "compile",
                  "change.keys: it names nothing that changes");
  for (std::size_t i = 0; i < change.keys.size(); ++i) {
    check_key(change.keys[i], "change.keys[" + std::to_string(i) + "]", *dimension, names,
              problems);
  }
  const std::set<std::string> distinct(change.keys.begin(), change.keys.end());
  problems.expect(distinct.size() == change.keys.size(), "change.keys: one is there twice");
}

void check_effect(const FindingEffect& effect, FindingProblems& problems) {
  const auto is_ratio = [](double ratio) { return std::isfinite(ratio) && ratio > 0; };
  problems.expect(!effect.ratio || is_ratio(*effect.ratio), "effect.ratio: no number above 0");
  if (effect.interval.empty()) return;
  const bool is_interval = effect.interval.size() == 2 &&
                           std::ranges::all_of(effect.interval, is_ratio) &&
                           effect.interval[0] <= effect.interval[1];
  problems.expect(is_interval, "effect.interval: it takes low and high, both above 0");
  problems.expect(effect.ratio.has_value(), "effect.interval: there is no ratio inside it");
  if (!is_interval || !effect.ratio) return;
  problems.expect(effect.interval[0] <= *effect.ratio && *effect.ratio <= effect.interval[1],
                  "effect.interval: the ratio is outside");
}

void check_trials(const std::vector<FindingTrial>& trials, const std::string& place,
                  FindingProblems& problems) {
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const FindingTrial& trial = trials[i];
    const std::string here = place + "[" + std::to_string(i) + "]";
    problems.expect(!trial.model.empty(), here + ".model: it is empty");
    problems.expect(is_word(trial.ep, "_-."), here + ".ep: it is no name");
    problems.expect(trial.ep_version.empty() || parse_version(trial.ep_version),
                    here + ".ep_version: it is no version");
    problems.expect(trial.ort_version.empty() || parse_version(trial.ort_version),
                    here + ".ort_version: it is no version");
    problems.expect(!trial.model_fingerprint || is_hash(*trial.model_fingerprint),
                    here + ".model_fingerprint: it is no SHA-256");
    problems.expect(!trial.evidence || is_hash(*trial.evidence),
                    here + ".evidence: it is no SHA-256");
  }
}

// Advice that the effect speaks against.
void check_advice(const Finding& finding, FindingProblems& problems) {
  if (finding.advice == FindingAdvice::none) return;
  problems.expect(finding.kind == FindingKind::ep, "advice: a harness finding gives none");
  problems.expect(finding.change.has_value(), "advice: there is no change to advise on");
  const EffectDirection direction =
      finding.effect ? finding.effect->direction : EffectDirection::unknown;
  const bool is_faster = direction == EffectDirection::faster;
  const bool wants_faster = finding.advice == FindingAdvice::prefer;
  problems.expect(is_faster == wants_faster, "advice: '" + std::string(name_of(finding.advice)) +
                                                 "' does not follow from '" +
                                                 std::string(name_of(direction)) + "'");
}

void check_status(const Finding& finding, FindingProblems& problems) {
  const bool is_superseded = finding.status == FindingStatus::superseded;
  problems.expect(is_superseded == finding.superseded_by.has_value(),
                  "superseded_by: it goes with the status superseded");
  problems.expect(!finding.superseded_by || is_id(*finding.superseded_by),
                  "superseded_by: it is no id");
  if (finding.status != FindingStatus::confirmed) return;
  for (const std::string& missing : missing_for_confirmation(finding)) {
    problems.add("status: it cannot be confirmed: " + missing);
  }
}

void check_origin(const Finding& finding, FindingProblems& problems) {
  for (std::size_t i = 0; i < finding.evidence.size(); ++i) {
    problems.expect(is_hash(finding.evidence[i].sha256),
                    "evidence[" + std::to_string(i) + "].sha256: it is no SHA-256");
    problems.expect(!finding.evidence[i].what.empty(),
                    "evidence[" + std::to_string(i) + "].what: it is empty");
  }
  for (std::size_t i = 0; i < finding.history.size(); ++i) {
    const std::string here = "history[" + std::to_string(i) + "]";
    problems.expect(is_date(finding.history[i].at), here + ".at: it is no date (2026-06-25)");
    problems.expect(!finding.history[i].why.empty(), here + ".why: it is empty");
  }
  const bool is_refuted_for_a_reason = std::ranges::any_of(
      finding.history,
      [](const FindingEvent& event) { return event.action == FindingAction::refuted; });
  problems.expect(finding.status != FindingStatus::refuted || is_refuted_for_a_reason,
                  "status: the history does not say why it was refuted");
}

Failure unusable(std::string_view name, Error error) {
  return fail(error.fault, "cannot use the findings of '" + printable(name) + "'",
              error.what + (error.cause.empty() ? "" : ": " + error.cause),
              error.hint.empty() ? "docs/knowledge.md describes the format" : error.hint);
}

}  // namespace

std::vector<std::string> problems_of(const Finding& finding, const KnownNames& known) {
  FindingProblems problems;
  problems.expect(is_id(finding.id), "id: it takes small letters, digits and '-'");
  problems.expect(!finding.title.empty(), "title: it is empty");
  problems.expect(!finding.observation.empty(), "observation: it is empty");
  if (std::string problem = problem_of(finding.when); !problem.empty()) problems.add(problem);
  problems.expect(finding.kind == FindingKind::harness || names_an_ep(finding.when),
                  "when: a fact about an EP must say which");
  if (finding.change) check_change(*finding.change, known, problems);
  if (finding.effect) check_effect(*finding.effect, problems);
  problems.expect(!finding.accuracy_effect || !finding.accuracy_effect->metric.empty(),
                  "accuracy_effect.metric: it is empty");
  problems.expect(!finding.mechanism || !finding.mechanism->hypothesis.empty(),
                  "mechanism.hypothesis: it is empty");
  check_advice(finding, problems);
  check_trials(finding.scope.validated_on, "scope.validated_on", problems);
  check_trials(finding.scope.falsified_on, "scope.falsified_on", problems);
  check_trials(finding.scope.not_tested_on, "scope.not_tested_on", problems);
  check_status(finding, problems);
  check_origin(finding, problems);
  return problems.take();
}

std::vector<std::string> problems_of_all(std::span<const Finding> findings,
                                         const KnownNames& known) {
  std::vector<std::string> all;
  std::set<std::string> ids;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const Finding& finding = findings[i];
    const std::string here = is_id(finding.id) ? finding.id : "findings[" + std::to_string(i) + "]";
    for (const std::string& problem : problems_of(finding, known)) {
      all.push_back(here + ": " + problem);
    }
    if (!ids.insert(finding.id).second) all.push_back(here + ": the id is there twice");
  }
  return all;
}

Result<std::vector<Finding>> parse_findings(std::string_view name, std::string_view text) {
  const auto read = [&]() -> Result<FindingFile> {
    HONE_TRY(const Json json, Json::parse(text));
    return from_document<FindingFile>(json, finding_schema_version);
  };
  Result<FindingFile> file = read();
  if (!file) return unusable(name, std::move(file).error());
  return std::move(file->findings);
}

Result<std::vector<Finding>> read_findings(std::string_view name, std::string_view text,
                                           const KnownNames& known) {
  HONE_TRY(std::vector<Finding> findings, parse_findings(name, text));
  const std::vector<std::string> problems = problems_of_all(findings, known);
  if (problems.empty()) return findings;
  return unusable(name, {Fault::bad_input, join(problems, "\n"), {}, {}});
}

Json compact_json(const Finding& finding) {
  return without_defaults(to_json(finding),
                          [](std::string_view, const Json& member) { return is_empty(member); });
}

std::string write_findings(std::span<const Finding> findings) {
  Json list = Json::array();
  for (const Finding& finding : findings) list.push(compact_json(finding));
  Json document = Json::object();
  document.set("schema_version", finding_schema_version).set("findings", std::move(list));
  return document.dump() + "\n";
}

}  // namespace hone
