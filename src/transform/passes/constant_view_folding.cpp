//   Before:  constant -> Reshape(constant) -> y      (also Squeeze, Unsqueeze, Flatten, Identity)
//   After:   constant of the new shape -> y          the bytes are shared, not copied
//   Declines when the shape does not fit the constant, and when somebody else uses a large one.
#include <algorithm>

#include "transform/pass.h"

namespace hone::passes {
namespace {

using Dims = std::vector<std::int64_t>;

// In memory the bytes are shared; a file has them for each tensor.
constexpr std::uint64_t most_bytes_twice = std::uint64_t{1} << 16;

std::optional<Dims> reshaped(const Node& node, const Dims& from) {
  auto to = ints_of(node.input(1));
  if (!to || node.int_or("allowzero", 0) != 0) return std::nullopt;
  std::int64_t known = 1;
  for (std::size_t i = 0; i < to->size(); ++i) {
    if ((*to)[i] == 0 && i < from.size()) (*to)[i] = from[i];
    if ((*to)[i] == -1) continue;
    if ((*to)[i] <= 0 || __builtin_mul_overflow(known, (*to)[i], &known)) return std::nullopt;
  }
  const auto open = std::ranges::find(*to, -1);
  const auto count = count_elements(from);
  if (open != to->end() && count) *open = static_cast<std::int64_t>(*count) / known;
  return to;
}

std::optional<Dims> squeezed(const Node& node, const Dims& from) {
  // Without axes every dimension of 1 goes.
  const bool all_ones = !has_ints(node, "axes", 1);
  std::vector<bool> goes(from.size(), false);
  for (std::size_t i = 0; i < from.size(); ++i) goes[i] = all_ones && from[i] == 1;
  for (const std::int64_t axis : ints_from(node, "axes", 1).value_or(Dims{})) {
    const auto found = axis_of(axis, from.size());
    if (!found || from[*found] != 1) return std::nullopt;
    goes[*found] = true;
  }
  Dims to;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!goes[i]) to.push_back(from[i]);
  }
  return to;
}

std::optional<Dims> unsqueezed(const Node& node, const Dims& from) {
  auto axes = ints_from(node, "axes", 1);
  if (!axes) return std::nullopt;
  const std::size_t rank = from.size() + axes->size();
  for (std::int64_t& axis : *axes) {
    const auto found = axis_of(axis, rank);
    if (!found) return std::nullopt;
    axis = static_cast<std::int64_t>(*found);
  }
  std::ranges::sort(*axes);
  Dims to = from;
  for (const std::int64_t axis : *axes) {
    if (axis > static_cast<std::int64_t>(to.size())) return std::nullopt;
    to.insert(to.begin() + axis, 1);
  }
  return to;
}

std::optional<Dims> flattened(const Node& node, const Dims& from) {
  const std::int64_t axis = node.int_or("axis", 1);
  const auto rank = static_cast<std::int64_t>(from.size());
  const std::int64_t cut = axis < 0 ? axis + rank : axis;
  if (cut < 0 || cut > rank) return std::nullopt;
  const auto rows = count_elements(Dims(from.begin(), from.begin() + cut));
  const auto columns = count_elements(Dims(from.begin() + cut, from.end()));
  if (!rows || !columns) return std::nullopt;
  return Dims{static_cast<std::int64_t>(*rows), static_cast<std::int64_t>(*columns)};
}

std::optional<Dims> shape_behind(const Node& node, const Dims& from) {
  if (node.is("Identity")) return from;
  if (node.is("Reshape")) return reshaped(node, from);
  if (node.is("Squeeze")) return squeezed(node, from);
  if (node.is("Unsqueeze")) return unsqueezed(node, from);
  return flattened(node, from);
}

bool is_view(const Node& node) {
  return node.is("Identity") || node.is("Reshape") || node.is("Squeeze") || node.is("Unsqueeze") ||
         node.is("Flatten");
}

void fold(Rewriter& rewriter, Node& node) {
  const TensorPtr tensor = node.input(0)->constant();
  const bool has_sizes = node.input(1) == nullptr || ints_of(node.input(1));
  if (!tensor || !has_sizes) return;
  auto dims = shape_behind(node, tensor->dims);
  if (!dims || count_elements(*dims) != count_elements(tensor->dims)) {
    return rewriter.decline(node, "its shape does not fit the constant");
  }
  if (*dims == tensor->dims) return rewriter.replace(*node.output(0), *node.input(0));
  if (node.input(0)->uses().size() > 1 && tensor->byte_size() > most_bytes_twice) {
    return rewriter.decline(node, "somebody else uses the constant, and it would be stored twice");
  }
  auto view = std::make_shared<Tensor>(*tensor);
  view->name = node.output(0)->name() + "_constant";
  view->dims = std::move(*dims);
  rewriter.replace(*node.output(0), rewriter.add_constant(node, std::move(view)));
}

Status run(Rewriter& rewriter) {
  for (Node* node : rewriter.nodes()) {
    const bool is_candidate = is_view(*node) && !node->is_removed() && node->input(0) != nullptr &&
                              node->output(0) != nullptr && !node->output(0)->is_graph_output();
    if (is_candidate) fold(rewriter, *node);
  }
  return done();
}

}  // namespace

Pass constant_view_folding() {
  return {.name = "constant-view-folding",
          .summary = "Give a constant the shape that a Reshape behind it gives it",
          .category = "shape",
          .numerics = Numerics::bitwise,
          .run = run,
          .detection = Detection{}};
}

}  // namespace hone::passes
