#include "transform/pass.h"

#include <algorithm>
#include <iterator>

#include "model/edit.h"

namespace hone {

const Pass* find_pass(std::string_view name) {
  const auto all = all_passes();
  const auto found = std::ranges::find(all, name, &Pass::name);
  return found != all.end() ? &*found : nullptr;
}

namespace {

Result<PassEffect> run_group(const Pass& group, Model& model) {
  PassEffect total{std::string(group.name), 0, {}};
  for (const std::string_view name : group.depends_on) {
    HONE_TRY(PassEffect effect, run_pass(*find_pass(name), model));
    total.rewrites += effect.rewrites;
    std::ranges::move(effect.declined, std::back_inserter(total.declined));
  }
  return total;
}

}  // namespace

Result<PassEffect> run_pass(const Pass& pass, Model& model) {
  if (pass.run == nullptr) return run_group(pass, model);
  HONE_TRY_DO(sort_topologically(*model.graph));
  Rewriter rewriter(model);
  HONE_TRY_DO(pass.run(rewriter));
  PassEffect effect{std::string(pass.name), rewriter.rewrites(), rewriter.take_declined()};
  if (effect.rewrites == 0) return effect;
  remove_dead_nodes(*model.graph);
  remove_unused_initializers(*model.graph);
  HONE_TRY_DO(sort_topologically(*model.graph));
  return effect;
}

}  // namespace hone
