#pragma once
// A JSON value. Objects keep their order (schema_version comes first), numbers keep whether they
// are integers, and a number that is not finite is written as null: NaN and Infinity are not JSON.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace hone {

class Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;

  Json() = default;
  Json(std::nullptr_t) {}
  // Only a bool is a boolean (a pointer is not), and every other integer type is an integer.
  template <std::same_as<bool> Bool>
  Json(Bool value) : held_(value) {}
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool> && !std::same_as<Integer, char>) Json(Integer value) {
    // One form per number: unsigned only where int64 cannot hold it, so that equal numbers are
    // equal.
    if (std::in_range<std::int64_t>(value)) {
      held_ = static_cast<std::int64_t>(value);
    } else {
      held_ = static_cast<std::uint64_t>(value);
    }
  }
  Json(double value) : held_(value) {}
  Json(const char* value) : held_(std::string(value)) {}
  Json(std::string value) : held_(std::move(value)) {}
  Json(std::string_view value) : held_(std::string(value)) {}
  Json(Array value) : held_(std::move(value)) {}
  Json(Object value) : held_(std::move(value)) {}

  static Json array() { return Json(Array{}); }
  static Json object() { return Json(Object{}); }

  bool is_null() const { return std::holds_alternative<std::monostate>(held_); }
  bool is_number() const;
  const bool* as_bool() const { return std::get_if<bool>(&held_); }
  // As the number is held: 1 is an integer, 1.0 a double, only what int64 cannot hold a large uint.
  // to_int() and its kin below convert.
  const std::int64_t* as_int() const { return std::get_if<std::int64_t>(&held_); }
  const std::uint64_t* as_large_uint() const { return std::get_if<std::uint64_t>(&held_); }
  const double* as_double() const { return std::get_if<double>(&held_); }
  const std::string* as_string() const { return std::get_if<std::string>(&held_); }
  const Array* as_array() const { return std::get_if<Array>(&held_); }
  const Object* as_object() const { return std::get_if<Object>(&held_); }
  // Numbers convert where no value is lost; otherwise (and for other kinds) an error that says what
  // is there.
  Result<std::int64_t> to_int() const;
  Result<std::uint64_t> to_uint() const;
  Result<double> to_double() const;

  // The member, or null when this is no object or has none of that name.
  const Json* find(std::string_view key) const;
  // Appends a member. REQUIRES: this is an object without a member of that name.
  Json& set(std::string_view key, Json value);
  // Appends an element. REQUIRES: this is an array.
  Json& push(Json value);

  // Pretty by default, two spaces, arrays of plain values on one line; indent < 0 gives one line
  // without spaces. Invalid UTF-8 becomes U+FFFD.
  std::string dump(int indent = 2) const;
  // The form hashes are taken of: one line, members sorted by key.
  std::string canonical() const;

  // REQUIRES nothing of the text: depth is bounded, duplicate keys are refused, the error names
  // line and column. An integer beyond 64 bits becomes a double.
  static Result<Json> parse(std::string_view text);

  // "object", "string", ...
  std::string_view kind() const;
  // "an object", "a string", "null": for messages.
  std::string described_kind() const;

  bool operator==(const Json&) const = default;

 private:
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Array,
               Object>
      held_;
};

}  // namespace hone
