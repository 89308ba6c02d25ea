#include "tokenize/fields.h"

#include "base/text.h"
#include "tokenize/utf8.h"

namespace hone::tokenize {

Failure bad_field(std::string_view where, const Json* found, std::string_view wanted) {
  return fail(Fault::bad_input, "cannot read the tokenizer",
              "'" + std::string(where) + "' is " + (found ? found->described_kind() : "absent") +
                  ", and " + std::string(wanted) + " is needed");
}

const Json* optional_member(const Json& json, std::string_view name) {
  const Json* found = json.find(name);
  return found == nullptr || found->is_null() ? nullptr : found;
}

Result<const Json*> member(const Json& json, std::string_view name) {
  const Json* found = json.find(name);
  if (found == nullptr) return bad_field(name, nullptr, "a value");
  return found;
}

Result<std::string> string_field(const Json& json, std::string_view name) {
  const Json* found = json.find(name);
  if (found == nullptr || found->as_string() == nullptr) return bad_field(name, found, "a string");
  return *found->as_string();
}

Result<std::string> string_or(const Json& json, std::string_view name, std::string_view other) {
  if (optional_member(json, name) == nullptr) return std::string(other);
  return string_field(json, name);
}

Result<bool> bool_field(const Json& json, std::string_view name) {
  const Json* found = json.find(name);
  if (found == nullptr || found->as_bool() == nullptr)
    return bad_field(name, found, "true or false");
  return *found->as_bool();
}

Result<bool> bool_or(const Json& json, std::string_view name, bool other) {
  if (optional_member(json, name) == nullptr) return other;
  return bool_field(json, name);
}

Result<std::uint64_t> count_field(const Json& json, std::string_view name) {
  const Json* found = json.find(name);
  if (found != nullptr) {
    if (auto count = found->to_uint()) return *count;
  }
  return bad_field(name, found, "a count");
}

Result<std::uint64_t> count_or(const Json& json, std::string_view name, std::uint64_t other) {
  if (optional_member(json, name) == nullptr) return other;
  return count_field(json, name);
}

Result<const Json::Array*> array_field(const Json& json, std::string_view name) {
  const Json* found = json.find(name);
  if (found == nullptr || found->as_array() == nullptr) return bad_field(name, found, "a list");
  return found->as_array();
}

Result<std::string> character_field(const Json& json, std::string_view name) {
  HONE_TRY(std::string text, string_field(json, name));
  if (count_characters(text) != 1) return bad_field(name, json.find(name), "one character");
  return text;
}

Result<std::string> type_of(const Json& json, std::string_view what) {
  if (json.as_object() == nullptr) return bad_field(what, &json, "an object");
  return string_field(json, "type");
}

Failure unknown_type(std::string_view what, std::string_view name) {
  return fail(
      Fault::unsupported, "cannot read the tokenizer",
      "it has the " + std::string(what) + " '" + printable(name) + "', which hone does not know",
      "docs/tokenize.md lists those it knows");
}

}  // namespace hone::tokenize
