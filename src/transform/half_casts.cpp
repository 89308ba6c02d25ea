#include "transform/half_casts.h"

#include <algorithm>

namespace hone {
namespace {

// Of the nodes ONNX Runtime inserts, and of the float32 values they stand beside: behind it is the
// name of the float16 value.
constexpr std::string_view inserted = "InsertedPrecisionFreeCast_";
// Before the names of a model that ONNX Runtime has saved like that already: those are its own.
constexpr std::string_view kept = "hone_kept_";

constexpr auto float32 = static_cast<std::int64_t>(ElementType::float32);
constexpr auto float16 = static_cast<std::int64_t>(ElementType::float16);

bool is_inserted(const Node& node) { return node.is("Cast") && node.name.starts_with(inserted); }

std::string with_prefix(std::string_view prefix, std::string_view name) {
  return std::string(prefix) + std::string(name);
}

void rename_own(Graph& graph) {
  for (Value* value : graph.values()) {
    if (!value->name().starts_with(inserted)) continue;
    graph.rename(*value, with_prefix(kept, value->name()));
  }
  for (Node& node : graph.nodes()) {
    if (node.name.starts_with(inserted)) node.name = with_prefix(kept, node.name);
  }
}

void rename_back(Graph& graph) {
  for (Value* value : graph.values()) {
    if (value->name().starts_with(kept)) graph.rename(*value, value->name().substr(kept.size()));
  }
  for (Node& node : graph.nodes()) {
    if (node.name.starts_with(kept)) node.name.erase(0, kept.size());
  }
}

// As ONNX Runtime would: but for those that give a value the name of an output.
void remove_identities(Graph& graph) {
  for (Node* node : graph.node_list()) {
    if (!node->is("Identity") || node->input(0) == nullptr || node->output(0) == nullptr) continue;
    Value& from = *node->output(0);
    Value& to = *node->input(0);
    const bool can_take_name =
        to.producer() != nullptr && &to.graph() == &graph && !to.is_graph_output();
    if (from.is_graph_output() && !can_take_name) continue;
    graph.replace_uses(from, to);
    graph.remove_node(*node);
  }
}

// ONNX Runtime drops a Cast to float32 behind one of its own to float16, and a Cast to float16
// before one of its own to float32.
void put_identity_beside(Graph& graph, Node& cast) {
  if (cast.int_or("to", 0) == float32) {
    Value& copy = graph.add_value(cast.input(0)->name() + "_apart", cast.input(0)->type);
    graph.insert_before(cast, "Identity", {cast.input(0)}, {&copy});
    cast.set_input(0, &copy);
  } else if (cast.int_or("to", 0) == float16) {
    Value& made = *cast.output(0);
    Value& halves = graph.add_value(made.name() + "_apart", made.type);
    cast.set_outputs({&halves});
    Node& identity = graph.insert_before(cast, "Identity", {&halves}, {&made});
    graph.move_before(cast, identity);
  }
}

// The value that was float16 is so again, under its name.
void restore(Graph& graph, Value& single, const std::string& name) {
  graph.rename(single, name);
  if (!single.is_graph_output()) single.type = {};
  Node* producer = single.producer();
  if (producer != nullptr && producer->int_or("dtype", 0) == float32) {
    producer->set_attribute(make_attribute("dtype", float16));
  }
}

void remove_inserted(Graph& graph) {
  const auto take_out = [&](Node& cast, Value& from, Value& to) {
    graph.replace_uses(from, to);
    graph.remove_node(cast);
  };
  for (Node* cast : graph.node_list()) {
    if (!is_inserted(*cast) || cast->int_or("to", 0) != float16) continue;
    const std::string name = cast->output(0)->name();
    Value& single = *cast->input(0);
    take_out(*cast, *cast->output(0), single);
    restore(graph, single, name);
  }
  for (Node* cast : graph.node_list()) {
    if (is_inserted(*cast)) take_out(*cast, *cast->output(0), *cast->input(0));
  }
  // Between two nodes that were both cast ONNX Runtime has merged the casts.
  for (Value* value : graph.values()) {
    if (!value->name().starts_with(inserted)) continue;
    restore(graph, *value, value->name().substr(inserted.size()));
  }
}

}  // namespace

bool uses_half(const Model& model) {
  bool found = false;
  for_each_tensor(model, [&](const TensorPtr& tensor, const Node*) {
    found = found || tensor->type == ElementType::float16;
  });
  for_each_graph(model, [&](const Graph& graph) {
    for (const Value* value : graph.values()) {
      found = found || value->type.element == ElementType::float16;
    }
    found = found || std::ranges::any_of(graph.nodes(), [](const Node& node) {
              return node.is("Cast") && node.int_or("to", 0) == float16;
            });
  });
  return found;
}

void keep_casts_apart(Model& model) {
  for_each_graph(model, [](Graph& graph) {
    rename_own(graph);
    remove_identities(graph);
    for (Node* node : graph.node_list()) {
      if (node->is("Cast") && node->input(0) != nullptr && node->output(0) != nullptr) {
        put_identity_beside(graph, *node);
      }
    }
  });
}

void remove_inserted_casts(Model& model) {
  for_each_graph(model, [](Graph& graph) {
    remove_inserted(graph);
    remove_identities(graph);
    rename_back(graph);
  });
}

}  // namespace hone
