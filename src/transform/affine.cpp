#include "transform/affine.h"

#include <algorithm>
#include <cmath>

#include "transform/patterns.h"

namespace hone {
namespace {

bool has_channels(const Value& value, const Channels& channels) {
  const auto rank = rank_of(&value);
  if (!rank || *rank <= channels.behind || (channels.rank && rank != channels.rank)) return false;
  return extent_of(&value, *rank - 1 - channels.behind) ==
         static_cast<std::int64_t>(channels.count);
}

// One number in a shape that raises the rank of nothing that could lead to these channels.
bool keeps_any_shape(const AffineStep& step, const Channels& channels) {
  const Value& constant = *other_operand(*step.node, *step.input);
  const std::vector<std::int64_t>& dims = constant.constant()->dims;
  const std::size_t most_axes = channels.rank ? *channels.rank - 1 : channels.behind + 1;
  return dims.size() <= most_axes &&
         std::ranges::all_of(dims, [](std::int64_t dim) { return dim == 1; });
}

}  // namespace

Affine Affine::identity(std::size_t channels) {
  return {std::vector<double>(channels, 1), std::vector<double>(channels, 0)};
}

bool Affine::has_offset() const {
  return std::ranges::any_of(offset, [](double number) { return number != 0; });
}

Affine compose(const Affine& inner, const Affine& outer) {
  Affine both = inner;
  for (std::size_t i = 0; i < both.scale.size(); ++i) {
    both.scale[i] *= outer.scale[i];
    both.offset[i] = both.offset[i] * outer.scale[i] + outer.offset[i];
  }
  return both;
}

std::optional<std::vector<double>> per_channel(const Value& constant, const Channels& channels) {
  const TensorPtr tensor = constant.constant();
  if (!tensor || !is_float(tensor->type)) return std::nullopt;
  const std::vector<std::int64_t>& dims = tensor->dims;
  if (dims.size() > channels.rank.value_or(channels.behind + 1)) return std::nullopt;
  const auto count = static_cast<std::int64_t>(channels.count);
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const bool is_channel_axis = dims.size() - 1 - i == channels.behind;
    if (dims[i] != 1 && !(is_channel_axis && dims[i] == count)) return std::nullopt;
  }
  auto numbers = doubles_of(&constant);
  if (!numbers || numbers->empty()) return std::nullopt;
  if (numbers->size() == 1) numbers->resize(channels.count, numbers->front());
  return numbers;
}

std::optional<AffineStep> affine_step(Node& node, const Channels& channels) {
  const bool is_known = node.is("Mul") || node.is("Div") || node.is("Add") || node.is("Sub");
  if (!is_known) return std::nullopt;
  const auto operands = constant_operand(node);
  if (!operands) return std::nullopt;
  const bool constant_is_first = operands->constant_index == 0;
  if (node.is("Div") && constant_is_first) return std::nullopt;
  auto numbers = per_channel(*operands->constant, channels);
  if (!numbers) return std::nullopt;
  AffineStep step{&node, operands->variable, Affine::identity(channels.count)};
  for (std::size_t i = 0; i < channels.count; ++i) {
    const double number = (*numbers)[i];
    double& scale = step.affine.scale[i];
    double& offset = step.affine.offset[i];
    if (node.is("Mul")) scale = number;
    if (node.is("Div")) scale = 1 / number;
    if (node.is("Add")) offset = number;
    if (node.is("Sub")) offset = constant_is_first ? number : -number;
    if (node.is("Sub") && constant_is_first) scale = -1;
    if (!std::isfinite(scale) || !std::isfinite(offset)) return std::nullopt;
  }
  return step;
}

std::vector<AffineStep> steps_before(const Value& value, const Node& user,
                                     const Channels& channels) {
  std::vector<AffineStep> steps;
  std::size_t sure = 0;
  bool all_keep_shape = true;
  const Value* at = &value;
  const Node* next = &user;
  while (at->producer() != nullptr && only_consumer(*at) == next) {
    auto step = affine_step(*at->producer(), channels);
    if (!step) break;
    next = step->node;
    at = step->input;
    all_keep_shape = all_keep_shape && keeps_any_shape(*step, channels);
    steps.push_back(std::move(*step));
    if (all_keep_shape || has_channels(*at, channels)) sure = steps.size();
  }
  steps.resize(sure);
  return steps;
}

}  // namespace hone
