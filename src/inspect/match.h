#pragma once
// Which node of one graph is which node of another. Names are the first witness, because most tools
// keep them; where they are missing or do not fit, structure decides.

#include <unordered_map>
#include <vector>

#include "model/graph.h"

namespace hone {

class Matching {
 public:
  // Pairs the values that have no producer (inputs, initializers), then the nodes. Values of the
  // graphs around are paired by earlier calls.
  void match(const Graph& before, const Graph& after);

  // Null when there is none.
  const Node* partner(const Node& before) const { return find(nodes_, &before); }
  const Value* partner(const Value& before) const { return find(values_, &before); }
  bool is_taken(const Node& after) const { return taken_nodes_.contains(&after); }
  bool is_taken(const Value& after) const { return taken_values_.contains(&after); }

  // Both are left out, both are paired sources, or both are the same output of paired nodes.
  bool same_value(const Value* before, const Value* after) const;

 private:
  template <class T>
  using Map = std::unordered_map<const T*, const T*>;
  template <class T>
  static const T* find(const Map<T>& map, const T* key) {
    const auto found = map.find(key);
    return found == map.end() ? nullptr : found->second;
  }

  void pair(const Node& before, const Node& after);
  void pair(const Value& before, const Value& after);
  void match_inputs(const Graph& before, const Graph& after);
  void match_initializers(const Graph& before, const Graph& after);
  void match_by_name(const Graph& before, const Graph& after);
  void match_by_output(const Graph& before, const Graph& after);
  void match_by_structure(const Graph& before, const Graph& after);
  void match_by_neighbours(const Graph& before);
  const Node* candidate_after_inputs(const Node& node) const;
  const Node* candidate_before_uses(const Node& node) const;
  bool fits(const Node& before, const Node* after) const;

  Map<Node> nodes_;
  Map<Value> values_;
  Map<Node> taken_nodes_;
  Map<Value> taken_values_;
};

// Whether both are the same operator of the same domain.
bool same_op(const Node& a, const Node& b);

}  // namespace hone
