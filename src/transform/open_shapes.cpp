#include "transform/open_shapes.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "transform/patterns.h"

namespace hone {
namespace {

struct DataDependent {
  std::string_view op;
  std::string_view why;
};
constexpr auto data_dependent = std::to_array<DataDependent>({
    {"NonZero", "how many elements are not zero is only known when it runs"},
    {"NonMaxSuppression", "how many boxes are left is only known when it runs"},
    {"Unique", "how many elements differ is only known when it runs"},
    {"Compress", "how many elements are chosen is only known when it runs"},
    {"Loop", "how often it runs is only known when it runs"},
    {"If", "which branch is taken is only known when it runs"},
    {"Scan", "what it makes in each step is not known"},
    {"SequenceAt", "what a sequence holds is only known when it runs"},
    {"ConcatFromSequence", "what a sequence holds is only known when it runs"},
    {"SplitToSequence", "what a sequence holds is only known when it runs"},
    {"StringSplit", "how many parts there are is only known when it runs"},
});

// Ops whose result is as large as the numbers of an input say, and from which input on they do.
struct SizedByInput {
  std::string_view op;
  std::size_t first;
};
constexpr auto sized_by_input = std::to_array<SizedByInput>({{"Reshape", 1},
                                                             {"Expand", 1},
                                                             {"Tile", 1},
                                                             {"Slice", 1},
                                                             {"Pad", 1},
                                                             {"Resize", 1},
                                                             {"Upsample", 1},
                                                             {"TopK", 1},
                                                             {"Split", 1},
                                                             {"OneHot", 1},
                                                             {"Range", 0},
                                                             {"ConstantOfShape", 0},
                                                             {"Squeeze", 1},
                                                             {"Unsqueeze", 1},
                                                             {"CenterCropPad", 1}});

std::string why_open(const Node& node) {
  for (const DataDependent& known : data_dependent)
    if (node.is(known.op)) return std::string(known.why);
  for (const SizedByInput& known : sized_by_input) {
    if (!node.is(known.op)) continue;
    for (std::size_t i = known.first; i < node.inputs().size(); ++i) {
      const Value* input = node.input(i);
      if (input != nullptr && !input->constant())
        return "its sizes are computed: '" + input->name() + "' is only known when it runs";
    }
  }
  return "ONNX Runtime does not know what shape it makes";
}

bool makes_open(const Node& node) {
  return std::ranges::any_of(
      node.outputs(), [](const Value* output) { return output != nullptr && is_open(*output); });
}

bool holds_open(const Node& node) {
  return std::ranges::any_of(node.subgraphs(), [](const Graph* inner) {
    return std::ranges::any_of(inner->nodes(),
                               [](const Node& one) { return makes_open(one) || holds_open(one); });
  });
}

bool is_fed_open(const Node& node) {
  return std::ranges::any_of(
      node.inputs(), [](const Value* input) { return input != nullptr && is_open(*input); });
}

const Value* first_open_output(const Node& node) {
  for (const Value* output : node.outputs())
    if (output != nullptr && is_open(*output)) return output;
  return nullptr;
}

std::uint64_t count_open(const Graph& graph) {
  std::uint64_t count = 0;
  for (const Node& node : graph.nodes()) {
    for (const Value* output : node.outputs())
      count += output != nullptr && is_open(*output) ? 1 : 0;
    for (const Graph* inner : node.subgraphs()) count += count_open(*inner);
  }
  return count;
}

std::string label_of(const Node& node) {
  if (!node.name.empty()) return node.name;
  for (const Value* output : node.outputs())
    if (output != nullptr) return output->name();
  return {};
}

}  // namespace

bool is_open(const Value& value) {
  if (value.constant() || value.initializer() || value.sparse_initializer()) return false;
  const bool is_tensor = !value.type.is_known() || value.type.is_tensor();
  return is_tensor && !static_shape(&value);
}

std::uint64_t count_open(const Model& model) { return count_open(*model.graph); }

std::vector<OpenShape> list_open(const Model& model) {
  std::vector<OpenShape> found;
  for (const Node& node : model.graph->nodes()) {
    if (is_fed_open(node) || !(makes_open(node) || holds_open(node))) continue;
    const Value* value = first_open_output(node);
    found.push_back({label_of(node), node.op_type, value != nullptr ? value->name() : "",
                     value != nullptr ? why_open(node) : "what is inside it has no fixed size"});
  }
  return found;
}

}  // namespace hone
