#include "model/text/names.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"

namespace hone::syntax {
namespace {

constexpr std::string_view unknown_element = "type_";
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
  std::string word = name_of(type);
  if (element_type_named(word)) return word;
  return std::string(unknown_element) + std::to_string(static_cast<std::int32_t>(type));
}

std::optional<ElementType> element_named(std::string_view word) {
  if (const auto known = element_type_named(word)) return known;
  if (!word.starts_with(unknown_element)) return std::nullopt;
  const std::string_view digits = word.substr(unknown_element.size());
  std::int32_t number = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (problem != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return static_cast<ElementType>(number);
}

bool is_type_word(std::string_view word) {
  return std::ranges::find(type_keywords, word) != type_keywords.end() || element_named(word);
}

std::string_view attribute_type_word(AttributeType type) {
  const auto index = static_cast<std::size_t>(type);
  return index < attribute_words.size() ? attribute_words[index] : attribute_words[0];
}

std::optional<AttributeType> attribute_type_named(std::string_view word) {
  const auto found = std::ranges::find(attribute_words, word);
  if (found == attribute_words.end()) return std::nullopt;
  return static_cast<AttributeType>(found - attribute_words.begin());
}

AttributeType list_of(AttributeType type) {
  const auto found = std::ranges::find(list_types, type, &ListType::one);
  return found == list_types.end() ? AttributeType::undefined : found->several;
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
