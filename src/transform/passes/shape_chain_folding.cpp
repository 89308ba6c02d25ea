//   Before:  Shape(x) -> Gather, Slice, Concat, Cast, ReduceProd, Mul, ... -> y
//   After:   a constant -> y              where all of it is known from static dimensions
//            Reshape(x, [0, -1, 768])     where dimensions are copied, or one of them is open
//            Expand(x, [1, 1, 64])        where dimensions are those of x
//   Declines a Reshape when two of its extents are open. A tensor without elements has no -1.
#include <algorithm>

#include "model/elements.h"
#include "transform/pass.h"
#include "transform/shape_values.h"

namespace hone::passes {
namespace {

using Dims = std::vector<std::int64_t>;

TensorPtr tensor_of(const std::string& name, const ShapeValue& value) {
  Dims dims;
  if (!value.is_scalar) dims.push_back(static_cast<std::int64_t>(value.elements.size()));
  const auto width = static_cast<std::size_t>(bits_of(value.type) / 8);
  std::string bytes;
  for (const ShapeExtent& extent : value.elements) {
    // Little-endian: the low bytes of the number are the number.
    bytes.append(reinterpret_cast<const char*>(&*extent.number), width);
  }
  return make_tensor(name, value.type, std::move(dims), Blob::own(std::move(bytes)));
}

// Whether somebody needs the value who is not himself a part of the chain.
bool is_at_the_end(const ShapeValues& values, const Value& value) {
  return std::ranges::any_of(value.uses(), [&](const Use& use) {
    const Value* made = use.node->output(0);
    const ShapeValue* known = values.find(made);
    return known == nullptr || !known->is_constant();
  });
}

void fold_constants(Rewriter& rewriter, const ShapeValues& values) {
  for (const Node* node : rewriter.nodes()) {
    Value* value = node->output(0);
    const ShapeValue* known = values.find(value);
    if (known == nullptr || !known->is_constant() || !is_at_the_end(values, *value)) continue;
    Value& constant = rewriter.add_constant(*node, tensor_of(value->name() + "_constant", *known));
    rewriter.replace(*value, constant);
  }
}

// The sizes for a Reshape of `data`: 0 copies a dimension, -1 is the one that is left.
std::optional<Dims> reshape_sizes(const ShapeValue& wanted, const std::vector<ShapeExtent>& data) {
  Dims sizes;
  for (std::size_t i = 0; i < wanted.elements.size(); ++i) {
    const ShapeExtent& extent = wanted.elements[i];
    const bool is_copy = !extent.symbol.empty() && i < data.size() && data[i] == extent;
    sizes.push_back(is_copy ? 0 : extent.number.value_or(-1));
  }
  return std::ranges::count(sizes, -1) <= 1 ? std::optional(std::move(sizes)) : std::nullopt;
}

// The sizes for an Expand of `data`: 1 keeps a dimension.
std::optional<Dims> expand_sizes(const ShapeValue& wanted, const std::vector<ShapeExtent>& data) {
  Dims sizes;
  const std::size_t count = wanted.elements.size();
  for (std::size_t i = 0; i < count; ++i) {
    const ShapeExtent& extent = wanted.elements[i];
    const bool is_same = i + data.size() >= count && data[i + data.size() - count] == extent;
    if (!extent.number && (extent.symbol.empty() || !is_same)) return std::nullopt;
    sizes.push_back(extent.number.value_or(1));
  }
  return sizes;
}

// A Reshape or Expand whose sizes are computed, and known in part.
void fold_sizes(Rewriter& rewriter, const ShapeValues& values, Node& node) {
  const ShapeValue* wanted = values.find(node.input(1));
  if (wanted == nullptr || wanted->is_constant() || node.input(0) == nullptr) return;
  const auto data = extents_of(*node.input(0)).value_or(std::vector<ShapeExtent>{});
  if (node.int_or("allowzero", 0) != 0) return;
  const auto sizes =
      node.is("Reshape") ? reshape_sizes(*wanted, data) : expand_sizes(*wanted, data);
  if (!sizes) return rewriter.decline(node, "two or more of its extents are open");
  node.set_input(1, &rewriter.add_ints(node, node.input(1)->name() + "_constant", *sizes));
  rewriter.changed(node);
}

Status run(Rewriter& rewriter) {
  const ShapeValues values(rewriter.model());
  for (Node* node : rewriter.nodes()) {
    if (node->is("Reshape") || node->is("Expand")) fold_sizes(rewriter, values, *node);
  }
  fold_constants(rewriter, values);
  return done();
}

}  // namespace

Pass shape_chain_folding() {
  return {.name = "shape-chain-folding",
          .summary = "Fold computed shapes into constants, with 0 and -1 for open sizes",
          .category = "shape",
          .numerics = Numerics::bitwise,
          .run = run,
          .detection = Detection{}};
}

}  // namespace hone::passes
