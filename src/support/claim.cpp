#include "support/claim.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "support/lines.h"

namespace hone {
namespace {

struct Reach {
  std::string_view prefix;
  Effort effort;
};

// The longest prefix counts. What is data of a catalog takes no code; a plug-in is one place; the
// rest of a module is shared by everybody.
constexpr auto reaches = std::to_array<Reach>({
    {"recipes/", Effort::l0},
    {"bundles/", Effort::l0},
    {"model_knowledge/", Effort::l0},
    {"knowledge/", Effort::l0},
    {"rules/", Effort::l1_light},
    {"src/inspect/eval/evaluators/", Effort::l1_light},
    {"src/inspect/eval/evaluators.inc", Effort::l1_light},
    {"src/transform/passes/", Effort::l1},
    {"src/transform/passes.inc", Effort::l1},
});

bool is_inside(const std::string& path) {
  if (path.empty() || path.front() == '/') return false;
  for (const std::string& part : split(path, '/'))
    if (part.empty() || part == "." || part == "..") return false;
  return true;
}

}  // namespace

OutcomeLevel outcome_of(Effort effort) {
  switch (effort) {
    case Effort::l0:
    case Effort::l0_star:
      return OutcomeLevel::l0;
    case Effort::l1_light:
    case Effort::l1:
      return OutcomeLevel::l1;
    case Effort::l2:
      return OutcomeLevel::l2;
  }
  return OutcomeLevel::l2;
}

Effort effort_for(std::string_view path) {
  const Reach* found = nullptr;
  for (const Reach& reach : reaches) {
    const bool is_longer = found == nullptr || reach.prefix.size() > found->prefix.size();
    if (path.starts_with(reach.prefix) && is_longer) found = &reach;
  }
  return found == nullptr ? Effort::l2 : found->effort;
}

std::vector<ReviewLine> check_claim(const SupportClaim& claim, const RecipeFile& file,
                                    std::size_t findings) {
  Lines lines;
  lines.require("claim.subject", claim.model == file.model && claim.task == file.task,
                LineVerdict::reject, "claim.json#/model",
                "the claim is about another model or task");
  lines.require("claim.outcome", claim.outcome == outcome_of(claim.effort), LineVerdict::reject,
                "claim.json#/outcome",
                "effort " + std::string(name_of(claim.effort)) + " delivers " +
                    std::string(name_of(outcome_of(claim.effort))));
  // L0 and L0* touch the same files; they differ in what there was to copy.
  const Effort allowed = std::max(claim.effort, Effort::l0_star);
  for (std::size_t i = 0; i < claim.changes.size(); ++i) {
    const std::string& path = claim.changes[i];
    const bool is_allowed = is_inside(path) && effort_for(path) <= allowed;
    lines.require("claim.scope", is_allowed, LineVerdict::reject,
                  "claim.json#/changes/" + std::to_string(i),
                  "effort " + std::string(name_of(claim.effort)) + " does not touch '" +
                      printable(path) + "'");
  }
  lines.require("claim.changes", !claim.changes.empty(), LineVerdict::changes,
                "claim.json#/changes", "it does not say which files it touches");
  const bool has_template = claim.recipe_template && !claim.recipe_template->empty();
  if (claim.effort == Effort::l0) {
    lines.require("claim.template", has_template, LineVerdict::changes, "claim.json#/template",
                  "effort L0 names the recipe it was made after; without one it is L0*");
  } else {
    lines.require("claim.finding", findings > 0, LineVerdict::changes, "findings.json",
                  "effort " + std::string(name_of(claim.effort)) + " owes a finding");
  }
  return lines.take();
}

}  // namespace hone
