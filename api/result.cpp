// Reading results: values of a document by JSON pointer.

#include <charconv>
#include <limits>
#include <string_view>

#include "api/handles.h"

namespace {

using hone::Json;

// "~1" is a slash and "~0" a tilde.
std::string unescape(std::string_view token) {
  std::string text;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool is_escape = token[i] == '~' && i + 1 < token.size();
    if (is_escape && token[i + 1] == '1') {
      text += '/', ++i;
    } else if (is_escape && token[i + 1] == '0') {
      text += '~', ++i;
    } else {
      text += token[i];
    }
  }
  return text;
}

const Json* element(const Json::Array& array, std::string_view token) {
  std::size_t index = 0;
  const auto [end, problem] = std::from_chars(token.data(), token.data() + token.size(), index);
  if (problem != std::errc{} || end != token.data() + token.size()) return nullptr;
  return index < array.size() ? &array[index] : nullptr;
}

const Json* find(const Json& document, std::string_view pointer) {
  const Json* at = &document;
  while (at != nullptr && !pointer.empty()) {
    if (pointer.front() != '/') return nullptr;
    pointer.remove_prefix(1);
    const std::string_view token = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(token.size());
    at = at->as_array() != nullptr ? element(*at->as_array(), token) : at->find(unescape(token));
  }
  return at;
}

const Json* find(const hone_result* result, const char* pointer) {
  if (result == nullptr || pointer == nullptr) return nullptr;
  return find(result->document, pointer);
}

std::string text_of(const Json& value) {
  return value.as_string() != nullptr ? *value.as_string() : value.dump(-1);
}

}  // namespace

const char* hone_result_json(const hone_result* result) {
  return result != nullptr ? result->json.c_str() : nullptr;
}

const char* hone_result_text(const hone_result* result, const char* pointer) try {
  const Json* value = find(result, pointer);
  if (value == nullptr || value->is_null()) return nullptr;
  const std::scoped_lock lock(result->mutex);
  const auto known = result->texts.find(std::string_view(pointer));
  if (known != result->texts.end()) return known->second.c_str();
  return result->texts.emplace(pointer, text_of(*value)).first->second.c_str();
} catch (...) {
  return nullptr;  // no memory for it
}

double hone_result_number(const hone_result* result, const char* pointer) try {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const Json* value = find(result, pointer);
  if (value == nullptr) return none;
  return value->to_double().value_or(none);
} catch (...) {
  return std::numeric_limits<double>::quiet_NaN();
}

size_t hone_result_count(const hone_result* result, const char* pointer) try {
  const Json* value = find(result, pointer);
  if (value == nullptr) return 0;
  if (value->as_array() != nullptr) return value->as_array()->size();
  return value->as_object() != nullptr ? value->as_object()->size() : 0;
} catch (...) {
  return 0;
}

void hone_result_free(hone_result* result) { delete result; }
