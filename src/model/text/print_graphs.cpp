// Models, functions, graphs and nodes as text.

#include "model/text/names.h"
#include "model/text/numbers.h"
#include "model/text/printer.h"

namespace hone::syntax {
namespace {

constexpr int step = 2;

std::string in_quotes(std::string_view text) {
  std::string out;
  append_quoted(out, text);
  return out;
}

std::string opset_line(const std::vector<OpsetImport>& opsets) {
  std::string line = "opset_import: [";
  for (const OpsetImport& opset : opsets) {
    if (line.back() != '[') line += ", ";
    append_quoted(line, opset.domain);
    line += " : ";
    append_integer(line, opset.version);
  }
  return line + ']';
}

void add_text(std::vector<std::string>& lines, std::string_view key, std::string_view text) {
  if (!text.empty()) lines.push_back(std::string(key) + ": " + in_quotes(text));
}

void add_metadata(std::vector<std::string>& lines, const Metadata& metadata) {
  if (metadata.empty()) return;
  std::string line = "metadata_props: ";
  append_entries(line, metadata);
  lines.push_back(std::move(line));
}

bool has_data(const Value& value) { return value.initializer() || value.sparse_initializer(); }

// Inputs first: that is the order in which a parser of this text meets them.
std::vector<const Value*> values_with_data(const Graph& graph) {
  std::vector<const Value*> found;
  for (const Value* value : graph.inputs()) {
    if (has_data(*value)) found.push_back(value);
  }
  for (const Value* value : graph.values()) {
    if (has_data(*value) && !value->is_graph_input()) found.push_back(value);
  }
  return found;
}

bool repeats_its_data(const Value& value) {
  const TensorPtr& tensor = value.initializer();
  return tensor && same_type(value.type, Type::tensor(tensor->type, shape_of(tensor->dims)));
}

bool has_facts(const Value& value, bool notes) {
  if (notes) return value.type.is_known() || !value.doc.empty() || !value.metadata.empty();
  return value.type.is_known() && !repeats_its_data(value);
}

// What is known of values that are neither inputs nor outputs, those with data first.
std::vector<const Value*> values_with_facts(const Graph& graph, bool notes) {
  std::vector<const Value*> found;
  for (const bool want_data : {true, false}) {
    for (const Value* value : graph.values()) {
      const bool is_shown_elsewhere = value->is_graph_input() || value->is_graph_output();
      if (is_shown_elsewhere || has_data(*value) != want_data) continue;
      if (has_facts(*value, notes)) found.push_back(value);
    }
  }
  return found;
}

}  // namespace

void Printer::new_line() {
  out_ += '\n';
  out_.append(static_cast<std::size_t>(indent_), ' ');
}

void Printer::header(const std::vector<std::string>& lines) {
  out_ += '<';
  for (const std::string& line : lines) {
    if (out_.back() != '<') out_ += ',';
    out_ += "\n  " + line;
  }
  out_ += "\n>\n";
}

void Printer::model(const Model& model) {
  std::vector<std::string> lines = {"ir_version: " + std::to_string(model.ir_version),
                                    opset_line(model.opsets)};
  add_text(lines, "producer_name", model.producer_name);
  add_text(lines, "producer_version", model.producer_version);
  add_text(lines, "domain", model.domain);
  if (model.model_version != 0) {
    lines.push_back("model_version: " + std::to_string(model.model_version));
  }
  add_text(lines, "doc_string", model.doc);
  add_metadata(lines, model.metadata);
  header(lines);
  graph(*model.graph);
  out_ += '\n';
  for (const Function& held : model.functions) function(held);
}

void Printer::function(const Function& function) {
  std::vector<std::string> lines = {"domain: " + in_quotes(function.domain)};
  add_text(lines, "overload", function.overload);
  lines.push_back(opset_line(function.opsets));
  add_text(lines, "doc_string", function.doc);
  if (options_.notes) add_metadata(lines, function.metadata);
  header(lines);
  append_word(out_, function.name);
  out_ += ' ';
  if (!function.attribute_names.empty() || !function.attribute_defaults.empty()) {
    out_ += '<';
    const char* separator = "";
    for (const std::string& name : function.attribute_names) {
      out_ += separator;
      append_word(out_, name);
      separator = ", ";
    }
    for (const Attribute& with_default : function.attribute_defaults) {
      out_ += separator;
      attribute(with_default);
      separator = ", ";
    }
    out_ += "> ";
  }
  graph_body(*function.body);
  out_ += '\n';
}

void Printer::graph(const Graph& graph) {
  append_name(out_, graph.name);
  out_ += ' ';
  graph_body(graph);
}

void Printer::value(const Value& value) {
  if (value.type.is_known()) {
    type(value.type);
    out_ += ' ';
  }
  append_name(out_, value.name());
  note(value.doc, value.metadata);
}

void Printer::value_list(const std::vector<Value*>& values) {
  out_ += '(';
  for (const Value* listed : values) {
    if (out_.back() != '(') out_ += ", ";
    value(*listed);
  }
  out_ += ')';
}

void Printer::initializers_and_infos(const Graph& graph) {
  const std::vector<const Value*> data = values_with_data(graph);
  const std::vector<const Value*> facts = values_with_facts(graph, options_.notes);
  if (data.empty() && facts.empty()) {
    out_ += ' ';
    return;
  }
  new_line();
  out_ += '<';
  indent_ += step;
  const char* separator = "";
  for (const Value* held : data) {
    out_ += separator;
    new_line();
    if (held->initializer()) {
      initializer(*held->initializer(), held->name());
    } else {
      sparse_tensor(*held->sparse_initializer(), held->name());
    }
    separator = ",";
  }
  for (const Value* known : facts) {
    out_ += separator;
    new_line();
    value(*known);
    separator = ",";
  }
  indent_ -= step;
  new_line();
  out_ += '>';
  new_line();
}

void Printer::graph_body(const Graph& graph) {
  value_list(graph.inputs());
  out_ += " => ";
  value_list(graph.outputs());
  note(graph.doc, graph.metadata);
  initializers_and_infos(graph);
  out_ += '{';
  indent_ += step;
  for (const Node& held : graph.nodes()) {
    new_line();
    node(held);
  }
  indent_ -= step;
  new_line();
  out_ += '}';
}

// One that is left out is nothing between two commas; at the end that would vanish, so there it is
// "".
void Printer::operands(const std::vector<Value*>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out_ += ", ";
    if (values[i] != nullptr) {
      append_name(out_, values[i]->name());
    } else if (i + 1 == values.size()) {
      out_ += "\"\"";
    }
  }
}

