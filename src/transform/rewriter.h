#pragma once
// How a pass sees and changes a model: it looks for nodes, makes new ones, and puts their values in
// the place of old ones. The rewriter counts what was changed and keeps the reasons for what was
// not.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"

namespace hone {

struct Declined {
  std::string node;
  std::string reason;  // a clause: "its second input is no constant"
};

struct NewNode {
  std::string op;
  std::vector<Value*> inputs;
  std::vector<Attribute> attributes{};
  std::string domain{};
  Type type{};         // of its output, where it is known
  std::string name{};  // empty: after the node it stands before
};

class Rewriter {
 public:
  explicit Rewriter(Model& model) : model_(model) {}
  Rewriter(const Rewriter&) = delete;
  Rewriter& operator=(const Rewriter&) = delete;

  Model& model() const { return model_; }
  std::int64_t opset() const { return model_.opset(); }
  // Imports a domain a new node needs, unless the model has it.
  void need_domain(std::string_view domain, std::int64_t version = 1);

  // The nodes of that op (default domain) in all graphs, in order: a snapshot, so a rewrite may
  // remove later ones (Node::is_removed). Function bodies are left alone.
  std::vector<Node*> nodes(std::string_view op) const;
  std::vector<Node*> nodes() const;

  // A node with one output, before `position` and in its graph.
  Value& add(const Node& position, NewNode node);
  // A constant in the graph of `position`.
  Value& add_constant(const Node& position, TensorPtr tensor);

  // Everybody who used `from` uses `to` from now on, graph outputs too. One rewrite.
  void replace(Value& from, Value& to);
  // A node was changed in place. One rewrite.
  void changed(const Node& node);

  void decline(const Node& node, std::string reason);

  std::size_t rewrites() const { return rewrites_; }
  std::vector<Declined> take_declined() { return std::move(declined_); }

 private:
  Model& model_;
  std::size_t rewrites_ = 0;
  std::vector<Declined> declined_;
};

// --- What patterns are made of. A null value is nobody's: each of these says no to it.

// The node of this op (default domain) that makes the value.
Node* producer_of(const Value* value, std::string_view op);
// The only node that uses the value, when it is one input of one node and no graph output.
Node* only_consumer(const Value& value);
// The constant as one number, when all its elements are that number.
std::optional<double> scalar_of(const Value* value);
bool is_scalar(const Value* value, double expected, double relative_tolerance = 1e-4);
// The elements of a constant of floats or integers.
std::optional<std::vector<double>> doubles_of(const Value* value);
std::optional<std::vector<std::int64_t>> ints_of(const Value* value);
// All dimensions, when each is a number.
std::optional<std::vector<std::int64_t>> static_shape(const Value* value);
std::optional<std::size_t> rank_of(const Value* value);
// For an op of two operands in either order: the other operand of `value`'s node.
Value* other_operand(const Node& node, const Value& value);
// The operand that is a constant, and the one that is not; nothing unless it is exactly so.
struct ConstantOperand {
  Value* variable = nullptr;
  Value* constant = nullptr;
  std::size_t constant_index = 0;
};
std::optional<ConstantOperand> constant_operand(const Node& node);
// An axis counted from the front.
std::int64_t positive_axis(std::int64_t axis, std::size_t rank);

}  // namespace hone
