#include "record/shape_rules.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/file.h"
#include "base/json.h"
#include "base/misuse.h"
#include "base/text.h"

namespace hone {
namespace {

constexpr auto example = "write it as --shape-config seq=128,x=1x3x48x320,sr:=16000";

template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  Number number{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || problem != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

// What sizes are worked out with (runtime/dim_system.h) knows none that is larger, and would take
// another one instead.
constexpr std::int64_t most_size = (std::int64_t{1} << 31) - 1;

std::optional<std::int64_t> size_in(std::string_view text) {
  const auto size = whole_number<std::int64_t>(text);
  return size && *size >= 0 && *size <= most_size ? size : std::nullopt;
}

std::optional<double> value_in(std::string_view text) {
  if (text == "true" || text == "false") return text == "true" ? 1.0 : 0.0;
  const auto number = whole_number<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

// Parts between separators that no backslash stands before; the backslashes stay.
std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ',') {
      words.emplace_back();
      continue;
    }
    words.back() += text[i];
    if (text[i] == '\\' && i + 1 < text.size()) words.back() += text[++i];
  }
  return words;
}

struct Assignment {
  std::string name;
  std::string text;
  bool is_value = false;  // by :=
};

// Up to the first '=' that no backslash stands before.
std::optional<Assignment> take_apart(std::string_view word) {
  Assignment found;
  bool ends_in_colon = false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (word[i] == '=') {
      found.is_value = ends_in_colon;
      if (ends_in_colon) found.name.pop_back();
      found.text = word.substr(i + 1);
      return found.name.empty() ? std::nullopt : std::optional(std::move(found));
    }
    const bool is_escaped = word[i] == '\\' && i + 1 < word.size();
    if (is_escaped) ++i;
    ends_in_colon = !is_escaped && word[i] == ':';
    found.name += word[i];
  }
  return std::nullopt;
}

Failure no_size(std::string_view text) {
  return misuse("'" + printable(text) + "' is not a size", example);
}

// An input may have a shape and a value for all of it: x=2x3,x:=1.
bool is_said(const ShapeRules& rules, const std::string& name, bool is_value) {
  if (is_value) return rules.values.contains(name);
  return rules.symbols.contains(name) || rules.inputs.contains(name);
}

Status add_word(ShapeRules& rules, std::string_view word) {
  const std::optional<Assignment> found = take_apart(word);
  if (!found) return misuse("'" + printable(word) + "' is not NAME=SIZE", example);
  std::vector<std::int64_t> dims;
  std::optional<std::string> odd;
  for (const std::string& part : split(found->text, 'x')) {
    const auto size = size_in(part);
    if (size) dims.push_back(*size);
    if (!size && !odd) odd = part;
  }
  const bool is_value = found->is_value || odd;
  if (is_said(rules, found->name, is_value))
    return misuse("'" + printable(found->name) + "' is given twice", example);
  if (is_value) {
    const auto value = value_in(found->text);
    if (!value && found->is_value) {
      return fail(Fault::bad_input, "'" + printable(found->text) + "' is not a value",
                  "a number, true or false is", example);
    }
    if (!value) return no_size(*odd);
    rules.values[found->name] = *value;
    return done();
  }
  if (dims.size() == 1) {
    rules.symbols[found->name] = dims[0];
  } else {
    rules.inputs[found->name] = std::move(dims);
  }
  return done();
}

Status add_member(ShapeRules& rules, const std::string& name, const Json& member) {
  const auto add_value = [&](const Json& value) -> Status {
    if (const bool* flag = value.as_bool()) {
      rules.values[name] = *flag ? 1 : 0;
      return done();
    }
    HONE_TRY(rules.values[name], value.to_double());
    return done();
  };
  if (const Json* value = member.find("value")) return add_value(*value);
  if (const Json::Array* dims = member.as_array()) {
    std::vector<std::int64_t>& shape = rules.inputs[name];
    for (const Json& dim : *dims) {
      HONE_TRY(const std::int64_t size, dim.to_int());
      if (size < 0 || size > most_size) return no_size(std::to_string(size));
      shape.push_back(size);
    }
    return done();
  }
  const std::int64_t* number = member.as_int();
  const bool is_size = number != nullptr && *number >= 0 && *number <= most_size;
  if (!is_size) return add_value(member);
  rules.symbols[name] = *number;
  return done();
}

Result<ShapeRules> read_rules_file(const Path& file) {
  HONE_TRY(const std::string text, read_file(file));
  HONE_TRY(const Json json, Json::parse(text));
  if (json.as_object() == nullptr)
    return fail(Fault::bad_input, "'" + file.string() + "' holds no JSON object");
  ShapeRules rules;
  for (const auto& [name, member] : *json.as_object()) {
    if (const Status added = add_member(rules, name, member); !added) {
      return fail(Fault::bad_input, "'" + file.string() + "': '" + printable(name) + "' is no size",
                  added.error().what,
                  R"(write it as {"seq": 128, "x": [1, 3, 48, 320], "sr": {"value": 16000}})");
    }
  }
  return rules;
}

std::string escaped(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (c == ',' || c == '=' || c == '\\') text += '\\';
    text += c;
  }
  // A colon at the end would make a value of the shape.
  if (text.ends_with(':')) text.insert(text.size() - 1, "\\");
  return text;
}

std::string number_text(double value) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

}  // namespace

Result<ShapeRules> parse_shape_text(const std::string& text) {
  ShapeRules rules;
  for (const std::string& word : split_words(text)) HONE_TRY_DO(add_word(rules, word));
  return rules;
}

Result<ShapeRules> parse_shape_rules(const std::string& text_or_file) {
  if (text_or_file.empty()) return ShapeRules();
  return text_or_file.find('=') == std::string::npos ? read_rules_file(text_or_file)
                                                     : parse_shape_text(text_or_file);
}

std::string to_shape_text(const ShapeRules& rules) {
  std::vector<std::string> words;
  for (const auto& [name, size] : rules.symbols)
    words.push_back(escaped(name) + "=" + std::to_string(size));
  for (const auto& [name, dims] : rules.inputs) {
    if (dims.empty()) continue;
    std::vector<std::string> sizes;
    for (const std::int64_t dim : dims) sizes.push_back(std::to_string(dim));
    words.push_back(escaped(name) + "=" + join(sizes, "x"));
  }
  for (const auto& [name, value] : rules.values)
    words.push_back(escaped(name) + ":=" + number_text(value));
  return join(words, ",");
}

}  // namespace hone
