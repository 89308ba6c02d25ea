#include "transform/quantize/widen.h"

#include <algorithm>

#include "model/edit.h"
#include "model/elements.h"
#include "transform/quantize/fp16_ops.h"

namespace hone {
namespace {

constexpr auto float16 = ElementType::float16;
constexpr auto float32 = ElementType::float32;

bool says_float16(const Type& type) {
  return type.element == float16 || (type.inner && says_float16(*type.inner));
}

Type widened(Type type) {
  if (type.element == float16) type.element = float32;
  if (type.inner) type.inner = std::make_shared<const Type>(widened(*type.inner));
  return type;
}

Result<TensorPtr> widened(const Tensor& tensor) {
  HONE_TRY(const std::string_view bytes, tensor.bytes());
  std::vector<double> numbers(tensor.element_count());
  decode_elements(float16, bytes, numbers);
  const std::vector<float> floats(numbers.begin(), numbers.end());
  std::string wide(reinterpret_cast<const char*>(floats.data()), floats.size() * sizeof(float));
  auto made = std::make_shared<Tensor>();
  made->name = tensor.name;
  made->type = float32;
  made->dims = tensor.dims;
  made->dense = Blob::own(std::move(wide));
  made->doc = tensor.doc;
  made->metadata = tensor.metadata;
  return TensorPtr(std::move(made));
}

class Widener {
 public:
  explicit Widener(Model& model) : model_(model) {}

  Result<WidenReport> run() {
    find_interface();
    HONE_TRY_DO(widen_tensors());
    for_each_graph(model_, [](Graph& graph) {
      for (Value* value : graph.values()) value->type = widened(std::move(value->type));
      for (Node& node : graph.nodes()) say_type(node, float16, float32);
    });
    for (Value* input : inputs_) cast_input(*input);
    for (const std::size_t index : outputs_) cast_output(index);
    for_each_graph(model_, remove_idle_casts);
    HONE_TRY_DO(sort_topologically(*model_.graph));
    return report_;
  }

 private:
  // What callers hand in and get back, as it was.
  void find_interface() {
    const Graph& graph = *model_.graph;
    for (Value* input : graph.inputs()) {
      if (input->type.element == float16 && !input->initializer()) inputs_.push_back(input);
    }
    for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
      const Value& output = *graph.outputs()[i];
      if (output.type.element == float16 && !output.is_graph_input()) outputs_.push_back(i);
    }
  }

  Status widen_tensors() {
    Status status = done();
    map_tensors(model_, [&](const TensorPtr& tensor, const Node*) -> TensorPtr {
      if (tensor->type != float16 || !status) return tensor;
      auto wide = widened(*tensor);
      if (!wide) {
        status = fail(wide.error());
        return tensor;
      }
      ++report_.tensors;
      return std::move(*wide);
    });
    return status;
  }

  Node& add_cast(Value& from, Value& to) {
    Node& node = model_.graph->add_node("Cast", {&from}, {&to});
    node.set_attribute(make_attribute("to", static_cast<std::int64_t>(to.type.element)));
    ++report_.casts;
    return node;
  }

  void cast_input(Value& input) {
    Graph& graph = *model_.graph;
    Value& wide = graph.add_value(input.name() + "_" + name_of(float32), input.type);
    const std::vector<Use> uses = input.uses();
    for (const Use& use : uses) use.node->set_input(use.index, &wide);
    input.type.element = float16;
    add_cast(input, wide).name = wide.name() + "_cast";
  }

  // The caller's interface is the name.
  void cast_output(std::size_t index) {
    Graph& graph = *model_.graph;
    Value& wide = *graph.outputs()[index];
    const std::string promised = wide.name();
    Type type = wide.type;
    type.element = float16;
    graph.rename(wide, promised + "_" + name_of(float32));
    Value& output = graph.add_value(promised, std::move(type));
    graph.set_output(index, output);
    add_cast(wide, output).name = promised + "_cast";
  }

  static void remove_idle_casts(Graph& graph) {
    constexpr auto to_float = static_cast<std::int64_t>(float32);
    for (Node* node : graph.node_list()) {
      if (!node->is("Cast") || node->int_or("to", 0) != to_float) continue;
      Value& input = *node->input(0);
      Value& output = *node->output(0);
      const TensorPtr constant = input.constant();
      const ElementType from = constant ? constant->type : input.type.element;
      if (from != float32 || output.is_graph_output()) continue;
      graph.replace_uses(output, input);
      graph.remove_node(*node);
    }
  }

  Model& model_;
  WidenReport report_;
  std::vector<Value*> inputs_;
  std::vector<std::size_t> outputs_;
};

}  // namespace

bool has_float16(const Model& model) {
  bool found = false;
  for_each_tensor(model, [&](const TensorPtr& tensor, const Node*) {
    found = found || tensor->type == float16;
  });
  for_each_graph(model, [&](const Graph& graph) {
    found = found || std::ranges::any_of(graph.values(), [](const Value* value) {
              return says_float16(value->type);
            });
  });
  return found;
}

Result<WidenReport> widen_float16(Model& model) { return Widener(model).run(); }

}  // namespace hone
