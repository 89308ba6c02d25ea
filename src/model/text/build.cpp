// Links what was read: names become values, in the order in which the reader of files makes them.

#include <unordered_set>

#include "base/text.h"
#include "model/text/syntax.h"

namespace hone::syntax {
namespace {

bool has_data(const ValueSyntax& value) { return value.tensor || value.sparse; }

class Builder {
 public:
  Builder(const Cursor& cursor, Graph& graph) : cursor_(cursor), graph_(graph) {}

  Status build(GraphSyntax&& syntax);

 private:
  Status define(const Name& name);
  Status define_all(const GraphSyntax& syntax);
  Status define_outputs(const NodeSyntax& node);
  Value& declare(const std::string& name);
  Value& resolve(const std::string& name);
  void annotate(Value& value, ValueSyntax&& syntax) const;
  void add_input(ValueSyntax&& syntax);
  void add_value(ValueSyntax&& syntax);
  Status add_node(NodeSyntax&& syntax);

  const Cursor& cursor_;
  Graph& graph_;
  std::unordered_set<std::string> defined_;  // by an input, an initializer or a node
};

Status Builder::define(const Name& name) {
  if (defined_.insert(name.text).second) return done();
  return cursor_.error(name.offset, "the value '" + printable(name.text) + "' is defined twice");
}

// Nodes may come in any order, so what the graph defines is known before a name is resolved.
Status Builder::define_all(const GraphSyntax& syntax) {
  std::unordered_set<std::string> inputs;  // those that may yet get an initializer
  for (const ValueSyntax& input : syntax.inputs) {
    HONE_TRY_DO(define(input.name));
    if (!has_data(input)) inputs.insert(input.name.text);
  }
  for (const ValueSyntax& value : syntax.values) {
    if (has_data(value) && inputs.erase(value.name.text) == 0) HONE_TRY_DO(define(value.name));
  }
  for (const NodeSyntax& node : syntax.nodes) HONE_TRY_DO(define_outputs(node));
  return done();
}

Status Builder::define_outputs(const NodeSyntax& node) {
  for (const Name& output : node.outputs) {
    if (!output.text.empty()) HONE_TRY_DO(define(output));
  }
  return done();
}

Value& Builder::declare(const std::string& name) {
  Value* known = graph_.find(name);
  return known != nullptr ? *known : graph_.declare_value(name);
}

// The value in this graph, in those around it, or (an undefined name) a new one here.
Value& Builder::resolve(const std::string& name) {
  Value* known = defined_.contains(name) ? graph_.find(name) : graph_.lookup(name);
  return known != nullptr ? *known : graph_.declare_value(name);
}

// A subgraph may say the type of an outer value, but not change it.
void Builder::annotate(Value& value, ValueSyntax&& syntax) const {
  const bool is_outer = &value.graph() != &graph_;
  if (syntax.type.is_known() && !(is_outer && value.type.is_known())) {
    value.type = std::move(syntax.type);
  }
  if (!syntax.note.doc.empty()) value.doc = std::move(syntax.note.doc);
  if (!syntax.note.metadata.empty()) value.metadata = std::move(syntax.note.metadata);
}

void Builder::add_input(ValueSyntax&& syntax) {
  Value& value = declare(syntax.name.text);
  graph_.add_input(value);
  if (syntax.tensor) graph_.set_initializer(value, std::move(syntax.tensor));
  if (syntax.sparse) graph_.set_sparse_initializer(value, std::move(syntax.sparse));
  annotate(value, std::move(syntax));
}

// The type before an initializer's data is the data's: what is known of the value itself stands in
// an entry without data.
void Builder::add_value(ValueSyntax&& syntax) {
  Value& value = resolve(syntax.name.text);
  if (has_data(syntax)) syntax.type = {};
  if (syntax.tensor) graph_.set_initializer(value, std::move(syntax.tensor));
  if (syntax.sparse) graph_.set_sparse_initializer(value, std::move(syntax.sparse));
  annotate(value, std::move(syntax));
}

Status Builder::add_node(NodeSyntax&& syntax) {
  std::vector<Value*> inputs;
  for (const Name& name : syntax.inputs) {
    inputs.push_back(name.text.empty() ? nullptr : &resolve(name.text));
  }
  std::vector<Value*> outputs;
  for (const Name& name : syntax.outputs) {
    outputs.push_back(name.text.empty() ? nullptr : &declare(name.text));
  }
  Node& node = graph_.add_node(std::move(syntax.op_type), std::move(inputs), std::move(outputs));
  node.domain = std::move(syntax.domain);
  node.name = std::move(syntax.name);
  node.overload = std::move(syntax.overload);
  node.doc = std::move(syntax.note.doc);
  node.metadata = std::move(syntax.note.metadata);
  for (AttributeSyntax& attribute : syntax.attributes) {
    HONE_TRY(Attribute built, build_attribute(cursor_, std::move(attribute), graph_));
    node.attributes.push_back(std::move(built));
  }
  return done();
}

Status Builder::build(GraphSyntax&& syntax) {
  graph_.name = std::move(syntax.name);
  graph_.doc = std::move(syntax.note.doc);
  graph_.metadata = std::move(syntax.note.metadata);
  HONE_TRY_DO(define_all(syntax));
  for (ValueSyntax& input : syntax.inputs) add_input(std::move(input));
  for (ValueSyntax& value : syntax.values) add_value(std::move(value));
  for (const NodeSyntax& node : syntax.nodes) {
    for (const Name& output : node.outputs) {
      if (!output.text.empty()) declare(output.text);
    }
  }
  std::vector<Value*> promised;
  for (ValueSyntax& output : syntax.outputs) {
    promised.push_back(&resolve(output.name.text));
    annotate(*promised.back(), std::move(output));
  }
  for (NodeSyntax& node : syntax.nodes) HONE_TRY_DO(add_node(std::move(node)));
  for (Value* output : promised) graph_.add_output(*output);
  return done();
}

Result<std::unique_ptr<Graph>> build_subgraph(const Cursor& cursor, GraphSyntax&& syntax,
                                              Graph& around) {
  auto graph = std::make_unique<Graph>(&around);
  HONE_TRY_DO(build_graph(cursor, std::move(syntax), *graph));
  return graph;
}

}  // namespace

Result<Attribute> build_attribute(const Cursor& cursor, AttributeSyntax&& syntax, Graph& graph) {
  Attribute attribute = std::move(syntax.attribute);
  std::vector<std::unique_ptr<Graph>> graphs;
  for (GraphSyntax& held : syntax.graphs) {
    HONE_TRY(auto built, build_subgraph(cursor, std::move(held), graph));
    graphs.push_back(std::move(built));
  }
  if (syntax.graph_type == AttributeType::graph) attribute.held = std::move(graphs.front());
  if (syntax.graph_type == AttributeType::graphs) attribute.held = std::move(graphs);
  return attribute;
}

Status build_graph(const Cursor& cursor, GraphSyntax&& syntax, Graph& graph) {
  return Builder(cursor, graph).build(std::move(syntax));
}

}  // namespace hone::syntax
