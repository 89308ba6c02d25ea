// Models and functions: their headers, and the whole text.

#include <array>

#include "model/text/numbers.h"
#include "model/text/syntax.h"
#include "model/text/text.h"

namespace hone {
namespace syntax {
namespace {

Result<std::vector<OpsetImport>> read_opsets(Cursor& cursor) {
  std::vector<OpsetImport> opsets;
  HONE_TRY_DO(cursor.expect('[', "before a list of \"domain\" : version"));
  if (cursor.accept(']')) return opsets;
  do {
    HONE_TRY_DO(cursor.count_thing());
    OpsetImport& opset = opsets.emplace_back();
    HONE_TRY(opset.domain, read_string(cursor, "a domain"));
    HONE_TRY_DO(cursor.expect(':', "after a domain"));
    HONE_TRY(opset.version, read_integer(cursor, "an opset version"));
  } while (cursor.accept(','));
  HONE_TRY_DO(cursor.expect(']', "or ',' after an opset version"));
  return opsets;
}

Status read_model_key(Cursor& cursor, std::string_view key, Model& model) {
  if (key == "opset_import") {
    HONE_TRY(model.opsets, read_opsets(cursor));
  } else if (key == "metadata_props") {
    HONE_TRY(model.metadata, read_entries(cursor));
  } else if (key == "ir_version") {
    HONE_TRY(model.ir_version, read_integer(cursor, "a version of the format"));
  } else if (key == "model_version") {
    HONE_TRY(model.model_version, read_integer(cursor, "a version of the model"));
  } else {
    std::string& text = key == "producer_name"      ? model.producer_name
                        : key == "producer_version" ? model.producer_version
                        : key == "domain"           ? model.domain
                                                    : model.doc;
    HONE_TRY(text, read_string(cursor, "a text"));
  }
  return done();
}

Status read_model_header(Cursor& cursor, Model& model) {
  static const std::array<std::string, 8> keys = {
      "ir_version", "opset_import",  "producer_name", "producer_version",
      "domain",     "model_version", "doc_string",    "metadata_props"};
  model.ir_version = default_ir_version;
  model.opsets.emplace_back().version = default_opset;
  if (!cursor.at('<')) return done();
  return read_keys(cursor, keys,
                   [&](std::string_view key) { return read_model_key(cursor, key, model); });
}

Status read_function_key(Cursor& cursor, std::string_view key, Function& function) {
  if (key == "opset_import") {
    HONE_TRY(function.opsets, read_opsets(cursor));
  } else if (key == "metadata_props") {
    HONE_TRY(function.metadata, read_entries(cursor));
  } else {
    std::string& text = key == "domain"     ? function.domain
                        : key == "overload" ? function.overload
                                            : function.doc;
    HONE_TRY(text, read_string(cursor, "a text"));
  }
  return done();
}

// '<' names and attributes with their defaults '>', or nothing.
Status read_function_attributes(Cursor& cursor, Function& function) {
  if (!cursor.accept('<')) return done();
  do {
    HONE_TRY_DO(cursor.count_thing());
    HONE_TRY(Name name, read_name(cursor, "the name of an attribute"));
    if (cursor.at(',') || cursor.at('>')) {
      function.attribute_names.push_back(std::move(name.text));
      continue;
    }
    HONE_TRY(AttributeSyntax syntax, read_attribute(cursor, std::move(name.text), 0));
    HONE_TRY(Attribute attribute, build_attribute(cursor, std::move(syntax), *function.body));
    function.attribute_defaults.push_back(std::move(attribute));
  } while (cursor.accept(','));
  return cursor.expect('>', "or ',' after an attribute");
}

Status refuse_initializers(const Cursor& cursor, const GraphSyntax& body) {
  for (const auto* list : {&body.inputs, &body.values}) {
    for (const ValueSyntax& value : *list) {
      if (!value.tensor && !value.sparse) continue;
      return cursor.error(value.name.offset, "a function cannot hold an initializer",
                          "make it with a Constant node");
    }
  }
  return done();
}

Result<Function> read_function(Cursor& cursor) {
  static const std::array<std::string, 5> keys = {"domain", "overload", "opset_import",
                                                  "doc_string", "metadata_props"};
  Function function;
  function.body = std::make_unique<Graph>();
  if (cursor.at('<')) {
    HONE_TRY_DO(read_keys(cursor, keys, [&](std::string_view key) {
      return read_function_key(cursor, key, function);
    }));
  }
  HONE_TRY(Name name, read_name(cursor, "the name of a function"));
  function.name = std::move(name.text);
  HONE_TRY_DO(read_function_attributes(cursor, function));
  HONE_TRY(GraphSyntax body, read_graph_body(cursor, {}, 0));
  HONE_TRY_DO(refuse_initializers(cursor, body));
  HONE_TRY_DO(build_graph(cursor, std::move(body), *function.body));
  return function;
}

Result<Model> read_model(Cursor& cursor) {
  Model model;
  HONE_TRY_DO(read_model_header(cursor, model));
  HONE_TRY(GraphSyntax graph, read_graph(cursor, 0));
  HONE_TRY_DO(build_graph(cursor, std::move(graph), *model.graph));
  while (!cursor.at(Token::Kind::end)) {
    HONE_TRY(Function function, read_function(cursor));
    model.functions.push_back(std::move(function));
  }
  return model;
}

}  // namespace
}  // namespace syntax

Result<Model> parse_text(std::string_view text) {
  syntax::Cursor cursor(text);
  return syntax::read_model(cursor);
}

}  // namespace hone
