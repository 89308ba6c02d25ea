// Graphs and nodes.

#include "model/text/syntax.h"

namespace hone::syntax {
namespace {

// "a, , b": nothing before a comma is a name left out, as is "". A comma at the end adds nothing.
Result<std::vector<Name>> read_operands(Cursor& cursor, std::string_view what) {
  std::vector<Name> names;
  while (true) {
    HONE_TRY_DO(cursor.count_thing());
    if (cursor.at(Token::Kind::word) || cursor.at(Token::Kind::string)) {
      HONE_TRY(Name name, read_name(cursor, what));
      names.push_back(std::move(name));
    } else if (cursor.at(',')) {
      names.push_back({{}, cursor.peek().offset});
    } else {
      return names;
    }
    if (!cursor.accept(',')) return names;
  }
}

Status read_data(Cursor& cursor, std::size_t offset, ValueSyntax& value) {
  if (value.type.kind == Type::Kind::sparse_tensor) {
    HONE_TRY(value.sparse, read_sparse_tensor(cursor, value.type, offset, value.name.text));
    return done();
  }
  HONE_TRY(value.tensor, read_tensor(cursor, value.type, offset, value.name.text));
  return done();
}

Result<ValueSyntax> read_value(Cursor& cursor, bool may_have_data) {
  HONE_TRY_DO(cursor.count_thing());
  ValueSyntax value;
  const std::size_t offset = cursor.peek().offset;
  if (at_type(cursor)) {
    HONE_TRY(value.type, read_type(cursor));
  }
  HONE_TRY(value.name, read_name(cursor, "the name of a value"));
  HONE_TRY(value.note, read_note(cursor));
  if (may_have_data && cursor.accept('=')) HONE_TRY_DO(read_data(cursor, offset, value));
  return value;
}

Result<std::vector<ValueSyntax>> read_values(Cursor& cursor, char open, char close,
                                             bool may_have_data) {
  std::vector<ValueSyntax> values;
  HONE_TRY_DO(cursor.expect(open, "before a list of values"));
  if (cursor.accept(close)) return values;
  do {
    HONE_TRY(ValueSyntax value, read_value(cursor, may_have_data));
    values.push_back(std::move(value));
  } while (cursor.accept(','));
  HONE_TRY_DO(cursor.expect(close, "or ',' after a value"));
  return values;
}

// com.microsoft.FusedConv:overload. The last name is the op; a domain that is not made of words is
// quoted whole.
Status read_op(Cursor& cursor, NodeSyntax& node) {
  HONE_TRY(Name name, read_name(cursor, "an op type"));
  bool has_domain = false;
  while (cursor.accept('.')) {
    if (has_domain) node.domain += '.';
    node.domain += name.text;
    has_domain = true;
    HONE_TRY(name, read_name(cursor, "an op type after '.'"));
  }
  node.op_type = std::move(name.text);
  if (!cursor.accept(':')) return done();
  HONE_TRY(Name overload, read_name(cursor, "the name of an overload"));
  node.overload = std::move(overload.text);
  return done();
}

Result<NodeSyntax> read_node(Cursor& cursor, int depth) {
  NodeSyntax node;
  if (cursor.accept('[')) {
    HONE_TRY(Name name, read_name(cursor, "the name of a node"));
    node.name = std::move(name.text);
    HONE_TRY_DO(cursor.expect(']', "after the name of a node"));
  }
  HONE_TRY(node.outputs, read_operands(cursor, "the name of an output"));
  HONE_TRY_DO(cursor.expect('=', "or ',' after the outputs of a node"));
  HONE_TRY_DO(read_op(cursor, node));
  HONE_TRY(node.attributes, read_attributes(cursor, depth));
  HONE_TRY_DO(cursor.expect('(', "before the inputs of a node"));
  HONE_TRY(node.inputs, read_operands(cursor, "the name of an input"));
  HONE_TRY_DO(cursor.expect(')', "or ',' after the inputs of a node"));
  if (node.attributes.empty()) {  // they may stand before the inputs or behind them
    HONE_TRY(node.attributes, read_attributes(cursor, depth));
  }
  HONE_TRY(node.note, read_note(cursor));
  return node;
}

}  // namespace

Result<GraphSyntax> read_graph(Cursor& cursor, int depth) {
  HONE_TRY(Name name, read_name(cursor, "the name of a graph"));
  return read_graph_body(cursor, std::move(name.text), depth);
}

Result<GraphSyntax> read_graph_body(Cursor& cursor, std::string name, int depth) {
  if (depth > max_depth) {
    return cursor.error(cursor.peek().offset,
                        "graphs are nested more than " + std::to_string(max_depth) + " deep");
  }
  GraphSyntax graph;
  graph.name = std::move(name);
  HONE_TRY(graph.inputs, read_values(cursor, '(', ')', true));
  if (!cursor.at(Token::Kind::arrow)) return cursor.unexpected("'=>' after the inputs");
  cursor.take();
  HONE_TRY(graph.outputs, read_values(cursor, '(', ')', false));
  HONE_TRY(graph.note, read_note(cursor));
  if (cursor.at('<')) {
    HONE_TRY(graph.values, read_values(cursor, '<', '>', true));
  }
  HONE_TRY_DO(cursor.expect('{', "before the nodes of a graph"));
  while (!cursor.accept('}')) {
    HONE_TRY(NodeSyntax node, read_node(cursor, depth));
    graph.nodes.push_back(std::move(node));
  }
  return graph;
}

}  // namespace hone::syntax
