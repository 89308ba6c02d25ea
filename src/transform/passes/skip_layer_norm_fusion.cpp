//   Before:  Add(a, b) = s -> LayerNormalization(scale, bias) -> y
//   After:   SkipLayerNormalization(a, b, scale, bias) -> y, and s as its fourth output where
//   others
//            use it
//   ONNX Runtime's optimizer of this name runs first. This pass takes what that one leaves: a sum
//   that others use too (the residual of a transformer that normalizes first), a length that is
//   open, two dimensions instead of three, and a b that is the same for the whole batch. Declines
//   when the axis is not the last one, when the shapes are not known to fit, and for types the
//   operator does not have.
#include "transform/fuse.h"
#include "transform/pass.h"

namespace hone::passes {
namespace {

bool same_shape(const Shape& one, const Shape& other) {
  return std::ranges::equal(one, other, same_dim);
}

// Whether `skip` is repeated for each of the batch: [1,S,D] or [S,D] beside [B,S,D].
bool is_repeated(const Shape& skip, const Shape& sum) {
  if (sum.size() != 3 || skip.size() < 2 || skip.size() > 3) return false;
  if (skip.size() == 3 && !is_one(skip.front())) return false;
  return same_dim(skip[skip.size() - 2], sum[1]) && same_dim(skip.back(), sum[2]);
}

// The summand that is as large as the sum, and the other one.
std::optional<Operands> summands(const Node& add, const Shape& sum) {
  for (const Operands& operands : both_orders(add)) {
    const auto input = known_shape(operands.one);
    const auto skip = known_shape(operands.other);
    if (!input || !skip || !same_shape(*input, sum)) continue;
    if (same_shape(*skip, sum) || is_repeated(*skip, sum)) return operands;
  }
  return std::nullopt;
}

// A vector as wide as a row that is there before the model runs.
bool is_weight(const Value* value, const Dim& width) {
  const auto dims = static_shape(value);
  const bool is_given = value->producer() == nullptr || value->constant() != nullptr;
  return dims && is_given && dims->size() == 1 && width.value == dims->front();
}

bool hands_out_its_mean(const Node& norm) {
  for (std::size_t i = 1; i < norm.outputs().size(); ++i) {
    if (norm.output(i) != nullptr && norm.output(i)->is_used()) return true;
  }
  return false;
}

// Why the operator cannot stand in the place of this LayerNormalization; empty when it can.
std::string obstacle(const Node& norm, const Node& add, const Shape& sum) {
  if (sum.size() != 2 && sum.size() != 3) return "its input has neither two nor three dimensions";
  if (axis_of(norm.int_or("axis", -1), sum.size()) != sum.size() - 1) {
    return "it does not normalize along the last axis";
  }
  const ElementType type = norm.input(0)->type.element;
  if (type != ElementType::float32 && type != ElementType::float16) {
    return "SkipLayerNormalization is there for float and float16";
  }
  if (hands_out_its_mean(norm)) return "its mean is used as well";
  for (std::size_t i = 1; i < norm.inputs().size(); ++i) {
    if (norm.input(i) != nullptr && !is_weight(norm.input(i), sum.back())) {
      return "its scale or bias is no vector given by the model";
    }
  }
  return summands(add, sum) ? "" : "its summands are not known to be of one shape";
}

void fuse(Rewriter& rewriter, const Node& norm, const Node& add) {
  Value& sum = *norm.input(0);
  const auto operands = *summands(add, *known_shape(&sum));
  std::vector<Value*> inputs = {operands.one, operands.other};
  inputs.insert(inputs.end(), norm.inputs().begin() + 1, norm.inputs().end());
  const float epsilon = norm.float_or("epsilon", 1e-5F);
  rewriter.need_domain(microsoft);
  Value& made = rewriter.add(norm, {.op = "SkipLayerNormalization",
                                    .inputs = std::move(inputs),
                                    .attributes = attributes(make_attribute("epsilon", epsilon)),
                                    .domain = microsoft,
                                    .type = sum.type});
  if (sum.uses().size() > 1 || sum.is_graph_output()) {
    Value& total = norm.graph().add_value(sum.name() + "_total", sum.type);
    made.producer()->set_outputs({&made, nullptr, nullptr, &total});
    norm.graph().replace_uses(sum, total);
  }
  rewriter.replace(*norm.output(0), made);
}

Status run(Rewriter& rewriter) {
  for (Node* norm : rewriter.nodes("LayerNormalization")) {
    const Node* add = norm->is_removed() ? nullptr : producer_of(norm->input(0), "Add");
    if (add == nullptr || &add->graph() != &norm->graph()) continue;
    const auto sum = known_shape(norm->input(0));
    const std::string reason =
        sum ? obstacle(*norm, *add, *sum) : "the shape of its input is not known";
    if (reason.empty()) {
      fuse(rewriter, *norm, *add);
    } else {
      rewriter.decline(*norm, reason);
    }
  }
  return done();
}

}  // namespace

Pass skip_layer_norm_fusion() {
  return {
      .name = "skip-layer-norm-fusion",
      .summary = "Take the Add before a LayerNormalization into it",
      .category = "layer-norm",
      .numerics = Numerics::close,
      .run = run,
      .detection = Detection{.makes = "SkipLayerNormalization", .find = detect::skip_layer_norm}};
}

}  // namespace hone::passes
