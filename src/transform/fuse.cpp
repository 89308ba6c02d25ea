#include "transform/fuse.h"

#include <algorithm>
#include <numeric>

namespace hone {
namespace {

Type permuted(const Type& type, const Attribute::Ints& perm) {
  Shape shape;
  for (const std::int64_t axis : perm) {
    shape.push_back((*type.shape)[static_cast<std::size_t>(axis)]);
  }
  return Type::tensor(type.element, std::move(shape));
}

Value& add_transpose(Rewriter& rewriter, const Node& position, Value& input,
                     const Attribute::Ints& perm) {
  return rewriter.add_transpose(position, input, perm, permuted(input.type, perm));
}

Attribute::Ints inverse_of(const Attribute::Ints& perm) {
  Attribute::Ints inverse(perm.size());
  for (std::size_t i = 0; i < perm.size(); ++i) {
    inverse[static_cast<std::size_t>(perm[i])] = static_cast<std::int64_t>(i);
  }
  return inverse;
}

Value& add_layer_norm(Rewriter& rewriter, const Node& position, std::vector<Value*> inputs,
                      double epsilon) {
  const Type type = inputs.front()->type;
  return rewriter.add(
      position, {.op = "LayerNormalization",
                 .inputs = std::move(inputs),
                 .attributes = attributes(make_attribute("axis", std::int64_t{-1}),
                                          make_attribute("epsilon", static_cast<float>(epsilon))),
                 .type = type});
}

}  // namespace

bool can_replace(Rewriter& rewriter, std::span<Node* const> motif) {
  const Value* inside = used_outside(motif);
  if (inside == nullptr) return true;
  rewriter.decline(*motif.back(), "'" + inside->name() + "' inside of it is needed elsewhere");
  return false;
}

bool is_vector(const Value* value, const Along& along) {
  const auto dims = static_shape(value);
  const std::size_t behind = along.rank - 1 - static_cast<std::size_t>(along.axis);
  if (!dims || dims->size() > along.rank || dims->size() <= behind) return false;
  for (std::size_t i = 0; i < dims->size(); ++i) {
    const bool is_along = i + 1 + behind == dims->size();
    if ((*dims)[i] != (is_along ? along.size : 1)) return false;
  }
  return dims->size() == 1 || value->constant() != nullptr;
}

Value& as_vector(Rewriter& rewriter, const Node& position, Value& value) {
  const TensorPtr tensor = value.constant();
  if (!tensor || tensor->dims.size() == 1) return value;
  auto vector = std::make_shared<Tensor>(*tensor);
  vector->name = value.name() + "_vector";
  vector->dims = {static_cast<std::int64_t>(tensor->element_count())};
  return rewriter.add_constant(position, std::move(vector));
}

void fuse_layer_norm(Rewriter& rewriter, const LayerNorm& norm) {
  const Node& end = *norm.nodes.back();
  const auto shape = known_shape(norm.input);
  if (!shape) return rewriter.decline(end, "the shape of its input is not known");
  const std::size_t rank = shape->size();
  const auto found = axis_of(norm.axis, rank);
  if (!found) return;
  const auto axis = static_cast<std::int64_t>(*found);
  const auto size = (*shape)[*found].value;
  if (!size) return rewriter.decline(end, "the size of the axis it normalizes is not known");
  if (!rewriter.has_opset(end, "LayerNormalization", 17)) return;
  if (!can_replace(rewriter, norm.nodes)) return;
  const Along along{rank, axis, *size};
  if (!is_vector(norm.scale, along) || !is_vector(norm.bias, along)) {
    const std::string which = is_vector(norm.scale, along) ? "bias" : "scale";
    return rewriter.decline(end, "its " + which + " is no vector along the axis it normalizes");
  }
  Value* scale = &as_vector(rewriter, end, *norm.scale);
  Value* bias = &as_vector(rewriter, end, *norm.bias);
  Attribute::Ints perm(rank);
  std::iota(perm.begin(), perm.end(), 0);
  std::rotate(perm.begin() + axis, perm.begin() + axis + 1, perm.end());
  const bool is_last = std::ranges::is_sorted(perm);
  Value& input = is_last ? *norm.input : add_transpose(rewriter, end, *norm.input, perm);
  Value* result = &add_layer_norm(rewriter, end, {&input, scale, bias}, norm.epsilon);
  if (!is_last) result = &add_transpose(rewriter, end, *result, inverse_of(perm));
  rewriter.replace(*end.output(0), *result);
}

}  // namespace hone