void Printer::op(const Node& node) {
  if (!node.domain.empty()) {
    if (is_dotted(node.domain)) {
      out_ += node.domain;
    } else {
      append_quoted(out_, node.domain);
    }
    out_ += '.';
  }
  append_word(out_, node.op_type);
  if (node.overload.empty()) return;
  out_ += ':';
  append_word(out_, node.overload);
}

// On one line, or on one each when there are graphs among them.
void Printer::node_attributes(const Node& node) {
  const bool has_graphs = !node.subgraphs().empty();
  out_ += " <";
  indent_ += step;
  for (const Attribute& held : node.attributes) {
    const bool is_first = &held == &node.attributes.front();
    if (!is_first) out_ += has_graphs ? "," : ", ";
    if (has_graphs) new_line();
    attribute(held);
  }
  indent_ -= step;
  if (has_graphs) new_line();
  out_ += '>';
}

void Printer::node(const Node& node) {
  if (!node.name.empty()) {
    out_ += '[';
    append_word(out_, node.name);
    out_ += "] ";
  }
  operands(node.outputs());
  out_ += node.outputs().empty() ? "= " : " = ";
  op(node);
  const bool has_attributes = !node.attributes.empty();
  const bool has_graphs = !node.subgraphs().empty();
  if (has_attributes && !has_graphs) {
    node_attributes(node);
    out_ += ' ';
  }
  out_ += '(';
  operands(node.inputs());
  out_ += ')';
  if (has_graphs) node_attributes(node);
  note(node.doc, node.metadata);
}

}  // namespace hone::syntax

namespace hone {

std::string print_text(const Model& model, const PrintOptions& options) {
  syntax::Printer printer(options);
  printer.model(model);
  return printer.take();
}

std::string print_text(const Graph& graph, const PrintOptions& options) {
  syntax::Printer printer(options);
  printer.graph(graph);
  return printer.take() + '\n';
}

std::string print_text(const Node& node, const PrintOptions& options) {
  syntax::Printer printer(options);
  printer.node(node);
  return printer.take();
}

}  // namespace hone
