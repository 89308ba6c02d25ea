#pragma once
// One field list per record, and everything else from it. A record is a plain struct with a
// function that names its members once:
//
//   struct Point { std::int64_t x = 0; std::optional<std::string> label; };
//   template <RecordOf<Point> Self>
//   void for_each_field(Self& point, auto&& field) {
//     field("x", point.x, Presence::required);
//     field("label", point.label);
//   }
//
// Members may be bool, integers, double, std::string, an enum with enum_names, Json, another
// record, and std::optional (null), std::vector and std::map<std::string, ...> of these. A field
// function takes (name, member, presence); one that does not care for the last writes `auto...`.

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "record/enum_names.h"

namespace hone {

enum class Presence {
  normal,      // always written; when missing in what is read, the default stays
  required,    // always written; must be there when read
  when_given,  // for std::optional: left out of the JSON while it has no value, instead of null
};

// Self is Record or const Record, so that one list serves reading and writing.
template <class Self, class Record>
concept RecordOf = std::same_as<std::remove_const_t<Self>, Record>;

struct FieldIgnorer {
  void operator()(std::string_view, const auto&, Presence = Presence::normal) const {}
};

template <class T>
concept Record = std::is_class_v<T> && requires(const T& record) {
  for_each_field(record, FieldIgnorer{});
};

namespace detail {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <class T>
inline constexpr bool is_map = false;
template <class T>
inline constexpr bool is_map<std::map<std::string, T>> = true;

// Where a value stands in the document, told only when something is wrong: "inputs[2].name".
struct Place {
  const Place* parent = nullptr;
  std::optional<std::string_view> key;
  std::size_t index = 0;  // where there is no key
  std::string text() const;
};

Failure wrong_kind(const Place& place, std::string_view wanted, const Json& found);
Failure wrong_number(const Place& place, std::string why);
Failure unknown_name(const Place& place, std::string_view what, std::string_view name,
                     const std::vector<std::string>& known);
Failure missing_key(const Place& place, std::string_view key);

template <class T>
Status read(const Json& json, T& value, const Place& place);

template <Record T>
std::vector<std::string> field_names(const T& record) {
  std::vector<std::string> names;
  for_each_field(record, [&](std::string_view name, auto&&...) { names.emplace_back(name); });
  return names;
}

template <Record T>
Status read_record(const Json& json, T& record, const Place& place) {
  const Json::Object* object = json.as_object();
  if (object == nullptr) return wrong_kind(place, "an object", json);
  const std::vector<std::string> names = field_names(record);
  for (const auto& [key, ignored] : *object) {
    const bool is_known = std::ranges::find(names, key) != names.end();
    if (!is_known) return unknown_name(place, "field", key, names);
  }
  Status status = done();
  for_each_field(record, [&](std::string_view name, auto& member, Presence presence = {}) {
    if (!status) return;
    const Json* found = json.find(name);
    if (found != nullptr) {
      status = read(*found, member, Place{&place, name});
    } else if (presence == Presence::required) {
      status = missing_key(place, name);
    }
  });
  return status;
}

template <class T>
Status read_elements(const Json& json, std::vector<T>& values, const Place& place) {
  const Json::Array* array = json.as_array();
  if (array == nullptr) return wrong_kind(place, "an array", json);
  values.clear();
  for (const Json& element : *array) {
    T value{};
    HONE_TRY_DO(read(element, value, Place{&place, std::nullopt, values.size()}));
    values.push_back(std::move(value));
  }
  return done();
}

template <class T>
Status read_members(const Json& json, std::map<std::string, T>& values, const Place& place) {
  const Json::Object* object = json.as_object();
  if (object == nullptr) return wrong_kind(place, "an object", json);
  values.clear();
  for (const auto& [key, member] : *object)
    HONE_TRY_DO(read(member, values[key], Place{&place, key}));
  return done();
}

template <NamedEnum Enum>
Status read_enum(const Json& json, Enum& value, const Place& place) {
  const std::string* name = json.as_string();
  if (name == nullptr) return wrong_kind(place, "a string", json);
  const std::optional<Enum> found = value_named<Enum>(*name);
  if (!found) {
    std::vector<std::string> known;
    for (const EnumName<Enum>& entry : enum_names(Enum{})) known.emplace_back(entry.name);
    return unknown_name(place, "value", *name, known);
  }
  value = *found;
  return done();
}

template <class T>
Status read_number(const Json& json, T& value, const Place& place) {
  if (!json.is_number()) return wrong_kind(place, "a number", json);
  if constexpr (std::floating_point<T>) {
    auto number = json.to_double();
    if (!number) return wrong_number(place, number.error().what);
    value = static_cast<T>(*number);
  } else {
    const auto number = [&] {
      if constexpr (std::unsigned_integral<T>)
        return json.to_uint();
      else
        return json.to_int();
    }();
    if (!number) return wrong_number(place, number.error().what);
    if (!std::in_range<T>(*number)) {
      return wrong_number(place, json.dump(-1) + " is out of range");
    }
    value = static_cast<T>(*number);
  }
  return done();
}

template <class Held, class T>
Status read_held(const Held* held, std::string_view wanted, const Json& json, T& value,
                 const Place& place) {
  if (held == nullptr) return wrong_kind(place, wanted, json);
  value = *held;
  return done();
}

template <class T>
Status read(const Json& json, T& value, const Place& place) {
  if constexpr (std::same_as<T, Json>) {
    value = json;
    return done();
  } else if constexpr (std::same_as<T, bool>) {
    return read_held(json.as_bool(), "a boolean", json, value, place);
  } else if constexpr (std::same_as<T, std::string>) {
    return read_held(json.as_string(), "a string", json, value, place);
  } else if constexpr (std::integral<T> || std::floating_point<T>) {
    return read_number(json, value, place);
  } else if constexpr (NamedEnum<T>) {
    return read_enum(json, value, place);
  } else if constexpr (is_optional<T>) {
    if (json.is_null()) return value.reset(), done();
    return read(json, value.emplace(), place);
  } else if constexpr (is_vector<T>) {
    return read_elements(json, value, place);
  } else if constexpr (is_map<T>) {
    return read_members(json, value, place);
  } else {
    static_assert(Record<T>, "a member's type must be one of those named at the top of fields.h");
    return read_record(json, value, place);
  }
}

}  // namespace detail

template <class T>
Json to_json(const T& value);

namespace detail {

// REQUIRES: object is an object with none of the record's names.
template <Record T>
void write_fields(const T& record, Json& object) {
  for_each_field(record, [&](std::string_view name, const auto& member, Presence presence = {}) {
    Json value = to_json(member);
    if (presence != Presence::when_given || !value.is_null()) object.set(name, std::move(value));
  });
}

}  // namespace detail

template <class T>
Json to_json(const T& value) {
  if constexpr (NamedEnum<T>) {
    return Json(name_of(value));
  } else if constexpr (detail::is_optional<T>) {
    return value ? to_json(*value) : Json();
  } else if constexpr (detail::is_vector<T>) {
    Json::Array array;
    for (const auto& element : value) array.push_back(to_json(element));
    return Json(std::move(array));
  } else if constexpr (detail::is_map<T>) {
    Json::Object object;
    for (const auto& [key, member] : value) object.emplace_back(key, to_json(member));
    return Json(std::move(object));
  } else if constexpr (Record<T>) {
    Json object = Json::object();
    detail::write_fields(value, object);
    return object;
  } else {
    return Json(value);
  }
}

// Unknown keys are refused with the nearest known one, values of the wrong kind with their place.
template <class T>
Result<T> from_json(const Json& json) {
  T value{};
  HONE_TRY_DO(detail::read(json, value, detail::Place{}));
  return value;
}

// What we write to files and standard output: the record with `schema_version` before its fields.
template <Record T>
Json to_document(const T& record, std::int64_t schema_version) {
  Json document = Json::object();
  document.set("schema_version", schema_version);
  detail::write_fields(record, document);
  return document;
}

// Takes the version off a document. Refused unless it is the one that is read.
Result<Json> open_document(const Json& document, std::int64_t schema_version);

template <Record T>
Result<T> from_document(const Json& document, std::int64_t schema_version) {
  HONE_TRY(const Json fields, open_document(document, schema_version));
  return from_json<T>(fields);
}

}  // namespace hone
