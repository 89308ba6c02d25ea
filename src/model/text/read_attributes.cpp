// Attributes: name = value, name: type = value, name: type = @reference, @reference.

#include "model/text/names.h"
#include "model/text/numbers.h"
#include "model/text/syntax.h"

namespace hone::syntax {
namespace {

// One value: of an attribute, or of the list it holds.
struct Single {
  Attribute::Held held;
  std::vector<GraphSyntax> graph;  // one, when it is a graph

  AttributeType type() const {
    return graph.empty() ? static_cast<AttributeType>(held.index()) : AttributeType::graph;
  }
};

Single single(Attribute::Held held) { return {std::move(held), {}}; }

Result<Single> read_graph_value(Cursor& cursor, std::string name, int depth) {
  HONE_TRY(GraphSyntax graph, read_graph_body(cursor, std::move(name), depth + 1));
  Single value;
  value.graph.push_back(std::move(graph));
  return value;
}

// A type alone, or with the data of a tensor behind it.
Result<Single> read_typed_value(Cursor& cursor) {
  const std::size_t offset = cursor.peek().offset;
  HONE_TRY(Type type, read_type(cursor));
  if (cursor.at(Token::Kind::ellipsis)) return cursor.unexpected("the data of a tensor");
  std::string name;
  const bool is_named = cursor.at(Token::Kind::word) || cursor.at(Token::Kind::string);
  if (!is_named && !cursor.at('=') && !cursor.at('{')) return single(std::move(type));
  if (is_named) {
    HONE_TRY(Name own, read_name(cursor, "the name of a tensor"));
    name = std::move(own.text);
  }
  cursor.accept('=');
  if (type.kind == Type::Kind::sparse_tensor) {
    HONE_TRY(SparseTensorPtr sparse, read_sparse_tensor(cursor, type, offset, std::move(name)));
    return single(std::move(sparse));
  }
  HONE_TRY(TensorPtr tensor, read_tensor(cursor, type, offset, std::move(name)));
  return single(std::move(tensor));
}

Result<Single> read_string_value(Cursor& cursor, int depth) {
  std::string text = unquoted(cursor.take().text);
  if (cursor.at('(')) return read_graph_value(cursor, std::move(text), depth);
  return single(Blob::own(std::move(text)));
}

Result<Single> read_single(Cursor& cursor, AttributeType wanted, int depth) {
  if (cursor.at(Token::Kind::string)) return read_string_value(cursor, depth);
  const bool is_float =
      at_real(cursor) || (wanted == AttributeType::float_ && cursor.at(Token::Kind::integer));
  if (is_float) {
    HONE_TRY(const float value, read_real<float>(cursor));
    return single(value);
  }
  if (cursor.at(Token::Kind::integer)) {
    HONE_TRY(const std::int64_t value, read_integer(cursor, "an int64"));
    return single(value);
  }
  if (at_type(cursor)) return read_typed_value(cursor);
  if (wanted == AttributeType::type && cursor.accept('?')) return single(Type{});
  if (!cursor.at(Token::Kind::word)) {
    return cursor.unexpected("a value (a number, a string, a tensor, a type, a graph or a list)");
  }
  HONE_TRY(Name name, read_name(cursor, "the name of a graph"));
  return read_graph_value(cursor, std::move(name.text), depth);
}

Status check_type(const Cursor& cursor, std::size_t offset, AttributeType wanted,
                  AttributeType found) {
  if (wanted == AttributeType::undefined || wanted == found) return done();
  return cursor.error(offset, "expected a value of type " + attribute_type_word(wanted) +
                                  ", found one of type " + attribute_type_word(found));
}

template <class T>
void append_to(Attribute::Held& list, Attribute::Held&& value) {
  if (list.index() == 0) list = std::vector<T>();
  std::get<std::vector<T>>(list).push_back(std::get<T>(std::move(value)));
}

void append_single(AttributeSyntax& made, Single&& value) {
  Attribute::Held& list = made.attribute.held;
  switch (value.type()) {
    case AttributeType::float_:
      return append_to<float>(list, std::move(value.held));
    case AttributeType::int_:
      return append_to<std::int64_t>(list, std::move(value.held));
    case AttributeType::string:
      return append_to<Blob>(list, std::move(value.held));
    case AttributeType::tensor:
      return append_to<TensorPtr>(list, std::move(value.held));
    case AttributeType::sparse_tensor:
      return append_to<SparseTensorPtr>(list, std::move(value.held));
    case AttributeType::type:
      return append_to<Type>(list, std::move(value.held));
    default:
      break;
  }
  made.graph_type = AttributeType::graphs;
  made.graphs.push_back(std::move(value.graph.front()));
}

Attribute::Held empty_list(AttributeType type) {
  switch (type) {
    case AttributeType::floats:
      return Attribute::Floats();
    case AttributeType::ints:
      return Attribute::Ints();
    case AttributeType::strings:
      return std::vector<Blob>();
    case AttributeType::tensors:
      return std::vector<TensorPtr>();
    case AttributeType::sparse_tensors:
      return std::vector<SparseTensorPtr>();
    case AttributeType::types:
      return std::vector<Type>();
    default:
      return std::vector<std::unique_ptr<Graph>>();
  }
}

// Behind the '['.
Status read_list(Cursor& cursor, AttributeType declared, int depth, AttributeSyntax& made) {
  AttributeType wanted = one_of(declared);
  if (declared != AttributeType::undefined && wanted == AttributeType::undefined) {
    return cursor.error(cursor.peek().offset, "expected a value of type " +
                                                  attribute_type_word(declared) + ", found a list");
  }
  if (cursor.at(']')) {
    if (declared == AttributeType::undefined) {
      return cursor.unexpected("a value (an empty list needs its type, as in 'axes: ints = []')");
    }
    cursor.take();
    made.attribute.held = empty_list(declared);
    return done();
  }
  do {
    if (!cursor.at(Token::Kind::integer) && !at_real(cursor)) HONE_TRY_DO(cursor.count_thing());
    const std::size_t offset = cursor.peek().offset;
    HONE_TRY(Single value, read_single(cursor, wanted, depth));
    HONE_TRY_DO(check_type(cursor, offset, wanted, value.type()));
    wanted = value.type();
    append_single(made, std::move(value));
  } while (cursor.accept(','));
  return cursor.expect(']', "or ',' after a value of a list");
}

Status read_reference(Cursor& cursor, AttributeType declared, Attribute& attribute) {
  HONE_TRY(Name reference, read_name(cursor, "the name of an attribute after '@'"));
  if (reference.text.empty()) return cursor.error(reference.offset, "a reference needs a name");
  attribute.reference = std::move(reference.text);
  attribute.declared = declared;
  return done();
}

// ": type", or undefined.
Result<AttributeType> read_declared_type(Cursor& cursor, bool& is_declared) {
  is_declared = cursor.accept(':');
  if (!is_declared) return AttributeType::undefined;
  const auto type = attribute_type_named(cursor.peek().text);
  if (!cursor.at(Token::Kind::word) || !type) {
    return cursor.unexpected("the type of an attribute such as int, floats, tensor or graph");
  }
  cursor.take();
  return *type;
}

Status read_value(Cursor& cursor, AttributeType declared, int depth, AttributeSyntax& made) {
  if (cursor.accept('@')) return read_reference(cursor, declared, made.attribute);
  if (cursor.accept('[')) return read_list(cursor, declared, depth, made);
  const std::size_t offset = cursor.peek().offset;
  HONE_TRY(Single value, read_single(cursor, declared, depth));
  HONE_TRY_DO(check_type(cursor, offset, declared, value.type()));
  if (value.type() == AttributeType::graph) made.graph_type = AttributeType::graph;
  made.attribute.held = std::move(value.held);
  made.graphs = std::move(value.graph);
  return done();
}

}  // namespace

Result<AttributeSyntax> read_attribute(Cursor& cursor, std::string name, int depth) {
  HONE_TRY_DO(cursor.count_thing());
  AttributeSyntax made;
  made.attribute.name = std::move(name);
  bool is_declared = false;
  HONE_TRY(const AttributeType declared, read_declared_type(cursor, is_declared));
  HONE_TRY(made.attribute.doc, read_note_of(cursor, "doc_string"));
  HONE_TRY_DO(cursor.expect('=', "before the value of an attribute"));
  const bool is_nothing = is_declared && declared == AttributeType::undefined && cursor.accept('?');
  if (!is_nothing) HONE_TRY_DO(read_value(cursor, declared, depth, made));
  return made;
}

Result<std::vector<AttributeSyntax>> read_attributes(Cursor& cursor, int depth) {
  std::vector<AttributeSyntax> attributes;
  if (!cursor.accept('<')) return attributes;
  do {
    if (cursor.accept('@')) {
      Attribute attribute;
      HONE_TRY_DO(read_reference(cursor, AttributeType::undefined, attribute));
      attribute.name = attribute.reference;
      attributes.push_back({std::move(attribute), AttributeType::undefined, {}});
      continue;
    }
    HONE_TRY(Name name, read_name(cursor, "the name of an attribute"));
    HONE_TRY(AttributeSyntax attribute, read_attribute(cursor, std::move(name.text), depth));
    attributes.push_back(std::move(attribute));
  } while (cursor.accept(','));
  HONE_TRY_DO(cursor.expect('>', "or ',' after an attribute"));
  return attributes;
}

}  // namespace hone::syntax
