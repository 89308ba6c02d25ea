#include "knowledge/family_check.h"

#include <array>

#include "base/file.h"
#include "base/text.h"
#include "knowledge/family.h"
#include "knowledge/problems.h"
#include "knowledge/version.h"

namespace hone {
namespace {

constexpr std::array<std::string_view, 5> efforts = {"L0", "L0*", "L1-light", "L1", "L2"};
constexpr std::array<std::string_view, 4> goals = {"L0", "L1", "L2", "L3"};

constexpr std::size_t longest_title = 200;
constexpr std::size_t longest_text = 8192;
constexpr std::size_t longest_list = 1000;

// A family is a file name, too.
bool is_family(std::string_view text) {
  return text.size() <= 48 && !text.empty() && is_lower(text.front()) &&
         std::ranges::all_of(text, [](char c) { return is_lower(c) || is_digit(c) || c == '_'; });
}

bool is_one_of(std::string_view text, std::span<const std::string_view> known) {
  return std::ranges::find(known, text) != known.end();
}

std::string listed(std::span<const std::string_view> words) {
  return join(std::vector<std::string>(words.begin(), words.end()), ", ");
}

// "cpu" or "qnn/npu".
bool is_target(std::string_view text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  return is_word(text.substr(0, slash), "_-.") &&
         (slash == text.size() || is_word(text.substr(slash + 1), "_"));
}

// A name that means the same on another machine.
bool is_portable(const std::string& file) {
  return !file.empty() && check_stays_inside(file) && file.find('\\') == std::string::npos;
}

// Sizes, and characters that would move a terminal's cursor, wherever they stand.
void check_texts(const Json& json, const std::string& place, FindingProblems& problems) {
  if (const std::string* text = json.as_string()) {
    problems.expect(text->size() <= longest_text, place + ": it is too long");
    problems.expect(printable(*text) == *text, place + ": it holds control characters");
  } else if (const Json::Array* array = json.as_array()) {
    problems.expect(array->size() <= longest_list, place + ": it has too many entries");
    for (std::size_t i = 0; i < array->size(); ++i) {
      check_texts((*array)[i], place + "[" + std::to_string(i) + "]", problems);
    }
  } else if (const Json::Object* object = json.as_object()) {
    for (const auto& [key, member] : *object) {
      check_texts(member, place.empty() ? key : place + "." + key, problems);
    }
  }
}

void check_trial(const ModelTrial& trial, const std::string& place, FindingProblems& problems) {
  problems.expect(!trial.model.empty(), place + ".model: it is empty");
  problems.expect(is_word(trial.precision, "_-"), place + ".precision: it is no name");
  problems.expect(is_target(trial.ep), place + ".ep: it is no EP, nor EP/DEVICE");
  problems.expect(!trial.ort_version || parse_version(*trial.ort_version),
                  place + ".ort_version: it is no version");
  problems.expect(!trial.evidence || is_hash(*trial.evidence),
                  place + ".evidence: it is no SHA-256");
}

void check_trials(const std::vector<ModelTrial>& trials, const std::string& place,
                  FindingProblems& problems) {
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const std::string here = place + "[" + std::to_string(i) + "]";
    check_trial(trials[i], here, problems);
    const bool is_there = std::any_of(
        trials.begin(), trials.begin() + static_cast<long>(i), [&](const ModelTrial& one) {
          return is_same_trial(one, trials[i]) && one.ort_version == trials[i].ort_version;
        });
    problems.expect(!is_there, here + ": it is there twice");
  }
}

void check_scope(const ModelScope& scope, FindingProblems& problems) {
  check_trials(scope.validated_on, "scope.validated_on", problems);
  check_trials(scope.falsified_on, "scope.falsified_on", problems);
  check_trials(scope.not_yet_tested_on, "scope.not_yet_tested_on", problems);
  const bool says_why = std::ranges::any_of(scope.not_yet_tested_on, [](const ModelTrial& trial) {
    return trial.why && !trial.why->empty();
  });
  problems.expect(!scope.validated_on.empty() || says_why,
                  "scope.validated_on: it is empty, and not_yet_tested_on does not say why");
}

void check_claim(const ModelFinding& finding, FindingProblems& problems) {
  problems.expect(!finding.title.empty(), "title: it is empty");
  problems.expect(finding.title.size() <= longest_title, "title: a claim is one short line");
  problems.expect(!finding.observation.empty(), "observation: it is empty");
  problems.expect(is_one_of(finding.effort, efforts), "effort: it takes " + listed(efforts));
  problems.expect(!finding.goal_reached || is_one_of(*finding.goal_reached, goals),
                  "goal_reached: it takes " + listed(goals));
  problems.expect(!finding.recipe_template || is_portable(*finding.recipe_template),
                  "recipe_template: it is no file of a repository");
  problems.expect(!finding.mechanism.is_confirmed || !finding.mechanism.notes.empty(),
                  "mechanism.confirmed: the notes do not say what was confirmed");
  problems.expect(is_date(finding.date), "date: it is no date (2026-06-25)");
  for (std::size_t i = 0; i < finding.evidence.size(); ++i) {
    const std::string here = "evidence[" + std::to_string(i) + "]";
    problems.expect(is_portable(finding.evidence[i].file),
                    here + ".file: it is no name without a folder of one machine");
    problems.expect(is_hash(finding.evidence[i].sha256), here + ".sha256: it is no SHA-256");
  }
}

bool holds(const std::vector<ModelTrial>& trials, const ModelTrial& trial) {
  return std::ranges::any_of(trials,
                             [&](const ModelTrial& one) { return is_same_trial(one, trial); });
}

// The findings before this one can be what it speaks against; those behind it can speak against it.
void check_counter_examples(const FamilyKnowledge& knowledge, std::size_t index,
                            FindingProblems& problems) {
  const ModelFinding& finding = knowledge.findings[index];
  for (std::size_t i = 0; i < finding.scope.falsified_on.size(); ++i) {
    const ModelTrial& trial = finding.scope.falsified_on[i];
    const bool is_linked = std::ranges::any_of(knowledge.findings, [&](const ModelFinding& other) {
      return other.counter_to == finding.id && holds(other.scope.validated_on, trial);
    });
    problems.expect(is_linked, "scope.falsified_on[" + std::to_string(i) +
                                   "]: no finding is its counter-example on " + trial.model);
  }
  if (!finding.counter_to) return;
  const auto end = knowledge.findings.begin() + static_cast<long>(index);
  const auto fallen = std::find_if(knowledge.findings.begin(), end, [&](const ModelFinding& other) {
    return other.id == *finding.counter_to;
  });
  if (fallen == end) {
    problems.add("counter_to: there is no finding '" + *finding.counter_to + "' before it");
    return;
  }
  const bool is_told = std::ranges::any_of(
      finding.scope.validated_on,
      [&](const ModelTrial& trial) { return holds(fallen->scope.falsified_on, trial); });
  problems.expect(is_told,
                  "counter_to: nothing it was validated on is in falsified_on of " + fallen->id);
}

// The first link that does not fit tells where it was rewritten; all behind it differ as well.
void check_chain(const FamilyKnowledge& knowledge, std::vector<std::string>& problems) {
  const std::vector<std::string> chain = chain_of(knowledge);
  if (knowledge.chain.size() != chain.size()) {
    problems.push_back("chain: it has " + std::to_string(knowledge.chain.size()) + " links for " +
                       std::to_string(chain.size()) + " findings");
    return;
  }
  const auto wrong = std::mismatch(chain.begin(), chain.end(), knowledge.chain.begin());
  if (wrong.first == chain.end()) return;
  const auto index = static_cast<std::size_t>(wrong.first - chain.begin());
  problems.push_back(id_of_finding(knowledge.family, index + 1) +
                     ": the chain does not fit: it was rewritten, or moved");
}

}  // namespace

std::span<const std::string_view> known_efforts() { return efforts; }
std::span<const std::string_view> known_goals() { return goals; }

std::vector<std::string> problems_of(const FamilyKnowledge& knowledge) {
  if (!is_family(knowledge.family)) {
    return {"family: it takes small letters, digits and '_'"};
  }
  std::vector<std::string> all;
  if (!is_word(knowledge.model_type, "_-.")) all.emplace_back("model_type: it is no name");
  if (knowledge.findings.empty()) all.emplace_back("findings: there are none");
  if (knowledge.findings.size() > longest_list) return {"findings: there are too many"};
  for (std::size_t i = 0; i < knowledge.findings.size(); ++i) {
    const ModelFinding& finding = knowledge.findings[i];
    const std::string id = id_of_finding(knowledge.family, i + 1);
    FindingProblems problems;
    problems.expect(finding.id == id, "id: '" + printable(finding.id) + "' stands in its place");
    check_texts(to_json(finding), "", problems);
    check_claim(finding, problems);
    check_scope(finding.scope, problems);
    check_counter_examples(knowledge, i, problems);
    for (const std::string& problem : problems.take()) all.push_back(id + ": " + problem);
  }
  check_chain(knowledge, all);
  return all;
}

}  // namespace hone
