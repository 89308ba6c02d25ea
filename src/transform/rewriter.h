#pragma once
// How a pass sees and changes a model: it looks for nodes, makes new ones, and puts their values in
// the place of old ones. The rewriter counts what was changed and keeps the reasons for what was
// not. What patterns are made of is in patterns.h.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
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
  // Whether the model has this opset; where not, `node` is declined: "HardSwish exists from opset
  // 14 on, and the model is of opset 13".
  bool has_opset(const Node& node, std::string_view op, std::int64_t least);

  // The nodes of all graphs, in order: a snapshot, so a rewrite may remove later ones
  // (Node::is_removed). Function bodies are left alone.
  std::vector<Node*> nodes() const;
  // Those of that op (default domain) that make a first output, as every op does that we look for.
  std::vector<Node*> nodes(std::string_view op) const;

  // A node with one output, before `position` and in its graph.
  Value& add(const Node& position, NewNode node);
  // The same with an output for each type.
  std::vector<Value*> add_outputs(const Node& position, NewNode node, std::vector<Type> types);
  // A constant in the graph of `position`.
  Value& add_constant(const Node& position, TensorPtr tensor);
  Value& add_ints(const Node& position, std::string name, std::span<const std::int64_t> values);
  // Reshape, or Squeeze and Unsqueeze, whose axes were an attribute before opset 13.
  Value& add_reshape(const Node& position, Value& input, std::span<const std::int64_t> shape,
                     Type type = {});
  Value& add_with_axes(const Node& position, std::string op, Value& input,
                       std::span<const std::int64_t> axes, Type type = {});
  Value& add_transpose(const Node& position, Value& input, std::vector<std::int64_t> perm,
                       Type type = {});

  // Everybody who used `from` uses `to` from now on, graph outputs too (they keep their names). One
  // rewrite.
  void replace(Value& from, Value& to);
  // A node was changed in place. One rewrite.
  void changed(const Node& node);

  void decline(const Node& node, std::string reason);

  std::size_t rewrites() const { return rewrites_; }
  std::vector<Declined> take_declined() { return std::move(declined_); }

 private:
  std::string free_name(const std::string& wanted);

  Model& model_;
  std::size_t rewrites_ = 0;
  std::vector<Declined> declined_;
  std::unordered_set<std::string> node_names_;
};

}  // namespace hone
