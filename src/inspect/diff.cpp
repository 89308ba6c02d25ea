#include "inspect/diff.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "inspect/facts.h"
#include "inspect/match.h"
#include "inspect/same.h"
#include "model/elements.h"

namespace hone {
namespace {

using enum ChangeAction;

// Where a value comes from: "Relu", "initializer", "input".
std::string origin_of(const Value& value) {
  if (value.producer() != nullptr) return name_of_op(*value.producer());
  if (value.initializer() || value.sparse_initializer()) return "initializer";
  return value.is_graph_input() ? "input" : "undefined";
}

// The value's name, with its origin where the name alone would not tell it from `other`.
Json name_of_value(const Value* value, const Value* other) {
  if (value == nullptr) return {};
  const bool is_ambiguous = other != nullptr && other->name() == value->name();
  return value->name() + (is_ambiguous ? " (" + origin_of(*value) + ")" : "");
}

std::string name_of_node(const Node& node) {
  return node.name.empty() ? describe(node) : node.name;
}

// "largest difference 0.0125": what a changed weight means for its reader.
std::string content_difference(const Tensor& a, const Tensor& b) {
  if (!holds_numbers(a.type)) return "content";
  constexpr std::uint64_t block = 1024;
  const std::uint64_t block_bytes = *bytes_of(a.type, block);
  double largest = 0;
  std::uint64_t differing = 0;
  const std::uint64_t count = a.element_count();
  for (std::uint64_t first = 0, at = 0; first < count; first += block, at += block_bytes) {
    const auto size = static_cast<std::size_t>(std::min(block, count - first));
    std::vector<double> x(size);
    std::vector<double> y(size);
    decode_elements(a.type, a.dense.view().substr(at), x);
    decode_elements(b.type, b.dense.view().substr(at), y);
    for (std::size_t i = 0; i < size; ++i) {
      if (x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]))) continue;
      ++differing;
      largest = std::max(largest, std::fabs(x[i] - y[i]));
    }
  }
  char text[96];
  std::snprintf(text, sizeof text, "content: %llu of %llu elements differ, by %.4g at most",
                static_cast<unsigned long long>(differing), static_cast<unsigned long long>(count),
                largest);
  return text;
}

class Differ {
 public:
  ModelDiff run(const Model& before, const Model& after) {
    compare_headers(before, after);
    compare_interface(before.graph->inputs(), after.graph->inputs(), ChangedThing::input);
    compare_graphs(*before.graph, *after.graph, "");
    compare_interface(before.graph->outputs(), after.graph->outputs(), ChangedThing::output);
    compare_functions(before, after);
    compare_counts(before, after);
    std::ranges::stable_sort(diff_.changes, {}, &ModelChange::thing);
    diff_.equal = diff_.changes.empty();
    return std::move(diff_);
  }

 private:
  void add(ChangedThing thing, ChangeAction action, std::string name, std::string detail,
           Json before = {}, Json after = {}) {
    diff_.changes.push_back(
        {thing, action, std::move(name), std::move(detail), std::move(before), std::move(after)});
  }

  // Keys and values of two maps: what was added, removed and changed.
  template <class T>
  void compare_maps(ChangedThing thing, const std::map<std::string, T>& before,
                    const std::map<std::string, T>& after) {
    for (const auto& [key, value] : before) {
      const auto found = after.find(key);
      if (found == after.end()) {
        add(thing, removed, key, {}, value);
      } else if (found->second != value) {
        add(thing, changed, key, {}, value, found->second);
      }
    }
    for (const auto& [key, value] : after) {
      if (!before.contains(key)) add(thing, added, key, {}, {}, value);
    }
  }

  static std::map<std::string, std::int64_t> opsets_of(const Model& model) {
    std::map<std::string, std::int64_t> opsets;
    for (const OpsetImport& import : model.opsets) {
      opsets[import.domain.empty() ? "ai.onnx" : import.domain] = import.version;
    }
    return opsets;
  }

