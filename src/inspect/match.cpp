#include "inspect/match.h"

#include <algorithm>
#include <map>
#include <string>

#include "base/random.h"
#include "inspect/same.h"

namespace hone {
namespace {

std::uint64_t mixed(std::uint64_t seed, std::uint64_t number) {
  return mix64(seed ^ mix64(number));
}

std::uint64_t mixed(std::uint64_t seed, std::string_view text) {
  return mixed(seed, std::hash<std::string_view>()(text));
}

// How a node is computed, names left out: its operator, attributes, and the same of its inputs.
// Weights count by type and shape alone, so that a model with other weights still matches.
class StructureHash {
 public:
  explicit StructureHash(const Graph& graph) {
    for (std::size_t i = 0; i < graph.inputs().size(); ++i)
      values_[graph.inputs()[i]] = mixed(1, i);
    for (const Node& node : graph.nodes()) add(node);
  }

  std::uint64_t of(const Node& node) const { return nodes_.at(&node); }

 private:
  void add(const Node& node) {
    std::uint64_t hash = mixed(mixed(2, node.op_type), node.is_default_domain() ? "" : node.domain);
    std::map<std::string_view, std::string> attributes;
    for (const Attribute& attribute : node.attributes)
      attributes[attribute.name] = short_text(attribute);
    for (const auto& [name, text] : attributes) hash = mixed(mixed(hash, name), text);
    for (const Value* input : node.inputs()) hash = mixed(hash, of(input));
    nodes_[&node] = hash;
    for (const Value* output : node.outputs()) {
      if (output != nullptr) values_[output] = mixed(hash, output->output_index());
    }
  }

  std::uint64_t of(const Value* value) const {
    if (value == nullptr) return 3;
    if (const auto known = values_.find(value); known != values_.end()) return known->second;
    if (value->initializer()) return mixed(4, short_text(*value->initializer()));
    return mixed(5, value->name());
  }

