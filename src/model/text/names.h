#pragma once
// The words of the syntax: which names may stand without quotes, and the tables of type names.

#include <optional>
#include <string>
#include <string_view>

#include "model/graph.h"
#include "model/types.h"

namespace hone::syntax {

constexpr bool begins_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool continues_word(char c) { return begins_word(c) || (c >= '0' && c <= '9'); }

bool is_word(std::string_view name);
// Words with dots between them.
bool is_dotted(std::string_view name);
// "float", "seq", ...: where a type may stand, these are one.
bool is_type_word(std::string_view word);
// "inf", "-inf", "infinity", "nan" and "-nan", in any case.
bool is_special_real(std::string_view word);

// Element types as the text spells them: as name_of does, and type_99 for a number we do not know.
std::string element_word(ElementType type);
std::optional<ElementType> element_named(std::string_view word);

// "int", "floats", "type_proto", ...: ONNX's words for kinds of attributes; type_99 here too.
std::string attribute_type_word(AttributeType type);
std::optional<AttributeType> attribute_type_named(std::string_view word);
// The type of a list of these (int -> ints), and of one of a list (ints -> int); undefined when
// there is none.
AttributeType list_of(AttributeType type);
AttributeType one_of(AttributeType type);

void append_quoted(std::string& out, std::string_view text);
// In quotes only where it must be.
void append_word(std::string& out, std::string_view name);
// The same for names of values, graphs and tensors, which may stand where a type or a number could.
void append_name(std::string& out, std::string_view name);

}  // namespace hone::syntax
