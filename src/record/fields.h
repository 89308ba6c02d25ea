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

// How a member of some type is read, and how it is written. Records are tables of such entries that
// one function walks: a loop for every record made a minute of compiling and a third of the
// program. The two are apart because most sources write a record and never read it: with both in
// one entry each of them compiled what reads it, too.
struct ReadEntry {
  std::string_view name;
  void* member;
  Status (*read)(const Json& json, void* value, const Place& place);
  Presence presence;
};
struct WriteEntry {
  std::string_view name;
  const void* member;
  Json (*write)(const void* value);
  Presence presence;
};

Status read_fields(const Json& json, const std::vector<ReadEntry>& fields, const Place& place);
// REQUIRES: object is an object with none of the names.
void write_fields(const std::vector<WriteEntry>& fields, Json& object);

Status read_scalar(const Json& json, bool& value, const Place& place);
Status read_scalar(const Json& json, std::string& value, const Place& place);
Result<double> read_double(const Json& json, const Place& place);
Result<std::int64_t> read_signed(const Json& json, const Place& place);
Result<std::uint64_t> read_unsigned(const Json& json, const Place& place);
Failure out_of_range(const Json& json, const Place& place);
Failure wrong_name(const Json& json, const Place& place, const std::vector<std::string>& known);

template <class T>
Status read(const Json& json, T& value, const Place& place);
template <class T>
Json write(const T& value);

template <class T>
Status read_member(const Json& json, void* value, const Place& place) {
  return read(json, *static_cast<T*>(value), place);
}
template <class T>
Json write_member(const void* value) {
  return write(*static_cast<const T*>(value));
}

struct ReadCollector {
  std::vector<ReadEntry> fields;
  template <class T>
  void operator()(std::string_view name, T& member, Presence presence = Presence::normal) {
    add({name, &member, read_member<T>, presence});
  }
  void add(const ReadEntry& entry);
};
struct WriteCollector {
  std::vector<WriteEntry> fields;
  template <class T>
  void operator()(std::string_view name, const T& member, Presence presence = Presence::normal) {
    add({name, &member, write_member<T>, presence});
  }
  void add(const WriteEntry& entry);
};

template <Record T>
std::vector<ReadEntry> fields_to_read(T& record) {
  ReadCollector collector;
  for_each_field(record, collector);
  return std::move(collector.fields);
}
template <Record T>
std::vector<WriteEntry> fields_to_write(const T& record) {
  WriteCollector collector;
  for_each_field(record, collector);
  return std::move(collector.fields);
}

template <class T>
Status read_elements(const Json& json, std::vector<T>& values, const Place& place) {
  const Json::Array* array = json.as_array();
  if (array == nullptr) return wrong_kind(place, "an array", json);
  values.clear();
  for (const Json& element : *array) {
    const Place at{&place, std::nullopt, values.size()};
    Status status = read(element, values.emplace_back(), at);
    if (!status) return status;
  }
  return done();
}

template <class T>
Status read_members(const Json& json, std::map<std::string, T>& values, const Place& place) {
  const Json::Object* object = json.as_object();
  if (object == nullptr) return wrong_kind(place, "an object", json);
  values.clear();
  for (const auto& [key, member] : *object) {
    Status status = read(member, values[key], {&place, key});
    if (!status) return status;
  }
  return done();
}

template <NamedEnum Enum>
Status read_enum(const Json& json, Enum& value, const Place& place) {
  const std::string* name = json.as_string();
  const std::optional<Enum> found = name == nullptr ? std::nullopt : value_named<Enum>(*name);
  if (!found) {
    std::vector<std::string> known;
    for (const EnumName<Enum>& entry : enum_names(Enum{})) known.emplace_back(entry.name);
    return wrong_name(json, place, known);
  }
  value = *found;
  return done();
}

template <class T>
Status read_number(const Json& json, T& value, const Place& place) {
  const auto number = [&] {
    if constexpr (std::floating_point<T>)
      return read_double(json, place);
    else if constexpr (std::unsigned_integral<T>)
      return read_unsigned(json, place);
    else
      return read_signed(json, place);
  }();
  if (!number) return Failure{number.error()};
  if constexpr (std::integral<T>)
    if (!std::in_range<T>(*number)) return out_of_range(json, place);
  value = static_cast<T>(*number);
  return done();
}

template <class T>
Status read(const Json& json, T& value, const Place& place) {
  if constexpr (std::same_as<T, Json>) {
    value = json;
    return done();
  } else if constexpr (std::same_as<T, bool> || std::same_as<T, std::string>) {
    return read_scalar(json, value, place);
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
    return read_fields(json, fields_to_read(value), place);
  }
}

template <class T>
Json write(const T& value) {
  if constexpr (NamedEnum<T>) {
    return Json(name_of(value));
  } else if constexpr (is_optional<T>) {
    return value ? write(*value) : Json();
  } else if constexpr (is_vector<T>) {
    Json::Array array;
    for (const auto& element : value) array.push_back(write(element));
    return Json(std::move(array));
  } else if constexpr (is_map<T>) {
    Json::Object object;
    for (const auto& [key, member] : value) object.emplace_back(key, write(member));
    return Json(std::move(object));
  } else if constexpr (Record<T>) {
    Json object = Json::object();
    write_fields(fields_to_write(value), object);
    return object;
  } else {
    return Json(value);
  }
}

extern template Status read<std::vector<std::string>>(const Json&, std::vector<std::string>&,
                                                      const Place&);
extern template Json write<std::vector<std::string>>(const std::vector<std::string>&);

}  // namespace detail

template <class T>
Json to_json(const T& value) {
  return detail::write(value);
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
  detail::write_fields(detail::fields_to_write(record), document);
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
