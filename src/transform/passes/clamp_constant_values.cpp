//   Before:  constant with an element beyond [-1000, 1000], such as the -inf of a mask
//   After:   the same constant, that element -1000 or 1000
//   Relaxed: for quantization, which spreads its few steps over the whole range. What a clamped
//            number did, the nearer one must do as well: true of masks, and for you to check.
//   Declines NaN, and the parameters of BatchNormalization, whose variances may be large.
#include <algorithm>
#include <cmath>
#include <set>

#include "transform/pass.h"

namespace hone::passes {
namespace {

constexpr double limit = 1e3;

bool is_clampable(ElementType type) {
  using enum ElementType;
  return type == float32 || type == float16 || type == bfloat16 || type == float64;
}

bool is_statistic(const Value& value) {
  return std::ranges::any_of(value.uses(), [](const Use& use) {
    return use.node->is("BatchNormalization") && use.index > 0;
  });
}

// In place: the value keeps its name.
void put(Value& value, TensorPtr tensor) {
  if (value.initializer()) {
    value.graph().set_initializer(value, std::move(tensor));
  } else {
    value.producer()->set_attribute(make_attribute("value", std::move(tensor)));
  }
}

void clamp(Rewriter& rewriter, const Node& user, Value& value) {
  const TensorPtr tensor = value.constant();
  auto numbers = is_clampable(tensor->type) ? doubles_of(&value) : std::nullopt;
  if (!numbers) return;
  if (std::ranges::any_of(*numbers, [](double number) { return std::isnan(number); })) {
    return rewriter.decline(user, "its constant '" + value.name() + "' holds NaN");
  }
  if (std::ranges::all_of(*numbers, [](double number) { return std::abs(number) <= limit; })) {
    return;
  }
  if (is_statistic(value)) {
    return rewriter.decline(user, "'" + value.name() + "' is a statistic and no activation");
  }
  for (double& number : *numbers) number = std::clamp(number, -limit, limit);
  put(value, encode(value.name(), tensor->type, tensor->dims, *numbers));
  rewriter.changed(user);
}

Status run(Rewriter& rewriter) {
  std::set<const Value*> seen;
  for (const Node* node : rewriter.nodes()) {
    for (Value* input : node->inputs()) {
      const bool is_new = input != nullptr && input->constant() && seen.insert(input).second;
      if (is_new) clamp(rewriter, *node, *input);
    }
  }
  return done();
}

}  // namespace

Pass clamp_constant_values() {
  return {.name = "clamp-constant-values",
          .summary = "Clamp constants to [-1000, 1000], for quantization",
          .category = "surgery",
          .numerics = Numerics::relaxed,
          .run = run};
}

}  // namespace hone::passes
