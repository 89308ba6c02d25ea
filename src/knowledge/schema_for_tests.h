#pragma once
// A JSON Schema of what a field list accepts, made of the list itself. A test names its records
// with HONE_DEFINITION and compares the schema with the file beside the data.

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "record/fields.h"

namespace hone {

inline Json typed(const char* type) { return Json::object().set("type", type); }

template <class T>
struct DefinitionName;
#define HONE_DEFINITION(type, name)                   \
  template <>                                         \
  struct DefinitionName<type> {                       \
    static constexpr std::string_view value = (name); \
  }

// Records become definitions, each once, so that a predicate can hold predicates.
class SchemaMaker {
 public:
  explicit SchemaMaker(std::int64_t schema_version) : schema_version_(schema_version) {}

  template <class T>
  Json schema_of() {
    if constexpr (std::same_as<T, bool>) {
      return typed("boolean");
    } else if constexpr (std::same_as<T, std::string>) {
      return typed("string");
    } else if constexpr (std::floating_point<T>) {
      return typed("number");
    } else if constexpr (std::unsigned_integral<T>) {
      return typed("integer").set("minimum", 0);
    } else if constexpr (NamedEnum<T>) {
      Json names = Json::array();
      for (const EnumName<T>& entry : enum_names(T{})) names.push(Json(entry.name));
      return Json::object().set("enum", std::move(names));
    } else if constexpr (detail::is_optional<T>) {
      Json choices = Json::array();
      choices.push(schema_of<typename T::value_type>()).push(typed("null"));
      return Json::object().set("anyOf", std::move(choices));
    } else if constexpr (detail::is_vector<T>) {
      return typed("array").set("items", schema_of<typename T::value_type>());
    } else {
      return reference_to<T>();
    }
  }

  Json take_definitions() { return std::move(definitions_); }

 private:
  template <Record T>
  Json reference_to() {
    const std::string name(DefinitionName<T>::value);
    if (std::ranges::find(seen_, name) == seen_.end()) {
      seen_.push_back(name);
      Json definition = object_of<T>();
      definitions_.set(name, std::move(definition));
    }
    return Json::object().set("$ref", "#/$defs/" + name);
  }

 public:
  template <Record T>
  Json object_of(bool is_document = false) {
    Json properties = Json::object();
    Json required = Json::array();
    if (is_document) {
      properties.set("schema_version", Json::object().set("const", schema_version_));
      required.push(Json("schema_version"));
    }
    const T record;
    for_each_field(record, [&](std::string_view name, const auto& member, Presence presence = {}) {
      properties.set(name, schema_of<std::remove_cvref_t<decltype(member)>>());
      if (presence == Presence::required) required.push(Json(name));
    });
    Json schema = typed("object");
    schema.set("properties", std::move(properties));
    if (!required.as_array()->empty()) schema.set("required", std::move(required));
    return schema.set("additionalProperties", false);
  }

 private:
  std::int64_t schema_version_;
  std::vector<std::string> seen_;
  Json definitions_ = Json::object();
};

// The schema of a file that holds one T.
template <Record T>
std::string schema_of_file(std::string_view title, std::int64_t schema_version) {
  SchemaMaker maker(schema_version);
  Json document = Json::object();
  document.set("$schema", "https://json-schema.org/draft/2020-12/schema");
  document.set("title", title);
  const Json file = maker.object_of<T>(true);
  for (const auto& [key, value] : *file.as_object()) document.set(key, value);
  document.set("$defs", maker.take_definitions());
  return document.dump() + "\n";
}

}  // namespace hone
