#include "transform/pass.h"

#include <algorithm>

#include "model/edit.h"

namespace hone {

std::span<const Pass> all_passes() {
  static const std::vector<Pass> all = {
#define HONE_PASS(name) passes::name(),
#include "transform/passes.inc"
#undef HONE_PASS
  };
  return all;
}

const Pass* find_pass(std::string_view name) {
  const auto all = all_passes();
  const auto found = std::ranges::find(all, name, &Pass::name);
  return found != all.end() ? &*found : nullptr;
}

Result<PassEffect> run_pass(const Pass& pass, Model& model) {
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
