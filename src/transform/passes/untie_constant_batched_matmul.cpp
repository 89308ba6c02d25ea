//   Before:  MatMul(x, constant of rank >= 3) -> y      (the constant on either side)
//   After:   MatMul(x, constant + zero) -> y            zero = e - e, e the first element of x
//   For OpenVINO's GPU, which has no kernel for a constant batched operand; zero is known only when
//   the model runs. Declines when both operands or none are constants, and for constants of lower
//   rank. An x whose first element is not finite makes y NaN.
#include "transform/pass.h"

namespace hone::passes {
namespace {

Value& add_zero(Rewriter& rewriter, const Node& position, Value& x) {
  using Dims = std::vector<std::int64_t>;
  const Type one = Type::tensor(x.type.element, shape_of({1}));
  Value& flat = rewriter.add_reshape(position, x, Dims{-1});
  Value& start = rewriter.add_ints(position, x.name() + "_start", Dims{0});
  Value& end = rewriter.add_ints(position, x.name() + "_end", Dims{1});
  Value& first =
      rewriter.add(position, {.op = "Slice", .inputs = {&flat, &start, &end}, .type = one});
  return rewriter.add(position, {.op = "Sub", .inputs = {&first, &first}, .type = one});
}

Status run(Rewriter& rewriter) {
  for (Node* matmul : rewriter.nodes("MatMul")) {
    const auto operands = constant_operand(*matmul);
    if (!operands || *rank_of(operands->constant) < 3) continue;
    if (!rewriter.has_opset(*matmul, "Slice with inputs", 10)) continue;
    Value& zero = add_zero(rewriter, *matmul, *operands->variable);
    const TensorPtr tensor = operands->constant->constant();
    Value& untied =
        rewriter.add(*matmul, {.op = "Add",
                               .inputs = {operands->constant, &zero},
                               .type = Type::tensor(tensor->type, shape_of(tensor->dims))});
    matmul->set_input(operands->constant_index, &untied);
    rewriter.changed(*matmul);
  }
  return done();
}

}  // namespace

Pass untie_constant_batched_matmul() {
  return {.name = "untie-constant-batched-matmul",
          .summary = "Make a constant batched operand of a MatMul a run-time one",
          .category = "surgery",
          .numerics = Numerics::close,
          .run = run};
}

}  // namespace hone::passes
