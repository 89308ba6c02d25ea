#pragma once
// What can be known about values without running the model: element type and shape, as far as the
// ops that opset conversion asks about need it. Exporters often leave intermediate types out, so
// they are worked out here, aside: the model itself gets no types it did not have.

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/graph.h"

namespace hone::opset {

constexpr std::int64_t unknown_dim = -1;
using PartialShape =
    std::optional<std::vector<std::int64_t>>;  // nothing: not even the rank is known

struct Fact {
  ElementType element = ElementType::undefined;
  PartialShape shape;
};

class Facts {
 public:
  // Learns what follows from the declared types, for the graph and the graphs inside it.
  void learn(const Graph& graph);

  // What the model declares, completed by what was learnt. Null is allowed: nothing is known of it.
  Fact of(const Value* value) const;
  std::optional<std::int64_t> rank(const Value* value) const;
  ElementType element(const Value* value) const { return of(value).element; }

  void set(const Value& value, Fact fact) { learnt_[&value] = std::move(fact); }

 private:
  void learn(const Node& node);
  std::unordered_map<const Value*, Fact> learnt_;
};

// The tensor behind a value that can never change: an initializer nobody may override, a Constant
// node of any form, either of them seen through Identity. Null when there is none.
TensorPtr constant_of(const Value* value);

// Integers given by an attribute or, in later opsets, by a constant input. Nothing when they are
// absent or known only at run time.
std::optional<std::vector<std::int64_t>> ints_of(const Node& node, std::string_view attribute,
                                                 std::size_t input);

}  // namespace hone::opset
