#include "transform/quantize/taps.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "base/text.h"

namespace hone {
namespace {

Result<Value*> find_tensor(const Model& model, const std::string& name) {
  Value* value = model.graph->find(name);
  if (value != nullptr) return value;
  return fail(Fault::bad_input, "the model has no tensor '" + printable(name) + "'");
}

// A node whose output is one of the model's; returns its name.
std::string add_output(Graph& graph, std::string op, Value& input, Type type) {
  Value& output = graph.add_value(input.name() + "_" + op, std::move(type));
  graph.add_node(std::move(op), {&input}, {&output});
  graph.add_output(output);
  return output.name();
}

// Values in the order in which the graph makes them, the last one first.
Result<std::vector<Value*>> last_first(const Model& model,
                                       const std::vector<std::string>& tensors) {
  std::unordered_map<const Node*, std::size_t> position;
  for (const Node& node : model.graph->nodes()) position.emplace(&node, position.size() + 1);
  std::vector<Value*> values;
  for (const std::string& name : tensors) {
    HONE_TRY(Value * value, find_tensor(model, name));
    values.push_back(value);
  }
  const auto made_at = [&](const Value* value) {
    return value->producer() != nullptr ? position.at(value->producer()) : 0;
  };
  std::ranges::stable_sort(values, std::greater(), made_at);
  return values;
}

}  // namespace

Result<ExtremeTaps> tap_extremes(const Model& model, const std::vector<std::string>& tensors,
                                 bool with_magnitudes) {
  ExtremeTaps made{clone(model), {}};
  Graph& graph = *made.model.graph;
  // ONNX Runtime starts at the last node without consumers and runs what that one needs. So the
  // reductions of early tensors have to come last, or else every tensor waits for its own until the
  // end of the run (measured on RoBERTa: 430 MB).
  HONE_TRY(const std::vector<Value*> values, last_first(made.model, tensors));
  for (Value* value : values) {
    const Type type = Type::tensor(value->type.element);
    ExtremeTap tap;
    tap.tensor = value->name();
    // All dimensions are kept as 1: ONNX Runtime refuses to drop one of size 0.
    tap.low = add_output(graph, "ReduceMin", *value, type);
    tap.high = add_output(graph, "ReduceMax", *value, type);
    tap.elements = add_output(graph, "Size", *value, Type::tensor(ElementType::int64, Shape()));
    if (with_magnitudes) {
      Value& magnitudes = graph.add_value(tap.tensor + "_Abs", value->type);
      graph.add_node("Abs", {value}, {&magnitudes});
      tap.least_magnitude = add_output(graph, "ReduceMin", magnitudes, type);
    }
    made.taps.push_back(std::move(tap));
  }
  return made;
}

Result<ValueTaps> tap_values(const Model& model, const std::vector<std::string>& tensors) {
  ValueTaps made{clone(model), {}};
  Graph& graph = *made.model.graph;
  for (const std::string& name : tensors) {
    HONE_TRY(Value * value, find_tensor(made.model, name));
    if (value->is_graph_output()) {
      made.taps.push_back({name, name});
    } else if (value->producer() == nullptr) {
      // An input cannot be an output as well.
      made.taps.push_back({name, add_output(graph, "Identity", *value, value->type)});
    } else {
      graph.add_output(*value);
      made.taps.push_back({name, name});
    }
  }
  return made;
}

}  // namespace hone