  std::unordered_map<const Node*, std::uint64_t> nodes_;
  std::unordered_map<const Value*, std::uint64_t> values_;
};

// Node by name, null where two share one.
std::unordered_map<std::string_view, const Node*> by_name(const Graph& graph) {
  std::unordered_map<std::string_view, const Node*> nodes;
  for (const Node& node : graph.nodes()) {
    if (node.name.empty()) continue;
    const auto [entry, is_new] = nodes.emplace(node.name, &node);
    if (!is_new) entry->second = nullptr;
  }
  return nodes;
}

// What tensors of equal content have in common; cheap, and no more than a first look.
std::string content_key(const Tensor& tensor) {
  return short_text(tensor) + std::string(tensor.dense.view().substr(0, 256));
}

}  // namespace

bool same_op(const Node& a, const Node& b) {
  const bool same_domain = a.domain == b.domain || (a.is_default_domain() && b.is_default_domain());
  return a.op_type == b.op_type && same_domain && a.overload == b.overload;
}

void Matching::pair(const Node& before, const Node& after) {
  nodes_[&before] = &after;
  taken_nodes_[&after] = &before;
}

void Matching::pair(const Value& before, const Value& after) {
  values_[&before] = &after;
  taken_values_[&after] = &before;
}

bool Matching::fits(const Node& before, const Node* after) const {
  return after != nullptr && !taken_nodes_.contains(after) && same_op(before, *after);
}

void Matching::match(const Graph& before, const Graph& after) {
  match_inputs(before, after);
  match_initializers(before, after);
  match_by_name(before, after);
  match_by_output(before, after);
  match_by_structure(before, after);
  match_by_neighbours(before);
}

// By name; in subgraphs, whose inputs no caller names, by position too.
void Matching::match_inputs(const Graph& before, const Graph& after) {
  for (const Value* input : before.inputs()) {
    const Value* same_name = after.find(input->name());
    if (same_name != nullptr && same_name->is_graph_input()) pair(*input, *same_name);
  }
  if (before.parent() == nullptr) return;
  for (std::size_t i = 0; i < std::min(before.inputs().size(), after.inputs().size()); ++i) {
    const Value* input = before.inputs()[i];
    if (!partner(*input) && !is_taken(*after.inputs()[i])) pair(*input, *after.inputs()[i]);
  }
}

void Matching::match_initializers(const Graph& before, const Graph& after) {
  for (const Value* value : before.initializers()) {
    const Value* same_name = after.find(value->name());
    const bool is_weight =
        same_name && (same_name->initializer() || same_name->sparse_initializer());
    if (is_weight) pair(*value, *same_name);
  }
  std::multimap<std::string, const Value*> left;
  for (const Value* value : after.initializers()) {
    if (value->initializer() && !is_taken(*value))
      left.emplace(content_key(*value->initializer()), value);
  }
  for (const Value* value : before.initializers()) {
    if (!value->initializer() || partner(*value)) continue;
    const auto [first, last] = left.equal_range(content_key(*value->initializer()));
    for (auto at = first; at != last; ++at) {
      if (!same_tensor(*value->initializer(), *at->second->initializer())) continue;
      pair(*value, *at->second);
      left.erase(at);
      break;
    }
  }
}

void Matching::match_by_name(const Graph& before, const Graph& after) {
  const auto named = by_name(after);
  for (const auto& [name, node] : by_name(before)) {
    const auto found = node == nullptr ? named.end() : named.find(name);
    if (found != named.end() && fits(*node, found->second)) pair(*node, *found->second);
  }
}

void Matching::match_by_output(const Graph& before, const Graph& after) {
  for (const Node& node : before.nodes()) {
    if (partner(node) || node.output(0) == nullptr) continue;
    const Value* same_name = after.find(node.output(0)->name());
    const Node* producer = same_name == nullptr ? nullptr : same_name->producer();
    if (fits(node, producer)) pair(node, *producer);
  }
}

void Matching::match_by_structure(const Graph& before, const Graph& after) {
  const StructureHash hash_before(before);
  const StructureHash hash_after(after);
  std::multimap<std::uint64_t, const Node*> left;
  for (const Node& node : after.nodes()) {
    if (!is_taken(node)) left.emplace(hash_after.of(node), &node);
  }
  for (const Node& node : before.nodes()) {
    if (partner(node)) continue;
    const auto found = left.find(hash_before.of(node));
    if (found == left.end() || !fits(node, found->second)) continue;
    pair(node, *found->second);
    left.erase(found);
  }
}

// Behind a changed node every hash differs. There a node is the one that reads what its inputs
// became, or makes what its readers became.
void Matching::match_by_neighbours(const Graph& before) {
  std::vector<const Node*> nodes;
  for (const Node& node : before.nodes()) nodes.push_back(&node);
  for (const Node* node : nodes) {
    if (partner(*node)) continue;
    if (const Node* candidate = candidate_after_inputs(*node)) pair(*node, *candidate);
  }
  for (auto at = nodes.rbegin(); at != nodes.rend(); ++at) {
    if (partner(**at)) continue;
    if (const Node* candidate = candidate_before_uses(**at)) pair(**at, *candidate);
  }
}

const Node* Matching::candidate_after_inputs(const Node& node) const {
  for (std::size_t i = 0; i < node.inputs().size(); ++i) {
    const Value* input = node.inputs()[i];
    if (input == nullptr) continue;
    const Value* now = partner(*input);
    if (input->producer() != nullptr) {
      const Node* producer = partner(*input->producer());
      now = producer == nullptr ? nullptr : producer->output(input->output_index());
    }
    if (now == nullptr) continue;
    for (const Use& use : now->uses()) {
      if (use.index == i && fits(node, use.node)) return use.node;
    }
  }
  return nullptr;
}

const Node* Matching::candidate_before_uses(const Node& node) const {
  for (const Value* output : node.outputs()) {
    if (output == nullptr) continue;
    for (const Use& use : output->uses()) {
      const Node* reader = partner(*use.node);
      const Value* now = reader == nullptr ? nullptr : reader->input(use.index);
      if (now != nullptr && fits(node, now->producer())) return now->producer();
    }
  }
  return nullptr;
}

bool Matching::same_value(const Value* before, const Value* after) const {
  if (before == nullptr || after == nullptr) return before == after;
  if (before->producer() == nullptr)
    return partner(*before) == after && after->producer() == nullptr;
  const Node* producer = partner(*before->producer());
  return producer != nullptr && producer == after->producer() &&
         before->output_index() == after->output_index();
}

}  // namespace hone
