#include "inspect/analyze/features.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <unordered_map>

#include "inspect/facts.h"
#include "inspect/precision.h"
#include "inspect/quantized_ops.h"
#include "model/denormals.h"
#include "transform/detect/detectors.h"
#include "transform/match/attention.h"
#include "transform/match/norm.h"

namespace hone {
namespace {

constexpr std::array convolutions = {
    std::string_view("Conv"),        std::string_view("ConvTranspose"),
    std::string_view("ConvInteger"), std::string_view("QLinearConv"),
    std::string_view("FusedConv"),   std::string_view("DeformConv")};
constexpr std::array products = {std::string_view("MatMul"),
                                 std::string_view("Gemm"),
                                 std::string_view("MatMulInteger"),
                                 std::string_view("QLinearMatMul"),
                                 std::string_view("QGemm"),
                                 std::string_view("FusedMatMul"),
                                 std::string_view("FusedGemm"),
                                 std::string_view("MatMulNBits"),
                                 std::string_view("MatMulIntegerToFloat"),
                                 std::string_view("DynamicQuantizeMatMul")};
constexpr std::array attentions = {
    std::string_view("Attention"), std::string_view("MultiHeadAttention"),
    std::string_view("GroupQueryAttention"), std::string_view("QAttention")};
constexpr std::array norms = {std::string_view("LayerNormalization"),
                              std::string_view("SkipLayerNormalization"),
                              std::string_view("BatchNormalization"),
                              std::string_view("InstanceNormalization"),
                              std::string_view("GroupNormalization"),
                              std::string_view("RMSNormalization"),
                              std::string_view("SimplifiedLayerNormalization"),
                              std::string_view("SkipSimplifiedLayerNormalization"),
                              std::string_view("EmbedLayerNormalization")};

bool is_one_of(std::span<const std::string_view> ops, const Node& node) {
  return std::ranges::find(ops, node.op_type) != ops.end();
}

// By node the number of nodes on the longest way to it. A subgraph's values are those of the node
// that holds it.
std::uint64_t depth_of(const Graph& graph) {
  std::unordered_map<const Node*, std::uint64_t> depths;
  std::uint64_t deepest = 0;
  for (const Node& node : graph.nodes()) {
    std::uint64_t depth = 0;
    for (const Value* input : node.inputs()) {
      const Node* producer = input != nullptr ? input->producer() : nullptr;
      if (const auto found = depths.find(producer); found != depths.end()) {
        depth = std::max(depth, found->second);
      }
    }
    if (!node.is("Constant")) ++depth;
    depths.emplace(&node, depth);
    deepest = std::max(deepest, depth);
  }
  return deepest;
}

struct Counts {
  std::uint64_t nodes = 0;
  std::uint64_t convolutions = 0;
  std::uint64_t products = 0;
  std::uint64_t transposes = 0;
};

void count(Node& node, Counts& counts, GraphFeatures& features) {
  ++counts.nodes;
  if (is_one_of(convolutions, node)) ++counts.convolutions;
  if (is_one_of(products, node)) ++counts.products;
  if (node.is("Transpose")) ++counts.transposes;
  const bool is_attention =
      is_one_of(attentions, node) || (node.is("Softmax") && match_attention(node).has_value());
  if (is_attention) ++features.attentions;
  const bool is_norm = is_one_of(norms, node) || detect::is_rms_norm(node) ||
                       match_layer_norm(node) || match_tf_layer_norm(node);
  if (is_norm) ++features.normalizations;
  if (is_quantize(&node) || is_dequantize(&node)) features.has_qdq = true;
  if (quantized_op(node) != nullptr) features.is_quantized = true;
  if (is_dequantize(&node) && weight_behind(node.input(0)) != nullptr)
    ++features.dequantized_weights;
  features.subgraphs += node.subgraphs().size();
}

double share(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

}  // namespace

GraphFeatures gather_features(const Model& model) {
  GraphFeatures features;
  Counts counts;
  for_each_graph(model, [&](Graph& graph) {
    for (Node& node : graph.nodes()) {
      if (node.output(0) != nullptr) count(node, counts, features);
    }
  });
  features.opset = model.opset();
  features.nodes = counts.nodes;
  features.op_counts = count_ops(model);
  features.conv_share = share(counts.convolutions, counts.nodes);
  features.matmul_share = share(counts.products, counts.nodes);
  features.transpose_share = share(counts.transposes, counts.nodes);
  const WeightTotals weights = count_weights(model);
  for (const auto& [type, bytes] : weights.bytes) features.weight_bytes += bytes;
  features.parameters = weights.parameters;
  std::set<std::string> open;
  for (const DynamicAxis& axis : list_dynamic_axes(model)) open.insert(axis.input);
  features.dynamic_inputs = open.size();
  features.depth = depth_of(*model.graph);
  features.functions = model.functions.size();
  features.precision = precision_of(model);
  const DenormalCount denormals = count_denormal_weights(model);
  features.float_weights = denormals.total;
  features.denormal_weights = denormals.denormal;
  return features;
}

std::vector<DynamicAxis> list_dynamic_axes(const Model& model) {
  std::vector<DynamicAxis> axes;
  for (const Value* input : model.graph->inputs()) {
    if (input->initializer() || !input->type.shape) continue;
    const Shape& shape = *input->type.shape;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (shape[axis].value) continue;
      DynamicAxis& open = axes.emplace_back();
      open.input = input->name();
      open.axis = static_cast<std::int64_t>(axis);
      if (!shape[axis].symbol.empty()) open.symbol = shape[axis].symbol;
    }
  }
  return axes;
}

}  // namespace hone
