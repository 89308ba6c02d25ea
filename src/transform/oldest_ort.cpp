#include "transform/oldest_ort.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace hone {
namespace {

// The minor version: all are 1.x.
struct Release {
  std::int64_t most;  // opset or IR version it takes
  int minor;
};

// The first release that takes the opset, from ONNX Runtime's own table of versions. Models below
// what is listed first open everywhere.
constexpr auto opsets = std::to_array<Release>({{11, 2},
                                                {12, 3},
                                                {13, 6},
                                                {14, 8},
                                                {15, 9},
                                                {16, 11},
                                                {17, 12},
                                                {18, 14},
                                                {19, 16},  // 1.15 knows it and lacks kernels
                                                {20, 17},
                                                {21, 18},
                                                {22, 21},
                                                {23, 23},
                                                {25, 24},
                                                {26, 25}});
constexpr auto ir_versions =
    std::to_array<Release>({{6, 2}, {7, 3}, {8, 9}, {9, 15}, {10, 18}, {11, 23}, {13, 24}});

// Ops of com.microsoft that hone or those who made the model may have written.
struct ContribOp {
  std::string_view op;
  int minor;
};
constexpr auto contrib_ops = std::to_array<ContribOp>({{"DynamicQuantizeLSTM", 6},
                                                       {"SkipSimplifiedLayerNormalization", 15},
                                                       {"MultiHeadAttention", 14},
                                                       {"GroupQueryAttention", 17},
                                                       {"RotaryEmbedding", 17},
                                                       {"MatMulNBits", 16},
                                                       {"GatherBlockQuantized", 20}});

struct Asked {
  int minor = 0;
  std::string because;

  void by(int other, std::string reason) {
    if (other <= minor) return;
    minor = other;
    because = std::move(reason);
  }
};

template <std::size_t Count>
int release_of(const std::array<Release, Count>& releases, std::int64_t version) {
  const auto found = std::ranges::lower_bound(releases, version, {}, &Release::most);
  return found != releases.end() ? found->minor : releases.back().minor + 1;
}

ElementType type_of(const Value* value) {
  if (value == nullptr) return ElementType::undefined;
  if (value->initializer()) return value->initializer()->type;
  const TensorPtr constant = value->constant();
  return constant ? constant->type : value->type.element;
}

bool is_16_bit_integer(ElementType type) {
  return type == ElementType::int16 || type == ElementType::uint16;
}

void ask_for_contrib(const Node& node, Asked& asked) {
  const auto found = std::ranges::find(contrib_ops, node.op_type, &ContribOp::op);
  if (found != contrib_ops.end()) asked.by(found->minor, node.op_type);
  const bool converts = node.op_type == "QuantizeLinear" || node.op_type == "DequantizeLinear";
  if (converts && is_16_bit_integer(type_of(node.input(2))))
    asked.by(17, "16-bit " + node.op_type + " of com.microsoft");
}

void ask_for(const Node& node, Asked& asked) {
  if (node.domain == "com.microsoft") return ask_for_contrib(node, asked);
  // Before, only uint8 filters had a kernel.
  if (node.is("ConvInteger") && type_of(node.input(1)) == ElementType::int8)
    asked.by(24, "ConvInteger with int8 weights");
}

}  // namespace

OldestOrt oldest_ort_for(const Model& model) {
  Asked asked;
  asked.by(release_of(opsets, model.opset()), "opset " + std::to_string(model.opset()));
  asked.by(release_of(ir_versions, model.ir_version),
           "IR version " + std::to_string(model.ir_version));
  for_each_graph(model, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) ask_for(node, asked);
  });
  return {"1." + std::to_string(asked.minor), std::move(asked.because)};
}

}  // namespace hone