  void compare_headers(const Model& before, const Model& after) {
    if (before.ir_version != after.ir_version) {
      add(ChangedThing::ir_version, changed, "ir version", {}, before.ir_version, after.ir_version);
    }
    compare_maps(ChangedThing::opset, opsets_of(before), opsets_of(after));
    compare_maps<std::string>(ChangedThing::metadata,
                              {before.metadata.begin(), before.metadata.end()},
                              {after.metadata.begin(), after.metadata.end()});
  }

  // What callers name. Outputs must also still be the same value; nodes are paired by then.
  void compare_interface(const std::vector<Value*>& before, const std::vector<Value*>& after,
                         ChangedThing thing) {
    const auto find = [](const std::vector<Value*>& values, const std::string& name) {
      return std::ranges::find(values, name, &Value::name);
    };
    std::vector<std::string> kept_before;
    std::vector<std::string> kept_after;
    for (const Value* value : before) {
      const auto found = find(after, value->name());
      if (found == after.end()) {
        add(thing, removed, value->name(), to_string(value->type));
        continue;
      }
      kept_before.push_back(value->name());
      if (!same_type(value->type, (*found)->type)) {
        add(thing, changed, value->name(), "type", to_string(value->type),
            to_string((*found)->type));
      }
      const bool is_output = thing == ChangedThing::output;
      if (is_output && !matching_.same_value(value, *found)) {
        add(thing, changed, value->name(), "made by", maker_of(*value), maker_of(**found));
      }
    }
    for (const Value* value : after) {
      if (find(before, value->name()) == before.end()) {
        add(thing, added, value->name(), to_string(value->type));
      } else {
        kept_after.push_back(value->name());
      }
    }
    if (kept_before != kept_after) add(thing, changed, "order", {});
  }

  static std::string maker_of(const Value& value) {
    return value.producer() != nullptr ? name_of_node(*value.producer()) : origin_of(value);
  }

  void compare_graphs(const Graph& before, const Graph& after, const std::string& place) {
    matching_.match(before, after);
    compare_initializers(before, after, place);
    std::map<std::string, const Node*> left;  // in `after`, by name
    for (const Node& node : after.nodes()) {
      if (!matching_.is_taken(node)) left.emplace(name_of_node(node), &node);
    }
    std::set<const Node*> replaced;
    for (const Node& node : before.nodes()) {
      if (const Node* now = matching_.partner(node)) {
        compare_nodes(node, *now, place);
        continue;
      }
      const auto same_name = node.name.empty() ? left.end() : left.find(node.name);
      if (same_name == left.end()) {
        add(ChangedThing::node, removed, place + name_of_node(node), name_of_op(node));
      } else {
        add(ChangedThing::node, changed, place + node.name, "operator", name_of_op(node),
            name_of_op(*same_name->second));
        replaced.insert(same_name->second);
      }
    }
    for (const Node& node : after.nodes()) {
      if (matching_.is_taken(node) || replaced.contains(&node)) continue;
      add(ChangedThing::node, added, place + name_of_node(node), name_of_op(node));
    }
  }

  void compare_initializers(const Graph& before, const Graph& after, const std::string& place) {
    for (const Value* value : before.initializers()) {
      const Value* now = matching_.partner(*value);
      if (now == nullptr) {
        if (value->initializer()) {
          add(ChangedThing::initializer, removed, place + value->name(),
              short_text(*value->initializer()));
        }
      } else if (value->initializer() && now->initializer()) {
        compare_tensors(*value->initializer(), *now->initializer(), place + value->name());
      } else if (value->sparse_initializer() && now->sparse_initializer()) {
        compare_tensors(*value->sparse_initializer()->values, *now->sparse_initializer()->values,
                        place + value->name());
      }
    }
    for (const Value* value : after.initializers()) {
      if (!matching_.is_taken(*value) && value->initializer()) {
        add(ChangedThing::initializer, added, place + value->name(),
            short_text(*value->initializer()));
      }
    }
  }

