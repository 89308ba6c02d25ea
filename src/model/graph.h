#pragma once
// The graph: nodes and values, linked both ways. A value knows its producer and every use; changing
// a node's inputs goes through the node, so the use lists are always right. Subgraphs refer to
// values of the graphs around them directly: such a use is in the outer value's list like any
// other.
//
// Pointers and references to nodes and values stay valid for the life of the graph. Removed ones
// keep their memory until then, so a pass that walks a snapshot can ask is_removed().

#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "model/tensor.h"
#include "model/types.h"

namespace hone {

class Graph;
class Node;
class Value;

// The numbers are those of AttributeProto.AttributeType and the positions in Attribute::Held.
enum class AttributeType : std::int32_t {
  undefined = 0,
  float_ = 1,
  int_ = 2,
  string = 3,
  tensor = 4,
  graph = 5,
  floats = 6,
  ints = 7,
  strings = 8,
  tensors = 9,
  graphs = 10,
  sparse_tensor = 11,
  sparse_tensors = 12,
  type = 13,
  types = 14,
};

struct Attribute {
  using Ints = std::vector<std::int64_t>;
  using Floats = std::vector<float>;
  using Held = std::variant<std::monostate, float, std::int64_t, Blob, TensorPtr,
                            std::unique_ptr<Graph>, Floats, Ints, std::vector<Blob>,
                            std::vector<TensorPtr>, std::vector<std::unique_ptr<Graph>>,
                            SparseTensorPtr, std::vector<SparseTensorPtr>, Type, std::vector<Type>>;

  std::string name;
  Held held;
  std::string reference;  // inside functions: the name of the function's attribute it stands for
  AttributeType declared = AttributeType::undefined;  // what a reference is declared to be
  std::string doc;
  UnknownFields unknown;

  AttributeType type() const {
    return held.index() == 0 ? declared : static_cast<AttributeType>(held.index());
  }
  const std::int64_t* as_int() const { return std::get_if<std::int64_t>(&held); }
  const float* as_float() const { return std::get_if<float>(&held); }
  const Ints* as_ints() const { return std::get_if<Ints>(&held); }
  const Floats* as_floats() const { return std::get_if<Floats>(&held); }
  const Blob* as_string() const { return std::get_if<Blob>(&held); }
  TensorPtr as_tensor() const {
    const auto* tensor = std::get_if<TensorPtr>(&held);
    return tensor ? *tensor : nullptr;
  }
  // The subgraphs it holds: none, one, or several.
  std::vector<Graph*> graphs() const;
};

Attribute make_attribute(std::string name, std::int64_t value);
Attribute make_attribute(std::string name, float value);
Attribute make_attribute(std::string name, std::string value);
Attribute make_attribute(std::string name, Attribute::Ints value);
Attribute make_attribute(std::string name, Attribute::Floats value);
Attribute make_attribute(std::string name, TensorPtr value);

struct Use {
  Node* node;
  std::size_t index;  // which input
  bool operator==(const Use&) const = default;
};

class Value {
 public:
  Type type;
  std::string doc;
  Metadata metadata;
  UnknownFields unknown;

  const std::string& name() const { return name_; }
  Graph& graph() const { return *graph_; }
  Node* producer() const { return producer_; }  // null for inputs, initializers, undefined names
  std::size_t output_index() const { return output_index_; }
  const std::vector<Use>& uses() const { return uses_; }
  bool is_graph_input() const { return is_input_; }
  bool is_graph_output() const { return output_count_ > 0; }
  bool is_removed() const { return removed_; }
  bool is_used() const { return !uses_.empty() || output_count_ > 0; }

  const TensorPtr& initializer() const { return initializer_; }
  const SparseTensorPtr& sparse_initializer() const { return sparse_; }
  // The tensor when the value can never change: an initializer that no caller may override (it is
  // not also a graph input), or the output of a Constant node with a `value`.
  TensorPtr constant() const;

 private:
  friend class Graph;
  friend class Node;
  Value(Graph& graph, std::string name) : name_(std::move(name)), graph_(&graph) {}
  std::string name_;
  Graph* graph_;
  Node* producer_ = nullptr;
  std::size_t output_index_ = 0;
  std::vector<Use> uses_;
  TensorPtr initializer_;
  SparseTensorPtr sparse_;
  bool is_input_ = false;
  bool removed_ = false;
  int output_count_ = 0;
};

class Node {
 public:
  std::string op_type;
  std::string domain;  // "" and "ai.onnx" are the same domain; read as written
  std::string name;
  std::string overload;
  std::string doc;
  std::vector<Attribute> attributes;
  Metadata metadata;
  UnknownFields unknown;

