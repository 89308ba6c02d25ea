#include "flow/knowledge/families.h"

#include <algorithm>

#include "base/misuse.h"
#include "base/text.h"
#include "base/utc.h"
#include "flow/knowledge/mine.h"
#include "knowledge/family.h"
#include "knowledge/family_store.h"

namespace hone {
namespace {

constexpr std::uint64_t largest_draft = 16 << 20;
constexpr auto help = "hone help kb";

Result<std::vector<ModelEvidence>> read_evidence(const SaidOfFinding& said) {
  std::vector<ModelEvidence> all;
  for (const std::string& file : said.evidence) {
    HONE_TRY(ModelEvidence evidence, evidence_of(file));
    all.push_back(std::move(evidence));
  }
  return all;
}

// What the draft holds, else nothing.
Result<ModelFinding> read_base(const SaidOfFinding& said, const std::string& family) {
  if (said.draft.empty()) return ModelFinding{};
  HONE_TRY(const std::string text, read_file(said.draft, largest_draft));
  HONE_TRY(ModelFindingDraft draft, parse_draft(said.draft, text));
  if (draft.family == family) return std::move(draft.finding);
  return misuse("'" + said.draft + "' is a draft for the family '" + printable(draft.family) + "'",
                help);
}

void put_over(std::string& member, const std::string& given) {
  if (!given.empty()) member = given;
}

void add_all(std::vector<std::string>& members, const std::vector<std::string>& given) {
  members.insert(members.end(), given.begin(), given.end());
}

// Trials are the caller's to place.
Result<ModelFinding> read_finding(const SaidOfFinding& said, const std::string& family) {
  HONE_TRY(ModelFinding finding, read_base(said, family));
  put_over(finding.title, said.title);
  put_over(finding.observation, said.observation);
  put_over(finding.effort, said.effort);
  put_over(finding.mechanism.notes, said.mechanism);
  if (!said.goal.empty()) finding.goal_reached = said.goal;
  if (finding.effort.empty()) finding.effort = "L0";
  if (finding.date.empty()) finding.date = utc_today();
  add_all(finding.gotchas, said.gotchas);
  add_all(finding.gaps, said.gaps);
  HONE_TRY(const std::vector<ModelEvidence> evidence, read_evidence(said));
  finding.evidence.insert(finding.evidence.end(), evidence.begin(), evidence.end());
  return finding;
}

std::vector<ModelTrial> shown_by(std::vector<ModelTrial> trials,
                                 const std::vector<ModelEvidence>& evidence) {
  if (evidence.empty()) return trials;
  for (ModelTrial& trial : trials) trial.evidence = evidence.front().sha256;
  return trials;
}

// Keeps the family among the user's own, with its last finding or the one of `id`.
Result<KeptFinding> keep(const Path& folder, const FamilyKnowledge& knowledge,
                         std::string_view id) {
  HONE_TRY_DO(save_family(folder, knowledge));
  HONE_TRY(const std::vector<ListedFamily> families, load_families(folder));
  HONE_TRY(const ListedFamily* kept, find_family(families, knowledge.family));
  const auto& findings = kept->knowledge.findings;
  const auto found = std::ranges::find(findings, id, &ModelFinding::id);
  return KeptFinding{*kept, found == findings.end() ? findings.back() : *found};
}

// The family as it is, or a new one.
Result<FamilyKnowledge> family_to_add_to(const FamilyOrder& order) {
  HONE_TRY(const std::vector<ListedFamily> families, load_families(order.folder));
  if (const auto found = find_family(families, order.about)) return (*found)->knowledge;
  if (order.model_type.empty()) {
    return misuse("nothing is known of a family '" + printable(order.about) +
                      "': the first finding needs --model-type",
                  help);
  }
  return FamilyKnowledge{.family = order.about, .model_type = order.model_type};
}

Result<FamilyKnowledge> family_of_finding(const FamilyOrder& order) {
  HONE_TRY(const std::vector<ListedFamily> families, load_families(order.folder));
  const std::string family = family_of_id(order.about);
  HONE_TRY(const ListedFamily* found, find_family(families, family.empty() ? order.about : family));
  return found->knowledge;
}

}  // namespace

Result<KeptFinding> add_to_family(const FamilyOrder& order) {
  HONE_TRY(FamilyKnowledge knowledge, family_to_add_to(order));
  HONE_TRY(ModelFinding finding, read_finding(order.said, order.about));
  const std::vector<ModelTrial> trials = shown_by(order.trials, finding.evidence);
  std::vector<ModelTrial>& held = finding.scope.validated_on;
  held.insert(held.end(), trials.begin(), trials.end());
  HONE_TRY(knowledge, appended(std::move(knowledge), std::move(finding)));
  return keep(order.folder, knowledge, {});
}

Result<KeptFinding> falsify_in_family(const FamilyOrder& order) {
  HONE_TRY(ModelFinding counter, read_finding(order.said, family_of_id(order.about)));
  std::vector<ModelTrial> trials = shown_by(order.trials, counter.evidence);
  HONE_TRY(FamilyKnowledge known, family_of_finding(order));
  HONE_TRY(const FamilyKnowledge knowledge,
           falsified(std::move(known), order.about, std::move(trials.front()), std::move(counter)));
  return keep(order.folder, knowledge, {});
}

Result<KeptFinding> validate_in_family(const FamilyOrder& order) {
  HONE_TRY(const std::vector<ModelEvidence> evidence, read_evidence(order.said));
  std::vector<ModelTrial> trials = shown_by(order.trials, evidence);
  HONE_TRY(FamilyKnowledge known, family_of_finding(order));
  HONE_TRY(const FamilyKnowledge knowledge,
           validated(std::move(known), order.about, std::move(trials.front())));
  return keep(order.folder, knowledge, order.about);
}

Result<ModelFindingDraft> mine_build(const MineOrder& order) {
  HONE_TRY(const BuildRemains remains, read_remains(order.build, order.perf));
  HONE_TRY_DO(refuse_existing(order.output, order.overwrite));
  ModelFindingDraft draft{.family = order.family, .finding = draft_of(remains, utc_today())};
  HONE_TRY_DO(write_file(order.output, write_draft(draft)));
  return draft;
}

}  // namespace hone