  void compare_tensors(const Tensor& before, const Tensor& after, const std::string& name) {
    const bool is_same_kind = before.type == after.type && before.dims == after.dims;
    if (!is_same_kind) {
      add(ChangedThing::initializer, changed, name, "type", short_text(before), short_text(after));
    } else if (!is_content_known(before, after)) {
      ++diff_.absent_weights;
    } else if (!same_tensor(before, after)) {
      add(ChangedThing::initializer, changed, name, content_difference(before, after));
    }
  }

  void compare_nodes(const Node& before, const Node& after, const std::string& place) {
    const std::string name = place + name_of_node(before);
    compare_attributes(before, after, name);
    const std::size_t inputs = std::max(before.inputs().size(), after.inputs().size());
    for (std::size_t i = 0; i < inputs; ++i) {
      if (matching_.same_value(before.input(i), after.input(i))) continue;
      add(ChangedThing::node, changed, name, "input " + std::to_string(i),
          name_of_value(before.input(i), after.input(i)),
          name_of_value(after.input(i), before.input(i)));
    }
    if (before.outputs().size() != after.outputs().size()) {
      add(ChangedThing::node, changed, name, "number of outputs", before.outputs().size(),
          after.outputs().size());
    }
  }

  void compare_attributes(const Node& before, const Node& after, const std::string& name) {
    for (const Attribute& attribute : before.attributes) {
      const Attribute* now = after.attribute(attribute.name);
      const std::string detail = "attribute '" + attribute.name + "'";
      if (now == nullptr) {
        add(ChangedThing::node, changed, name, detail, short_text(attribute));
        continue;
      }
      if (!same_attribute(attribute, *now)) {
        add(ChangedThing::node, changed, name, detail, short_text(attribute), short_text(*now));
      }
      const std::vector<Graph*> graphs = attribute.graphs();
      const std::vector<Graph*> graphs_now = now->graphs();
      for (std::size_t i = 0; i < std::min(graphs.size(), graphs_now.size()); ++i) {
        compare_graphs(*graphs[i], *graphs_now[i], name + "/" + attribute.name + "/");
      }
    }
    for (const Attribute& attribute : after.attributes) {
      if (before.attribute(attribute.name) != nullptr) continue;
      add(ChangedThing::node, changed, name, "attribute '" + attribute.name + "'", {},
          short_text(attribute));
    }
  }

  static std::map<std::string, const Function*> functions_of(const Model& model) {
    std::map<std::string, const Function*> functions;
    for (const Function& function : model.functions) {
      functions.emplace(function.domain + "." + function.name + ":" + function.overload, &function);
    }
    return functions;
  }

  void compare_functions(const Model& before, const Model& after) {
    const auto functions = functions_of(before);
    const auto functions_now = functions_of(after);
    for (const auto& [name, function] : functions) {
      const auto found = functions_now.find(name);
      if (found == functions_now.end()) {
        add(ChangedThing::function, removed, name, {});
      } else {
        compare_graphs(*function->body, *found->second->body, name + "/");
      }
    }
    for (const auto& [name, function] : functions_now) {
      if (!functions.contains(name)) add(ChangedThing::function, added, name, {});
    }
  }

  void compare_counts(const Model& before, const Model& after) {
    const auto counts = count_ops(before);
    const auto counts_now = count_ops(after);
    std::map<std::string, OpCountChange> merged;
    for (const auto& [op, count] : counts) merged[op] = {op, count, 0};
    for (const auto& [op, count] : counts_now) {
      merged[op].op = op;
      merged[op].after = count;
    }
    for (const auto& [op, change] : merged) {
      if (change.before != change.after) diff_.op_counts.push_back(change);
    }
  }

  Matching matching_;
  ModelDiff diff_;
};

}  // namespace

ModelDiff diff_models(const Model& before, const Model& after) {
  return Differ().run(before, after);
}

}  // namespace hone
