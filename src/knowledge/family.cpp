#include "knowledge/family.h"

#include <algorithm>

#include "base/hash.h"
#include "base/json_trim.h"
#include "base/text.h"
#include "knowledge/family_check.h"

namespace hone {
namespace {

template <Record T>
Json compact(const T& record) {
  return without_defaults(to_json(record),
                          [](std::string_view, const Json& member) { return is_empty(member); });
}

// What of a finding may not change.
ModelFinding fixed_part(const ModelFinding& finding) {
  ModelFinding fixed = finding;
  fixed.scope = {};
  fixed.gaps.clear();
  fixed.resolution.reset();
  return fixed;
}

bool is_equal(const ModelTrial& a, const ModelTrial& b) { return to_json(a) == to_json(b); }

template <class T, class Equal>
bool begins_with(const std::vector<T>& after, const std::vector<T>& before, Equal equal) {
  return after.size() >= before.size() &&
         std::equal(before.begin(), before.end(), after.begin(), equal);
}

Failure unusable(std::string_view name, Error error) {
  return fail(error.fault, "cannot use the model knowledge of '" + printable(name) + "'",
              error.what + (error.cause.empty() ? "" : ": " + error.cause),
              error.hint.empty() ? "docs/model-knowledge.md describes the format" : error.hint);
}

template <Record T>
Result<T> parse(std::string_view name, std::string_view text) {
  const auto read = [&]() -> Result<T> {
    HONE_TRY(const Json json, Json::parse(text));
    return from_document<T>(json, model_knowledge_schema_version);
  };
  Result<T> record = read();
  if (!record) return unusable(name, std::move(record).error());
  return record;
}

template <Record T>
std::string write(const T& record) {
  const Json fields = compact(record);
  Json document = Json::object();
  document.set("schema_version", model_knowledge_schema_version);
  for (const auto& [key, value] : *fields.as_object()) document.set(key, value);
  return document.dump() + "\n";
}

Result<ModelFinding*> find(FamilyKnowledge& knowledge, std::string_view id) {
  const auto found = std::ranges::find(knowledge.findings, id, &ModelFinding::id);
  if (found != knowledge.findings.end()) return &*found;
  std::vector<std::string> ids;
  for (const ModelFinding& finding : knowledge.findings) ids.push_back(finding.id);
  const std::string meant = nearest(id, ids);
  return fail(Fault::not_found, "there is no finding '" + printable(id) + "'", {},
              meant.empty() ? "hone kb models list" : "did you mean '" + meant + "'?");
}

// As it is with its new chain, or what is wrong with it.
Result<FamilyKnowledge> closed(FamilyKnowledge knowledge) {
  knowledge.chain = chain_of(knowledge);
  const std::vector<std::string> problems = problems_of(knowledge);
  if (problems.empty()) return knowledge;
  return fail(Fault::bad_input, "cannot add to the family '" + printable(knowledge.family) + "'",
              join(problems, "\n"), "docs/model-knowledge.md describes the format");
}

// A rewritten file must not get a chain that hides it.
Status check_untouched(const FamilyKnowledge& knowledge) {
  if (knowledge.chain == chain_of(knowledge)) return done();
  return fail(Fault::bad_input, "cannot add to the family '" + printable(knowledge.family) + "'",
              join(problems_of(knowledge), "\n"), "put back the version before the rewrite");
}

void compare_findings(const ModelFinding& before, const ModelFinding& after,
                      std::vector<std::string>& problems) {
  const auto expect = [&](bool holds, const std::string& what) {
    if (!holds) problems.push_back(printable(before.id) + ": " + what);
  };
  const Json fixed_before = to_json(fixed_part(before));
  const Json fixed_after = to_json(fixed_part(after));
  for (const auto& [name, value] : *fixed_before.as_object()) {
    expect(value == *fixed_after.find(name), name + " was rewritten");
  }
  for (const auto& [name, list] :
       {std::pair{"validated_on", &ModelScope::validated_on},
        std::pair{"falsified_on", &ModelScope::falsified_on},
        std::pair{"not_yet_tested_on", &ModelScope::not_yet_tested_on}}) {
    expect(begins_with(after.scope.*list, before.scope.*list, is_equal),
           "scope." + std::string(name) + " lost or changed an entry");
  }
  expect(begins_with(after.gaps, before.gaps, std::equal_to<>()), "gaps lost or changed an entry");
  expect(!before.resolution || before.resolution == after.resolution, "resolution was rewritten");
}

}  // namespace

std::string id_of_finding(std::string_view family, std::size_t number) {
  std::string digits = std::to_string(number);
  if (digits.size() < 3) digits.insert(0, 3 - digits.size(), '0');
  return std::string(family) + "-" + digits;
}

std::string family_of_id(std::string_view id) {
  const std::size_t dash = id.rfind('-');
  return std::string(dash == std::string_view::npos ? "" : id.substr(0, dash));
}

bool is_same_trial(const ModelTrial& a, const ModelTrial& b) {
  return a.model == b.model && a.precision == b.precision && a.ep == b.ep;
}

std::vector<std::string> chain_of(const FamilyKnowledge& knowledge) {
  std::vector<std::string> chain;
  Sha256 hash;
  std::string before =
      hash.add_field(knowledge.family).add_field(knowledge.model_type).finish().hex();
  for (const ModelFinding& finding : knowledge.findings) {
    // Without members that say nothing: a new kind of member leaves old chains as they are.
    const std::string fixed = compact(fixed_part(finding)).canonical();
    before = hash.add_field(before).add_field(fixed).finish().hex();
    chain.push_back(before);
  }
  return chain;
}

Result<FamilyKnowledge> appended(FamilyKnowledge knowledge, ModelFinding finding) {
  HONE_TRY_DO(check_untouched(knowledge));
  finding.id = id_of_finding(knowledge.family, knowledge.findings.size() + 1);
  knowledge.findings.push_back(std::move(finding));
  return closed(std::move(knowledge));
}

Result<FamilyKnowledge> falsified(FamilyKnowledge knowledge, std::string_view id, ModelTrial trial,
                                  ModelFinding counter) {
  HONE_TRY(ModelFinding* const fallen, find(knowledge, id));
  counter.counter_to = fallen->id;
  const bool has_it = std::ranges::any_of(
      counter.scope.validated_on, [&](const ModelTrial& one) { return is_same_trial(one, trial); });
  if (!has_it) counter.scope.validated_on.push_back(trial);
  fallen->scope.falsified_on.push_back(std::move(trial));
  return appended(std::move(knowledge), std::move(counter));
}

Result<FamilyKnowledge> validated(FamilyKnowledge knowledge, std::string_view id,
                                  ModelTrial trial) {
  HONE_TRY_DO(check_untouched(knowledge));
  HONE_TRY(ModelFinding* const held, find(knowledge, id));
  held->scope.validated_on.push_back(std::move(trial));
  return closed(std::move(knowledge));
}

std::vector<std::string> rewrites_of_history(const FamilyKnowledge& before,
                                             const FamilyKnowledge& after) {
  std::vector<std::string> problems;
  if (before.family != after.family) problems.emplace_back("family was rewritten");
  if (before.model_type != after.model_type) problems.emplace_back("model_type was rewritten");
  for (std::size_t i = 0; i < before.findings.size(); ++i) {
    if (i < after.findings.size()) {
      compare_findings(before.findings[i], after.findings[i], problems);
    } else {
      problems.push_back(printable(before.findings[i].id) + ": it is gone");
    }
  }
  return problems;
}

Result<FamilyKnowledge> parse_family(std::string_view name, std::string_view text) {
  return parse<FamilyKnowledge>(name, text);
}

Result<ModelFindingDraft> parse_draft(std::string_view name, std::string_view text) {
  return parse<ModelFindingDraft>(name, text);
}

Result<FamilyKnowledge> read_family(std::string_view name, std::string_view text) {
  HONE_TRY(FamilyKnowledge knowledge, parse_family(name, text));
  const std::vector<std::string> problems = problems_of(knowledge);
  if (problems.empty()) return knowledge;
  return unusable(name, {Fault::bad_input, join(problems, "\n"), {}, {}});
}

std::string write_family(const FamilyKnowledge& knowledge) { return write(knowledge); }

std::string write_draft(const ModelFindingDraft& draft) { return write(draft); }

}  // namespace hone
