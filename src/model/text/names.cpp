#include "model/text/names.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"

namespace hone::syntax {
namespace {

// Before the number of a type that has no name.
constexpr std::string_view numbered_prefix = "type_";
constexpr std::array<std::string_view, 5> type_keywords = {"seq", "map", "optional",
                                                           "sparse_tensor", "opaque"};

// In the order of AttributeType.
constexpr std::array<std::string_view, 15> attribute_words = {
    "undefined",      "float",      "int",        "string",  "tensor", "graph",
    "floats",         "ints",       "strings",    "tensors", "graphs", "sparse_tensor",
    "sparse_tensors", "type_proto", "type_protos"};

struct ListType {
  AttributeType one;
  AttributeType several;
};
constexpr std::array<ListType, 7> list_types = {{
    {AttributeType::float_, AttributeType::floats},
    {AttributeType::int_, AttributeType::ints},
    {AttributeType::string, AttributeType::strings},
    {AttributeType::tensor, AttributeType::tensors},
    {AttributeType::graph, AttributeType::graphs},
    {AttributeType::sparse_tensor, AttributeType::sparse_tensors},
    {AttributeType::type, AttributeType::types},
}};

// As an unsigned number: a word holds no minus sign.
std::string numbered_word(std::int32_t number) {
  return std::string(numbered_prefix) + std::to_string(static_cast<std::uint32_t>(number));
}

std::optional<std::int32_t> number_of(std::string_view word) {
  if (!word.starts_with(numbered_prefix)) return std::nullopt;
  const std::string_view digits = word.substr(numbered_prefix.size());
  std::uint32_t number = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (problem != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return static_cast<std::int32_t>(number);
}

}  // namespace

bool is_word(std::string_view name) {
  return !name.empty() && begins_word(name.front()) && std::ranges::all_of(name, continues_word);
}

bool is_dotted(std::string_view name) {
  return std::ranges::all_of(split(name, '.'),
                             [](const std::string& part) { return is_word(part); });
}

bool is_special_real(std::string_view word) {
  std::string lowered = lowercase(word);
  if (lowered.starts_with('-')) lowered.erase(0, 1);
  return lowered == "inf" || lowered == "infinity" || lowered == "nan";
}

std::string element_word(ElementType type) {
  const std::string word = name_of(type);
  return element_type_named(word) ? word : numbered_word(static_cast<std::int32_t>(type));
}

std::optional<ElementType> element_named(std::string_view word) {
  if (const auto known = element_type_named(word)) return known;
  const auto number = number_of(word);
  return number ? std::optional(static_cast<ElementType>(*number)) : std::nullopt;
}

bool is_type_word(std::string_view word) {
  return std::ranges::find(type_keywords, word) != type_keywords.end() || element_named(word);
}

std::string attribute_type_word(AttributeType type) {
  const auto index = static_cast<std::size_t>(type);
  if (index < attribute_words.size()) return std::string(attribute_words[index]);
  return numbered_word(static_cast<std::int32_t>(type));
}

std::optional<AttributeType> attribute_type_named(std::string_view word) {
  const auto found = std::ranges::find(attribute_words, word);
  if (found != attribute_words.end()) {
    return static_cast<AttributeType>(found - attribute_words.begin());
  }
  const auto number = number_of(word);
  return number ? std::optional(static_cast<AttributeType>(*number)) : std::nullopt;
}

AttributeType one_of(AttributeType type) {
  const auto found = std::ranges::find(list_types, type, &ListType::several);
  return found == list_types.end() ? AttributeType::undefined : found->one;
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

void append_word(std::string& out, std::string_view name) {
  if (is_word(name)) {
    out += name;
  } else {
    append_quoted(out, name);
  }
}

void append_name(std::string& out, std::string_view name) {
  if (is_type_word(name) || is_special_real(name)) {
    append_quoted(out, name);
  } else {
    append_word(out, name);
  }
}

}  // namespace hone::syntax
