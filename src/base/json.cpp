#include "base/json.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/text.h"

namespace hone {
namespace {

std::string shortest(double value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  std::string text(buffer.data(), end.ptr);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

void write_string(std::string& out, std::string_view value) {
  constexpr std::string_view digits = "0123456789abcdef";
  constexpr std::string_view named = "\"\"\\\\\nn\tt\rr\bb\ff";  // pairs: the character, its escape
  out += '"';
  for (const char c : to_utf8(value)) {
    const std::size_t at = named.find(c);
    if (at != std::string_view::npos && at % 2 == 0) {
      out += '\\';
      out += named[at + 1];
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += "\\u00";
      out += digits[static_cast<unsigned char>(c) >> 4];
      out += digits[static_cast<unsigned char>(c) & 0x0F];
    } else {
      out += c;
    }
  }
  out += '"';
}

bool is_container(const Json& value) { return value.as_array() || value.as_object(); }

class Writer {
 public:
  Writer(int indent, bool sorted) : indent_(indent), sorted_(sorted) {}

  std::string write(const Json& value) {
    any(value, 0);
    return std::move(out_);
  }

 private:
  void any(const Json& value, int depth) {
    if (const Json::Object* object = value.as_object()) return members(*object, depth);
    if (const Json::Array* array = value.as_array()) return elements(*array, depth);
    if (const std::string* text = value.as_string()) return write_string(out_, *text);
    out_ += scalar(value);
  }

  static std::string scalar(const Json& value) {
    if (const bool* truth = value.as_bool()) return *truth ? "true" : "false";
    if (const double* number = value.as_double()) {
      return std::isfinite(*number) ? shortest(*number) : "null";
    }
    if (const std::int64_t* number = value.as_int()) return std::to_string(*number);
    if (const std::uint64_t* number = value.as_large_uint()) return std::to_string(*number);
    return "null";
  }

  void members(const Json::Object& object, int depth) {
    std::vector<const Json::Member*> order;
    order.reserve(object.size());
    for (const Json::Member& member : object) order.push_back(&member);
    if (sorted_)
      std::ranges::stable_sort(
          order, {}, [](auto* member) -> auto& { return member->first; });
    out_ += '{';
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i > 0) out_ += ',';
      new_line(depth + 1);
      write_string(out_, order[i]->first);
      out_ += indent_ < 0 ? ":" : ": ";
      any(order[i]->second, depth + 1);
    }
    if (!object.empty()) new_line(depth);
    out_ += '}';
  }

  // Plain values stand on one line: a shape or a list of samples reads better across than down.
  void elements(const Json::Array& array, int depth) {
    const bool across = std::ranges::none_of(array, is_container);
    out_ += '[';
    for (std::size_t i = 0; i < array.size(); ++i) {
      if (i > 0) out_ += across && indent_ >= 0 ? ", " : ",";
      if (!across) new_line(depth + 1);
      any(array[i], depth + 1);
    }
    if (!across) new_line(depth);
    out_ += ']';
  }

  void new_line(int depth) {
    if (indent_ < 0) return;
    out_ += '\n';
    out_.append(static_cast<std::size_t>(indent_) * static_cast<std::size_t>(depth), ' ');
  }

  int indent_;
  bool sorted_;
  std::string out_;
};

constexpr double two_to_63 = 0x1p63;
constexpr double two_to_64 = 0x1p64;

Failure wrong_number(const Json& value, std::string_view wanted) {
  const std::string found = value.is_number() ? value.dump(-1) : value.described_kind();
  return fail(Fault::bad_input, "expected " + std::string(wanted) + ", found " + found);
}

}  // namespace

bool Json::is_number() const { return as_int() || as_large_uint() || as_double(); }

Result<std::int64_t> Json::to_int() const {
  if (const std::int64_t* number = as_int()) return *number;
  if (const double* number = as_double()) {
    const bool fits = *number >= -two_to_63 && *number < two_to_63;
    if (fits && std::trunc(*number) == *number) return static_cast<std::int64_t>(*number);
  }
  return wrong_number(*this, "an integer of 64 bits");
}

Result<std::uint64_t> Json::to_uint() const {
  if (const std::uint64_t* number = as_large_uint()) return *number;
  if (const std::int64_t* number = as_int(); number && *number >= 0) {
    return static_cast<std::uint64_t>(*number);
  }
  if (const double* number = as_double()) {
    const bool fits = *number >= 0 && *number < two_to_64;
    if (fits && std::trunc(*number) == *number) return static_cast<std::uint64_t>(*number);
  }
  return wrong_number(*this, "an integer of 64 bits, not negative");
}

Result<double> Json::to_double() const {
  if (const double* number = as_double()) return *number;
  if (const std::int64_t* number = as_int()) {
    const auto converted = static_cast<double>(*number);
    if (converted < two_to_63 && static_cast<std::int64_t>(converted) == *number) return converted;
  }
  if (const std::uint64_t* number = as_large_uint()) {
    const auto converted = static_cast<double>(*number);
    if (converted < two_to_64 && static_cast<std::uint64_t>(converted) == *number) return converted;
  }
  return wrong_number(*this, "a number that a double holds exactly");
}

const Json* Json::find(std::string_view key) const {
  const Object* object = as_object();
  if (object == nullptr) return nullptr;
  const auto member = std::ranges::find(*object, key, &Member::first);
  return member == object->end() ? nullptr : &member->second;
}

Json& Json::set(std::string_view key, Json value) {
  auto* object = std::get_if<Object>(&held_);
  HONE_CHECK(object != nullptr);
  assert(find(key) == nullptr);
  object->emplace_back(std::string(key), std::move(value));
  return *this;
}

Json& Json::push(Json value) {
  auto* array = std::get_if<Array>(&held_);
  HONE_CHECK(array != nullptr);
  array->push_back(std::move(value));
  return *this;
}

std::string Json::dump(int indent) const { return Writer(indent, false).write(*this); }

std::string Json::canonical() const { return Writer(-1, true).write(*this); }

std::string_view Json::kind() const {
  constexpr std::array<std::string_view, 8> kinds = {"null",   "boolean", "number", "number",
                                                     "number", "string",  "array",  "object"};
  return kinds[held_.index()];
}

std::string Json::described_kind() const {
  if (is_null()) return "null";
  const bool vowel = as_array() || as_object();
  return (vowel ? "an " : "a ") + std::string(kind());
}

}  // namespace hone
