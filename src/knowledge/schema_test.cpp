// knowledge/schema.json is for editors and other programs. It is what the field lists accept,
// because it is made of them: UPDATE_GOLDEN=1 writes it.

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/file.h"
#include "record/finding.h"

namespace hone {
namespace {

Json typed(const char* type) { return Json::object().set("type", type); }

template <class T>
struct DefinitionName;
#define NAMED(type, name)                             \
  template <>                                         \
  struct DefinitionName<type> {                       \
    static constexpr std::string_view value = (name); \
  }
NAMED(FindingFile, "file");
NAMED(Finding, "finding");
NAMED(Predicate, "predicate");
NAMED(Change, "change");
NAMED(FindingEffect, "effect");
NAMED(FindingAccuracy, "accuracy_effect");
NAMED(FindingMechanism, "mechanism");
NAMED(FindingTrial, "trial");
NAMED(FindingScope, "scope");
NAMED(FindingEvidence, "evidence");
NAMED(FindingEvent, "event");
#undef NAMED

// Records become definitions, each once, so that a predicate can hold predicates.
class SchemaMaker {
 public:
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
      properties.set("schema_version", Json::object().set("const", finding_schema_version));
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
  std::vector<std::string> seen_;
  Json definitions_ = Json::object();
};

std::string schema() {
  SchemaMaker maker;
  Json document = Json::object();
  document.set("$schema", "https://json-schema.org/draft/2020-12/schema");
  document.set("title", "Findings of hone's knowledge base");
  const Json file = maker.object_of<FindingFile>(true);
  for (const auto& [key, value] : *file.as_object()) document.set(key, value);
  document.set("$defs", maker.take_definitions());
  return document.dump() + "\n";
}

TEST(FindingSchema, IsWhatTheFieldListsAccept) {
  const Path path = Path(HONE_SOURCE_DIR) / "knowledge/schema.json";
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(write_file(path, schema()));
    return;
  }
  const auto text = read_file(path);
  ASSERT_TRUE(text) << text.error().cause;
  EXPECT_EQ(*text, schema()) << "UPDATE_GOLDEN=1 writes it";
}

}  // namespace
}  // namespace hone
