#pragma once
// A graph as ONNX Runtime sees it, with its own inference of types and shapes: what the probe EP
// writes and everybody who needs shapes reads.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/fields.h"

namespace hone {

inline constexpr std::int64_t probe_graph_schema = 1;

struct ProbeValue {
  std::string name;
  std::string kind;  // tensor, sparse_tensor, sequence, map, optional, opaque, unknown
  std::optional<std::string> type;  // of tensors, ONNX's own word: "float", "int64"
  // Per dimension its size, its symbol, or null when unknown. Null where not even the rank is
  // known.
  std::optional<std::vector<Json>> shape;
  bool initializer = false;
  bool constant = false;  // an initializer that no caller may override
};
template <RecordOf<ProbeValue> Self>
void for_each_field(Self& value, auto&& field) {
  field("name", value.name, Presence::required);
  field("kind", value.kind, Presence::required);
  field("type", value.type);
  field("shape", value.shape);
  field("initializer", value.initializer);
  field("constant", value.constant);
}

struct ProbeSubgraph;

struct ProbeNode {
  std::string name;
  std::string op;
  std::string domain;
  std::int64_t since_version = 0;
  std::vector<std::string> inputs;  // empty where an optional one is left out
  std::vector<std::string> outputs;
  std::vector<std::string> implicit_inputs;  // what its subgraphs use of the graphs around them
  std::vector<ProbeSubgraph> subgraphs;
};

struct ProbeGraph {
  std::string name;
  std::vector<std::string> inputs;  // those without a default
  std::vector<std::string> outputs;
  std::vector<ProbeValue> values;  // in the order in which the graph mentions them
  std::vector<ProbeNode> nodes;    // in topological order
};

struct ProbeSubgraph {
  std::string attribute;
  ProbeGraph graph;
};

struct ProbeDump {
  std::string ort_version;
  std::int64_t ir_version = 0;
  std::map<std::string, std::int64_t> opsets;
  ProbeGraph graph;
};

template <RecordOf<ProbeNode> Self>
void for_each_field(Self& node, auto&& field) {
  field("name", node.name, Presence::required);
  field("op", node.op, Presence::required);
  field("domain", node.domain);
  field("since_version", node.since_version);
  field("inputs", node.inputs);
  field("outputs", node.outputs);
  field("implicit_inputs", node.implicit_inputs);
  field("subgraphs", node.subgraphs);
}

template <RecordOf<ProbeGraph> Self>
void for_each_field(Self& graph, auto&& field) {
  field("name", graph.name);
  field("inputs", graph.inputs);
  field("outputs", graph.outputs);
  field("values", graph.values);
  field("nodes", graph.nodes);
}

template <RecordOf<ProbeSubgraph> Self>
void for_each_field(Self& subgraph, auto&& field) {
  field("attribute", subgraph.attribute, Presence::required);
  field("graph", subgraph.graph, Presence::required);
}

template <RecordOf<ProbeDump> Self>
void for_each_field(Self& dump, auto&& field) {
  field("ort_version", dump.ort_version);
  field("ir_version", dump.ir_version);
  field("opsets", dump.opsets);
  field("graph", dump.graph, Presence::required);
}

}  // namespace hone
