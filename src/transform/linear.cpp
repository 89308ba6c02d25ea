#include "transform/linear.h"

#include <algorithm>

#include "model/elements.h"
#include "transform/patterns.h"

namespace hone {
namespace {

using Dims = std::vector<std::int64_t>;

std::size_t as_size(std::int64_t number) { return static_cast<std::size_t>(number); }

// The weight, when it is a constant of floats that is there; null otherwise.
const Tensor* float_constant(const Value* value) {
  const TensorPtr tensor = value != nullptr ? value->constant() : nullptr;
  const bool is_there = tensor && is_float(tensor->type) && holds_numbers(tensor->type) &&
                        tensor->bytes().has_value();
  return is_there ? tensor.get() : nullptr;
}

// Conv: [out, in / groups, kernel...]; ConvTranspose: [in, out / groups, kernel...].
std::optional<Linear> convolution(Node& node) {
  const Tensor* weight = float_constant(node.input(1));
  const std::int64_t groups = node.int_or("group", 1);
  if (weight == nullptr || weight->dims.size() < 3 || groups < 1) return std::nullopt;
  const std::int64_t first = weight->dims[0];
  if (weight->element_count() == 0 || first % groups != 0) return std::nullopt;
  std::int64_t second = 0;
  if (__builtin_mul_overflow(weight->dims[1], groups, &second)) return std::nullopt;
  Linear linear{.node = &node, .last = &node, .weight = node.input(1), .bias_index = 2};
  linear.inputs_first = node.is("ConvTranspose");
  linear.groups = as_size(groups);
  const std::size_t rank = weight->dims.size();
  linear.out = {as_size(linear.inputs_first ? second : first), rank - 2, rank};
  linear.in = {as_size(linear.inputs_first ? first : second), rank - 2, rank};
  linear.bias = node.input(2);
  if (linear.bias == nullptr) return linear;
  const Tensor* bias = float_constant(linear.bias);
  const Dims wanted{static_cast<std::int64_t>(linear.out.count)};
  return bias != nullptr && bias->dims == wanted ? std::optional(linear) : std::nullopt;
}

// [in, out], or [out, in] in a Gemm with transB.
std::optional<Linear> product(Node& node) {
  const Tensor* weight = float_constant(node.input(1));
  if (weight == nullptr || weight->dims.size() != 2 || weight->element_count() == 0) {
    return std::nullopt;
  }
  Linear linear{.node = &node, .last = &node, .weight = node.input(1)};
  linear.inputs_first = node.int_or("transB", 0) == 0;
  const auto [first, second] = std::pair(as_size(weight->dims[0]), as_size(weight->dims[1]));
  linear.in = {linear.inputs_first ? first : second, 0};
  linear.out = {linear.inputs_first ? second : first, 0};
  return linear;
}

std::optional<Linear> gemm(Node& node) {
  auto linear = product(node);
  if (!linear) return std::nullopt;
  linear->in.rank = linear->out.rank = 2;
  linear->alpha = node.float_or("alpha", 1);
  linear->beta = node.float_or("beta", 1);
  linear->bias = node.input(2);
  linear->bias_index = 2;
  if (linear->bias != nullptr && !per_channel(*linear->bias, linear->out)) return std::nullopt;
  return linear;
}

std::optional<Linear> matmul(Node& node) {
  auto linear = product(node);
  if (!linear) return std::nullopt;
  linear->in.rank = rank_of(node.input(0));
  linear->out.rank = linear->in.rank;
  Node* add = only_consumer(*node.output(0));
  const auto operands = add != nullptr && add->is("Add") ? constant_operand(*add) : std::nullopt;
  if (!operands || !per_channel(*operands->constant, linear->out)) return linear;
  linear->last = add;
  linear->bias = operands->constant;
  linear->bias_index = operands->constant_index;
  return linear;
}

// Which channels an element of the weight connects, by the indices of its first two axes.
struct Connection {
  std::size_t in;
  std::size_t out;
};
Connection connection(const Linear& linear, std::size_t first, std::size_t second) {
  const std::size_t seconds_per_group =
      (linear.inputs_first ? linear.out.count : linear.in.count) / linear.groups;
  const std::size_t firsts_per_group =
      (linear.inputs_first ? linear.in.count : linear.out.count) / linear.groups;
  const std::size_t whole_second = first / firsts_per_group * seconds_per_group + second;
  return linear.inputs_first ? Connection{first, whole_second} : Connection{whole_second, first};
}

// Calls visit(element, connection) for each element of the weight.
void for_each_weight(const Linear& linear, std::vector<double>& weights, auto&& visit) {
  const Dims& dims = linear.weight->constant()->dims;
  const std::size_t kernel = weights.size() / as_size(dims[0] * dims[1]);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::size_t pair = i / kernel;
    visit(weights[i], connection(linear, pair / as_size(dims[1]), pair % as_size(dims[1])));
  }
}

// What is added to the result, one number per output channel.
std::vector<double> bias_numbers(const Linear& linear) {
  if (linear.bias == nullptr) return std::vector<double>(linear.out.count, 0);
  Channels channels = linear.out;
  if (!linear.is("Gemm") && !linear.is("MatMul")) channels.behind = 0;
  std::vector<double> numbers = per_channel(*linear.bias, channels).value();
  for (double& number : numbers) number *= linear.beta;
  return numbers;
}

bool is_all(const std::vector<double>& numbers, double wanted) {
  return std::ranges::all_of(numbers, [&](double number) { return number == wanted; });
}

// The new tensors; what did not change is left out.
Folded encoded(const Linear& linear, const Affine& affine, const std::vector<double>& weights,
               const std::vector<double>& bias) {
  const Tensor& old = *linear.weight->constant();
  Folded folded{.is_valid = true};
  if (!is_all(affine.scale, 1)) {
    folded.weight = encode(linear.weight->name() + "_folded", old.type, old.dims, weights);
    folded.is_valid = folded.weight != nullptr;
  }
  if (linear.bias != nullptr || !is_all(affine.offset, 0)) {
    const std::string name =
        linear.bias != nullptr ? linear.bias->name() + "_folded" : linear.weight->name() + "_bias";
    folded.bias = encode(name, old.type, {static_cast<std::int64_t>(linear.out.count)}, bias);
    folded.is_valid = folded.is_valid && folded.bias != nullptr;
  }
  return folded;
}

}  // namespace

