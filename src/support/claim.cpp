#include "support/claim.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "support/lines.h"
#include "support/plain_name.h"
#include "support/recipe_file.h"

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
    {"src/inspect/eval/tasks/", Effort::l1_light},
    {"src/inspect/eval/tasks.inc", Effort::l1_light},
    {"src/transform/passes/", Effort::l1},
    {"src/transform/passes.inc", Effort::l1},
});

// "recipes/acme_reader/cpu/text-recognition_fp32.json"
bool is_recipe_path(const std::string& path) {
  constexpr std::size_t parts = 4;
  return is_plain_path(path) && path.starts_with("recipes/") && path.ends_with(".json") &&
         split(path, '/').size() == parts;
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
    const bool is_allowed = is_plain_path(path) && effort_for(path) <= allowed;
    lines.require("claim.scope", is_allowed, LineVerdict::reject,
                  "claim.json#/changes/" + std::to_string(i),
                  "effort " + std::string(name_of(claim.effort)) + " does not touch '" +
                      printable(path) + "'");
  }
  lines.require("claim.changes", !claim.changes.empty(), LineVerdict::changes,
                "claim.json#/changes", "it does not say which files it touches");
  const std::string own = recipe_path(file).generic_string();
  lines.require("claim.recipe", std::ranges::find(claim.changes, own) != claim.changes.end(),
                LineVerdict::changes, "claim.json#/changes",
                "the recipe is not among them: " + own);
  const std::string model = claim.recipe_template.value_or("");
  const bool has_template = is_recipe_path(model) && model != own;
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
