#pragma once
// What an OrtGraph holds, as plain structs. Names and types are copied; the handles beside them are
// valid as long as the graph is.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ep/ort.h"

namespace hone::ep {

// A number, a symbol, or neither when it is unknown.
struct Dim {
  std::optional<std::int64_t> value;
  std::string symbol;
};

struct ValueType {
  OnnxType kind = type_unknown;
  int element = 0;                        // of tensors: a number of element_types.h
  std::optional<std::vector<Dim>> shape;  // of tensors; absent when not even the rank is known

  bool is_tensor() const { return kind == type_tensor; }
  bool is_static() const;
  // Unknown dimensions count as one, so this is a lower bound for them.
  std::uint64_t least_elements() const;
};

struct GraphValue {
  const OrtValueInfo* handle = nullptr;
  std::string name;
  ValueType type;
  bool is_constant = false;  // an initializer that no caller may override
};

struct GraphNode {
  const OrtNode* handle = nullptr;
  std::string name;
  std::string op;
  std::string domain;
  int since_version = 0;
  // An entry is absent where an optional input or output is left out.
  std::vector<std::optional<GraphValue>> inputs;
  std::vector<std::optional<GraphValue>> outputs;
  std::vector<std::string> implicit_inputs;  // what its subgraphs use of the graphs around them
  bool holds_subgraph = false;

  // By its name, else by its op and what it makes.
  std::string described() const;
};

Result<GraphValue> read_value(const Ort& ort, const OrtValueInfo* value);
Result<std::vector<GraphValue>> read_values(const Ort& ort,
                                            const std::vector<const OrtValueInfo*>& values);
Result<GraphNode> read_node(const Ort& ort, const OrtNode* node);
// In topological order.
Result<std::vector<GraphNode>> read_nodes(const Ort& ort, const OrtGraph* graph);

// The graph is not the body of a control-flow node.
Result<bool> is_top_level(const Ort& ort, const OrtGraph* graph);
Result<std::string> model_path(const Ort& ort, const OrtGraph* graph);

struct Opset {
  std::string domain;
  std::int64_t version = 0;
};
Result<std::vector<Opset>> read_opsets(const Ort& ort, const OrtGraph* graph);

// Empty when the node has no such attribute, or it is of another kind.
Result<std::string> string_attribute(const Ort& ort, const OrtNode* node, const char* name);
Result<std::int64_t> int_attribute(const Ort& ort, const OrtNode* node, const char* name,
                                   std::int64_t otherwise);

}  // namespace hone::ep
