#include "transform/conv_batch_norm.h"

#include <algorithm>
#include <cmath>

#include "transform/linear.h"
#include "transform/patterns.h"

namespace hone {
namespace {

// A hostile tree must not use up the stack.
constexpr int deepest = 64;

struct ConstantLeaf {
  Node* add;
  std::size_t index;  // which input of it
};

struct Tree {
  std::vector<Linear> convs;
  std::vector<ConstantLeaf> constants;
};

bool is_inference(const Node& norm) {
  const auto& outputs = norm.outputs();
  const bool has_one_output =
      std::ranges::count_if(outputs, [](const Value* value) { return value != nullptr; }) == 1;
  // Until opset 8 `spatial` 0 meant statistics for each place.
  return norm.inputs().size() == 5 && has_one_output && norm.output(0) != nullptr &&
         norm.int_or("training_mode", 0) == 0 && norm.int_or("spatial", 1) == 1;
}

// scale * (x - mean) / sqrt(var + epsilon) + B, for each channel.
std::optional<Affine> affine_of(const Node& norm) {
  std::array<std::vector<double>, 4> parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    auto numbers = doubles_of(norm.input(i + 1));
    if (!numbers) return std::nullopt;
    parameters[i] = std::move(*numbers);
    if (parameters[i].size() != parameters[0].size()) return std::nullopt;
  }
  const auto& [scale, bias, mean, variance] = parameters;
  const double epsilon = norm.float_or("epsilon", 1e-5F);
  Affine affine = Affine::identity(scale.size());
  for (std::size_t i = 0; i < scale.size(); ++i) {
    if (!(variance[i] + epsilon > 0)) return std::nullopt;
    affine.scale[i] = scale[i] / std::sqrt(variance[i] + epsilon);
    affine.offset[i] = bias[i] - affine.scale[i] * mean[i];
  }
  return affine;
}

// Collects the leaves below an Add; says what stands in the way, or nothing.
std::string collect(Node& add, std::size_t channels, int depth, Tree& tree) {
  if (depth == deepest) return "its sum is too deep";
  for (std::size_t i = 0; i < 2; ++i) {
    Value* value = add.input(i);
    if (value != nullptr && value->constant()) {
      tree.constants.push_back({&add, i});
      continue;
    }
    Node* node = value != nullptr ? value->producer() : nullptr;
    if (node == nullptr || !(node->is("Add") || node->is("Conv"))) {
      return "a summand is neither a Conv nor a constant";
    }
    if (only_consumer(*value) != &add) return "somebody else uses a summand";
    if (node->is("Add")) {
      std::string problem = collect(*node, channels, depth + 1, tree);
      if (!problem.empty()) return problem;
      continue;
    }
    const auto conv = linear_of(*node);
    if (!conv) return "the weights of a Conv are no constants";
    const bool is_alike = tree.convs.empty() || tree.convs.front().out.rank == conv->out.rank;
    if (conv->out.count != channels || !is_alike) return "a Conv has channels of another kind";
    tree.convs.push_back(*conv);
  }
  return {};
}

// The constant times the scale of each channel; null when it is too large or does not fit.
TensorPtr scaled(const Value& constant, const Affine& affine, std::size_t rank) {
  const TensorPtr tensor = constant.constant();
  if (!is_float(tensor->type) || tensor->dims.size() > rank) return nullptr;
  std::vector<std::int64_t> per_channel(rank - 1, 1);
  per_channel.front() = static_cast<std::int64_t>(affine.scale.size());
  std::vector<std::int64_t> dims = tensor->dims;
  while (dims.size() < per_channel.size()) dims.insert(dims.begin(), 1);
  const std::size_t channel_axis = dims.size() - per_channel.size();
  if (dims[channel_axis] == 1) dims[channel_axis] = per_channel.front();
  constexpr std::uint64_t most_elements = std::uint64_t{1} << 24;
  if (count_elements(dims).value_or(most_elements) >= most_elements) return nullptr;
  if (!can_broadcast(tensor->dims, dims) || !can_broadcast(per_channel, dims)) return nullptr;
  const auto numbers = doubles_of(&constant);
  if (!numbers) return nullptr;
  std::vector<double> products = broadcast(*numbers, tensor->dims, dims);
  const std::vector<double> factors = broadcast(affine.scale, per_channel, dims);
  for (std::size_t i = 0; i < products.size(); ++i) products[i] *= factors[i];
  return encode(constant.name() + "_folded", tensor->type, dims, products);
}

// All new constants first, so that nothing is changed when one of them cannot be made.
void fold(Rewriter& rewriter, Node& norm, const Tree& tree, const Affine& affine) {
  std::vector<Folded> weights;
  std::vector<TensorPtr> constants;
  const Affine scale_only{affine.scale, std::vector<double>(affine.scale.size(), 0)};
  for (const Linear& conv : tree.convs) {
    weights.push_back(fold_after(conv, weights.empty() ? affine : scale_only));
    if (!weights.back().is_valid) return rewriter.decline(norm, out_of_range);
  }
  for (const ConstantLeaf& leaf : tree.constants) {
    constants.push_back(scaled(*leaf.add->input(leaf.index), affine, *tree.convs.front().out.rank));
    if (!constants.back()) return rewriter.decline(norm, "a constant of the sum cannot be scaled");
  }
  for (std::size_t i = 0; i < weights.size(); ++i) apply(rewriter, tree.convs[i], weights[i]);
  for (std::size_t i = 0; i < constants.size(); ++i) {
    const ConstantLeaf& leaf = tree.constants[i];
    leaf.add->set_input(leaf.index, &rewriter.add_constant(*leaf.add, constants[i]));
  }
  rewriter.replace(*norm.output(0), *norm.input(0));
}

}  // namespace

void fold_batch_normalization(Rewriter& rewriter,
                              const std::function<bool(const Node&)>& accepted) {
  for (Node* norm : rewriter.nodes("BatchNormalization")) {
    Node* add = norm->is_removed() ? nullptr : producer_of(norm->input(0), "Add");
    if (add == nullptr || !accepted(*add)) continue;
    if (!rewriter.has_opset(*norm, "BatchNormalization without is_test", 7)) continue;
    const auto affine = is_inference(*norm) ? affine_of(*norm) : std::nullopt;
    if (!affine) {
      rewriter.decline(*norm, "its parameters are no constants, or it is for training");
      continue;
    }
    Tree tree;
    std::string problem = only_consumer(*norm->input(0)) != norm
                              ? "somebody else uses the sum"
                              : collect(*add, affine->scale.size(), 0, tree);
    if (problem.empty() && tree.convs.empty()) problem = "no Conv is among the summands";
    if (!problem.empty()) {
      rewriter.decline(*norm, problem);
      continue;
    }
    fold(rewriter, *norm, tree, *affine);
  }
}

}  // namespace hone
