#include "ep/probe/dump.h"

#include <array>
#include <unordered_map>
#include <utility>

#include "ep/element_types.h"
#include "ep/graph.h"

namespace hone::ep::probe {
namespace {

std::string kind_name(OnnxType kind) {
  constexpr std::array names = {"unknown", "tensor",        "sequence", "map",
                                "opaque",  "sparse_tensor", "optional"};
  const auto index = static_cast<std::size_t>(kind);
  return index < names.size() ? names[index] : names[0];
}

std::vector<Json> shape_of(const std::vector<Dim>& dims) {
  std::vector<Json> shape;
  for (const Dim& dim : dims) {
    if (dim.value) {
      shape.emplace_back(*dim.value);
    } else if (!dim.symbol.empty()) {
      shape.emplace_back(dim.symbol);
    } else {
      shape.emplace_back();
    }
  }
  return shape;
}

ProbeValue describe(const GraphValue& value) {
  ProbeValue described;
  described.name = value.name;
  described.kind = kind_name(value.type.kind);
  if (value.type.is_tensor()) described.type = element_name(value.type.element);
  if (value.type.shape) described.shape = shape_of(*value.type.shape);
  described.constant = value.is_constant;
  described.initializer = value.is_constant;
  return described;
}

// Every value once, in the order of first mention.
class ValueList {
 public:
  ProbeValue& add(const GraphValue& value) {
    const auto [found, is_new] = places_.emplace(value.name, values_.size());
    if (is_new) values_.push_back(describe(value));
    return values_[found->second];
  }
  std::vector<std::string> add_all(const std::vector<GraphValue>& values) {
    std::vector<std::string> names;
    for (const GraphValue& value : values) names.push_back(add(value).name);
    return names;
  }
  std::vector<std::string> add_all(const std::vector<std::optional<GraphValue>>& values) {
    std::vector<std::string> names;
    for (const auto& value : values) names.push_back(value ? add(*value).name : "");
    return names;
  }
  std::vector<ProbeValue> take() { return std::move(values_); }

 private:
  std::vector<ProbeValue> values_;
  std::unordered_map<std::string, std::size_t> places_;
};

Result<ProbeGraph> dump_one(const Ort& ort, const OrtGraph* graph);

Result<std::vector<ProbeSubgraph>> dump_subgraphs(const Ort& ort, const GraphNode& node) {
  std::vector<ProbeSubgraph> dumped;
  if (!node.holds_subgraph) return dumped;
  HONE_TRY(const auto count, ask<std::size_t>(ort, ort.api.Node_GetNumSubgraphs, node.handle));
  std::vector<const OrtGraph*> graphs(count);
  std::vector<const char*> attributes(count);
  HONE_TRY_DO(
      check(ort, ort.api.Node_GetSubgraphs(node.handle, graphs.data(), count, attributes.data())));
  for (std::size_t i = 0; i < count; ++i) {
    HONE_TRY(ProbeGraph graph, dump_one(ort, graphs[i]));
    dumped.push_back({attributes[i], std::move(graph)});
  }
  return dumped;
}

Result<std::vector<GraphValue>> list_values(const Ort& ort, const OrtGraph* graph, auto count,
                                            auto list) {
  HONE_TRY(const auto handles, ask_all<const OrtValueInfo*>(ort, graph, count, list));
  return read_values(ort, handles);
}

Result<ProbeGraph> dump_one(const Ort& ort, const OrtGraph* graph) {
  const Api& api = ort.api;
  ProbeGraph dumped;
  HONE_TRY(const char* name, ask<const char*>(ort, api.Graph_GetName, graph));
  dumped.name = name ? name : "";
  HONE_TRY(const auto inputs, list_values(ort, graph, api.Graph_GetNumInputs, api.Graph_GetInputs));
  HONE_TRY(const auto initializers,
           list_values(ort, graph, api.Graph_GetNumInitializers, api.Graph_GetInitializers));
  HONE_TRY(const auto outputs,
           list_values(ort, graph, api.Graph_GetNumOutputs, api.Graph_GetOutputs));
  HONE_TRY(const auto nodes, read_nodes(ort, graph));

  ValueList values;
  dumped.inputs = values.add_all(inputs);
  for (const GraphValue& value : initializers) values.add(value).initializer = true;
  for (const GraphNode& node : nodes) {
    ProbeNode& entry = dumped.nodes.emplace_back();
    entry.name = node.name;
    entry.op = node.op;
    entry.domain = node.domain;
    entry.since_version = node.since_version;
    entry.inputs = values.add_all(node.inputs);
    entry.outputs = values.add_all(node.outputs);
    entry.implicit_inputs = node.implicit_inputs;
    HONE_TRY(entry.subgraphs, dump_subgraphs(ort, node));
  }
  dumped.outputs = values.add_all(outputs);
  dumped.values = values.take();
  return dumped;
}

}  // namespace

Result<ProbeDump> dump_graph(const Ort& ort, const OrtGraph* graph) {
  ProbeDump dump;
  dump.ort_version = ort.version;
  HONE_TRY(dump.ir_version, ask<std::int64_t>(ort, ort.api.Graph_GetOnnxIRVersion, graph));
  HONE_TRY(const auto opsets, read_opsets(ort, graph));
  for (const Opset& opset : opsets) dump.opsets[opset.domain] = opset.version;
  HONE_TRY(dump.graph, dump_one(ort, graph));
  return dump;
}

}  // namespace hone::ep::probe
