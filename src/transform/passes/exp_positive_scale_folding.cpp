//   Before:  x -> Exp -> Mul(s) -> y              s > 0; also with Reshape, Flatten, Squeeze,
//   After:   x -> Add(log(s)) -> Exp -> y         Unsqueeze or Identity between Exp and Mul
//            An Add of a constant before the Exp takes log(s) instead of a new one.
//   Relaxed: where exp(x) leaves the type's range and exp(x) * s does not, y is now finite, and
//            near the range's end rounding differs.
//   Declines when s is not positive, when it would make the tensor larger, when y is multiplied
//   again, and when somebody else uses what lies between.
#include <algorithm>
#include <cmath>

#include "transform/axes.h"
#include "transform/pass.h"

namespace hone::passes {
namespace {

using Dims = std::vector<std::int64_t>;

// Constants are written out over the Exp's shape when they are behind a view; not beyond this.
constexpr std::uint64_t most_elements = std::uint64_t{1} << 20;

struct Logarithm {
  std::vector<double> numbers;
  Dims dims;
};

// log(s) in a shape that can be added to the Exp's input.
std::optional<Logarithm> logarithm(const Value& scale, const Value& product, const Value& exp) {
  auto numbers = doubles_of(&scale);
  if (!numbers || !is_float(scale.constant()->type)) return std::nullopt;
  for (double& number : *numbers) {
    if (!std::isfinite(number) || number <= 0) return std::nullopt;
    number = std::log(number);
  }
  const Dims& dims = scale.constant()->dims;
  if (numbers->size() == 1 && (dims.size() <= 1 || dims.size() <= rank_of(&exp).value_or(0))) {
    return Logarithm{std::move(*numbers), {}};
  }
  const auto shape = static_shape(&product);
  const auto wanted = static_shape(&exp);
  if (!shape || !wanted || !can_broadcast(dims, *shape)) return std::nullopt;
  if (shape == wanted) return Logarithm{std::move(*numbers), dims};
  const auto count = count_elements(*shape);
  if (!count || count != count_elements(*wanted) || *count > most_elements) return std::nullopt;
  return Logarithm{broadcast(*numbers, dims, *shape), *wanted};
}

// The Add of a constant whose sum only the Exp uses, when the logarithm fits into that constant.
std::optional<ConstantOperand> shift_before(const Node& exp, const Logarithm& logarithm) {
  const Node* add = producer_of(exp.input(0), "Add");
  if (add == nullptr || only_consumer(*exp.input(0)) != &exp) return std::nullopt;
  const auto operands = constant_operand(*add);
  if (!operands || !doubles_of(operands->constant)) return std::nullopt;
  return can_broadcast(logarithm.dims, operands->constant->constant()->dims) ? operands
                                                                             : std::nullopt;
}

// Adds the logarithm before the Exp; false when a number leaves the type's range.
bool shift(Rewriter& rewriter, Node& exp, const Value& scale, Logarithm logarithm) {
  Value& x = *exp.input(0);
  const ElementType type = scale.constant()->type;
  const auto present = shift_before(exp, logarithm);
  if (!present) {
    const TensorPtr tensor = encode(scale.name() + "_log", type, logarithm.dims, logarithm.numbers);
    if (!tensor) return false;
    Value& constant = rewriter.add_constant(exp, tensor);
    exp.set_input(0, &rewriter.add(exp, {.op = "Add", .inputs = {&x, &constant}, .type = x.type}));
    return true;
  }
  const Dims& dims = present->constant->constant()->dims;
  std::vector<double> sum = *doubles_of(present->constant);
  const std::vector<double> more = broadcast(logarithm.numbers, logarithm.dims, dims);
  std::ranges::transform(sum, more, sum.begin(), std::plus<>());
  const TensorPtr tensor = encode(present->constant->name() + "_folded", type, dims, sum);
  if (!tensor) return false;
  x.producer()->set_input(present->constant_index, &rewriter.add_constant(*x.producer(), tensor));
  return true;
}

void fold(Rewriter& rewriter, Node& mul) {
  const auto operands = constant_operand(mul);
  if (!operands || only_consumer(*operands->variable) != &mul) return;
  Node* exp = producer_of(&before_views(*operands->variable), "Exp");
  if (exp == nullptr || exp->input(0) == nullptr) return;
  const Value& product = *mul.output(0);
  const bool is_multiplied_again =
      std::ranges::any_of(product.uses(), [](const Use& use) { return use.node->is("Mul"); });
  if (is_multiplied_again) return rewriter.decline(mul, "its product is multiplied again");
  auto log = logarithm(*operands->constant, *operands->variable, *exp->output(0));
  if (!log) {
    return rewriter.decline(mul, "its constant is not positive, or its shape does not fit the Exp");
  }
  if (!shift(rewriter, *exp, *operands->constant, std::move(*log))) {
    return rewriter.decline(mul, "the logarithm would leave the range of its type");
  }
  rewriter.replace(*mul.output(0), *operands->variable);
}

Status run(Rewriter& rewriter) {
  for (Node* mul : rewriter.nodes("Mul")) {
    if (!mul->is_removed()) fold(rewriter, *mul);
  }
  return done();
}

}  // namespace

Pass exp_positive_scale_folding() {
  return {.name = "exp-positive-scale-folding",
          .summary = "Fold a positive factor behind an Exp into a sum before it",
          .category = "activation",
          .numerics = Numerics::relaxed,
          .run = run,
          .detection = Detection{}};
}

}  // namespace hone::passes
