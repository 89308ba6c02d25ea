// Types. `float` is a scalar, `float[]` a tensor of unknown rank, `float[N,3,?]` one of known rank.

#include "model/text/names.h"
#include "model/text/numbers.h"
#include "model/text/syntax.h"

namespace hone::syntax {
namespace {

Result<Dim> read_dim(Cursor& cursor) {
  Dim dim;
  if (cursor.at(Token::Kind::integer)) {
    HONE_TRY(dim.value, read_integer(cursor, "a dimension"));
  } else if (!cursor.accept('?')) {
    HONE_TRY(Name symbol, read_name(cursor, "a dimension (a number, a name or '?')"));
    dim.symbol = std::move(symbol.text);
  }
  HONE_TRY(dim.denotation, read_note_of(cursor, "denotation"));
  return dim;
}

Result<std::optional<Shape>> read_shape(Cursor& cursor) {
  Shape shape;
  if (!cursor.accept('[')) return std::optional<Shape>(shape);
  if (cursor.accept(']')) return std::optional<Shape>();
  do {
    if (shape.size() >= max_rank) {
      return cursor.error(cursor.peek().offset,
                          "a shape has more than " + std::to_string(max_rank) + " dimensions");
    }
    HONE_TRY(Dim dim, read_dim(cursor));
    shape.push_back(std::move(dim));
  } while (cursor.accept(','));
  HONE_TRY_DO(cursor.expect(']', "or ',' after a dimension"));
  return std::optional<Shape>(std::move(shape));
}

Result<ElementType> read_element_type(Cursor& cursor, std::string_view what) {
  const auto element = element_named(cursor.peek().text);
  if (!cursor.at(Token::Kind::word) || !element) return cursor.unexpected(what);
  cursor.take();
  return *element;
}

Result<Type> read_tensor_type(Cursor& cursor, Type::Kind kind) {
  Type type;
  type.kind = kind;
  HONE_TRY(type.element, read_element_type(cursor, "an element type such as float or int64"));
  HONE_TRY(type.shape, read_shape(cursor));
  return type;
}

Status read_inner(Cursor& cursor, int depth, Type& type) {
  if (cursor.accept('?')) return done();
  if (depth >= max_depth) {
    return cursor.error(cursor.peek().offset,
                        "types are nested more than " + std::to_string(max_depth) + " deep");
  }
  HONE_TRY(Type inner, read_type(cursor, depth + 1));
  type.inner = std::make_shared<const Type>(std::move(inner));
  return done();
}

// Words with dots between them, or a name in quotes.
Result<std::string> read_dotted(Cursor& cursor) {
  HONE_TRY(Name name, read_name(cursor, "a name"));
  while (cursor.accept('.')) {
    HONE_TRY(const Name part, read_name(cursor, "a name after '.'"));
    name.text += '.' + part.text;
  }
  return std::move(name.text);
}

Status read_opaque(Cursor& cursor, Type& type) {
  if (cursor.at(')')) return done();
  HONE_TRY(type.opaque_name, read_dotted(cursor));
  if (!cursor.accept(',')) return done();
  type.opaque_domain = std::move(type.opaque_name);
  HONE_TRY(type.opaque_name, read_dotted(cursor));
  return done();
}

// What stands between the parentheses of seq(...), map(...), ...
Status read_arguments(Cursor& cursor, std::string_view word, int depth, Type& type) {
  if (word == "sparse_tensor") {
    HONE_TRY(type, read_tensor_type(cursor, Type::Kind::sparse_tensor));
    return done();
  }
  if (word == "opaque") {
    type.kind = Type::Kind::opaque;
    return read_opaque(cursor, type);
  }
  if (word == "map") {
    type.kind = Type::Kind::map;
    HONE_TRY(type.element, read_element_type(cursor, "the element type of a map's keys"));
    HONE_TRY_DO(cursor.expect(',', "after the key type of a map"));
  } else {
    type.kind = word == "seq" ? Type::Kind::sequence : Type::Kind::optional;
  }
  return read_inner(cursor, depth, type);
}

}  // namespace

bool at_type(const Cursor& cursor) {
  return cursor.at(Token::Kind::word) && is_type_word(cursor.peek().text);
}

Result<Type> read_type(Cursor& cursor, int depth) {
  if (!at_type(cursor)) return cursor.unexpected("a type");
  Type type;
  if (element_named(cursor.peek().text)) {
    HONE_TRY(type, read_tensor_type(cursor, Type::Kind::tensor));
  } else {
    const Token word = cursor.take();
    HONE_TRY_DO(cursor.expect('(', "after '" + std::string(word.text) + "'"));
    HONE_TRY_DO(read_arguments(cursor, word.text, depth, type));
    HONE_TRY_DO(cursor.expect(')', "after the arguments of '" + std::string(word.text) + "'"));
  }
  HONE_TRY(type.denotation, read_note_of(cursor, "denotation"));
  return type;
}

}  // namespace hone::syntax