  // An entry is null where an optional input or output is left out.
  const std::vector<Value*>& inputs() const { return inputs_; }
  const std::vector<Value*>& outputs() const { return outputs_; }
  Value* input(std::size_t index) const {
    return index < inputs_.size() ? inputs_[index] : nullptr;
  }
  Value* output(std::size_t index) const {
    return index < outputs_.size() ? outputs_[index] : nullptr;
  }
  Graph& graph() const { return *graph_; }
  bool is_removed() const { return removed_; }
  bool is_default_domain() const { return domain.empty() || domain == "ai.onnx"; }
  // An op of the default domain.
  bool is(std::string_view op) const { return is_default_domain() && op_type == op; }

  // Replaces one input (growing the list when needed; null leaves it out).
  void set_input(std::size_t index, Value* value);
  void set_inputs(std::vector<Value*> values);
  // Outputs are produced by exactly one node: REQUIRES that each value has no producer yet.
  void set_outputs(std::vector<Value*> values);

  const Attribute* attribute(std::string_view attribute_name) const;
  std::int64_t int_or(std::string_view attribute_name, std::int64_t otherwise) const;
  float float_or(std::string_view attribute_name, float otherwise) const;
  std::string string_or(std::string_view attribute_name, std::string_view otherwise) const;
  // Adds or replaces by name, in place.
  void set_attribute(Attribute attribute);
  bool remove_attribute(std::string_view attribute_name);
  std::vector<Graph*> subgraphs() const;

 private:
  friend class Graph;
  explicit Node(Graph& graph) : graph_(&graph) {}
  void drop_use(Value* value, std::size_t index);
  Graph* graph_;
  std::vector<Value*> inputs_;
  std::vector<Value*> outputs_;
  std::list<Node>::iterator self_;
  bool removed_ = false;
};

// What to call a node in a message: by its name, else by what it makes.
std::string describe(const Node& node);

class Graph {
 public:
  // `parent` is the graph around a subgraph; null for the main graph and function bodies.
  explicit Graph(Graph* parent = nullptr);
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();

  std::string name;
  std::string doc;
  Metadata metadata;
  UnknownFields unknown;  // quantization_annotation among them

  Graph* parent() const { return parent_; }

  // --- values
  const std::vector<Value*>& inputs() const { return inputs_; }
  const std::vector<Value*>& outputs() const { return outputs_; }
  // Every live value of this graph, in the order they were made, or sorted.
  std::vector<Value*> values() const;
  std::vector<Value*> initializers() const;
  void sort_values();                                // by their names
  Value* find(std::string_view value_name) const;    // in this graph
  Value* lookup(std::string_view value_name) const;  // here, then in the graphs around
  // Makes a value; a taken or empty name gets a number behind it. Never collides in any graph
  // around or inside.
  Value& add_value(std::string_view wanted_name, Type type = {});
  // For readers: the name as it is. REQUIRES: find(value_name) is null.
  Value& declare_value(std::string value_name);
  void rename(Value& value, std::string_view wanted_name);
  void add_input(Value& value);
  void add_output(Value& value);
  void set_output(std::size_t index, Value& value);
  void remove_input(Value& value);
  Value& add_initializer(TensorPtr tensor);  // under the tensor's name, made unique
  void set_initializer(Value& value, TensorPtr tensor);
  void set_sparse_initializer(Value& value, SparseTensorPtr tensor);
  // REQUIRES: no uses, no producer, not an output.
  void remove_value(Value& value);
  // Every use, and the graph outputs, of `from` become `to`. A graph output keeps its name: it is
  // handed over.
  void replace_uses(Value& from, Value& to);

  // --- nodes
  std::list<Node>& nodes() { return nodes_; }
  const std::list<Node>& nodes() const { return nodes_; }
  std::vector<Node*> node_list();  // a snapshot to walk while changing
  Node& add_node(std::string op_type, std::vector<Value*> inputs, std::vector<Value*> outputs);
  Node& insert_before(const Node& position, std::string op_type, std::vector<Value*> inputs,
                      std::vector<Value*> outputs);
  // Unlinks the node with its subgraphs; its outputs that nobody uses go with it. REQUIRES: no
  // output is used.
  void remove_node(Node& node);
  void move_before(Node& node, const Node& position);
  // REQUIRES: `order` holds every node of this graph exactly once.
  void reorder(const std::vector<Node*>& order);

 private:
  friend class Node;
  Node& insert_at(std::list<Node>::iterator position, std::string op_type,
                  std::vector<Value*> inputs, std::vector<Value*> outputs);
  void detach_uses();
  void forget(Value& value);
  std::string unique_name(std::string_view wanted) const;

  Graph* parent_;
  struct Names;
  std::shared_ptr<Names> names_;  // shared by all graphs of the tree
  std::list<Node> nodes_;
  std::list<Node> removed_nodes_;
  std::deque<std::unique_ptr<Value>> values_;
  std::unordered_map<std::string_view, Value*> by_name_;
  std::vector<Value*> inputs_;
  std::vector<Value*> outputs_;
};

}  // namespace hone
