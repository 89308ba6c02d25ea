#include "base/json_trim.h"

namespace hone {

bool is_empty(const Json& value) {
  if (value.is_null() || value == Json("")) return true;
  if (const Json::Array* array = value.as_array()) return array->empty();
  const Json::Object* object = value.as_object();
  return object != nullptr && object->empty();
}

Json without_defaults(
    const Json& value,
    const std::function<bool(std::string_view key, const Json& member)>& is_default) {
  if (const Json::Array* array = value.as_array()) {
    Json kept = Json::array();
    for (const Json& element : *array) kept.push(without_defaults(element, is_default));
    return kept;
  }
  const Json::Object* object = value.as_object();
  if (object == nullptr) return value;
  Json kept = Json::object();
  for (const auto& [key, member] : *object) {
    Json inner = without_defaults(member, is_default);
    if (!is_default(key, inner)) kept.set(key, std::move(inner));
  }
  return kept;
}

}  // namespace hone