std::optional<Linear> linear_of(Node& node) {
  if (node.output(0) == nullptr) return std::nullopt;
  if (node.is("Conv") || node.is("ConvTranspose")) return convolution(node);
  if (node.is("Gemm")) return gemm(node);
  if (node.is("MatMul")) return matmul(node);
  return std::nullopt;
}

Folded fold_after(const Linear& linear, const Affine& affine) {
  std::vector<double> weights = doubles_of(linear.weight).value();
  for_each_weight(linear, weights, [&](double& weight, const Connection& channel) {
    weight *= affine.scale[channel.out];
  });
  std::vector<double> bias = bias_numbers(linear);
  for (std::size_t i = 0; i < bias.size(); ++i) {
    bias[i] = bias[i] * affine.scale[i] + affine.offset[i];
  }
  return encoded(linear, affine, weights, bias);
}

Folded fold_before(const Linear& linear, const Affine& affine) {
  std::vector<double> weights = doubles_of(linear.weight).value();
  std::vector<double> bias = bias_numbers(linear);
  for_each_weight(linear, weights, [&](double& weight, const Connection& channel) {
    bias[channel.out] += linear.alpha * weight * affine.offset[channel.in];
    weight *= affine.scale[channel.in];
  });
  return encoded(linear, affine, weights, bias);
}

void apply(Rewriter& rewriter, const Linear& linear, const Folded& folded) {
  if (folded.weight) {
    linear.node->set_input(1, &rewriter.add_constant(*linear.node, folded.weight));
  }
  if (!folded.bias) return;
  linear.last->set_input(linear.bias_index, &rewriter.add_constant(*linear.last, folded.bias));
  if (linear.is("Gemm")) linear.node->remove_attribute("beta");
}

}  // namespace hone
