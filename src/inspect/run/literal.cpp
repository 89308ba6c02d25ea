#include "inspect/run/literal.h"

#include <cmath>
#include <span>
#include <utility>

#include "base/json.h"
#include "base/system_files.h"
#include "base/text.h"
#include "inspect/run/fit_array.h"
#include "model/elements.h"
#include "model/string_tensor.h"
#include "runtime/samples.h"

namespace hone {
namespace {

struct Elements {
  std::vector<std::int64_t> dims;
  std::vector<const Json*> all;
};

Status flatten(const Json& json, std::size_t depth, Elements& elements) {
  const Json::Array* list = json.as_array();
  const bool is_first = elements.all.empty() && depth == elements.dims.size();
  if (list != nullptr && is_first) elements.dims.push_back(static_cast<std::int64_t>(list->size()));
  const bool should_be_list = depth < elements.dims.size();
  if ((list != nullptr) != should_be_list ||
      (list != nullptr && std::cmp_not_equal(list->size(), elements.dims[depth])))
    return fail(Fault::bad_input, "its rows are of different lengths");
  if (list == nullptr) {
    elements.all.push_back(&json);
    return done();
  }
  for (const Json& inner : *list) HONE_TRY_DO(flatten(inner, depth + 1, elements));
  return done();
}

// Ones before the dimensions that were written, where the input has as many.
std::vector<std::int64_t> with_leading_ones(std::vector<std::int64_t> dims, const Type& type) {
  if (!type.shape || type.shape->size() <= dims.size()) return dims;
  std::vector<std::int64_t> longer(type.shape->size() - dims.size(), 1);
  longer.insert(longer.end(), dims.begin(), dims.end());
  return takes_shape(type, longer) ? longer : dims;
}

template <class T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

Failure no_value(const Json& json, ElementType type) {
  return fail(Fault::bad_input, json.dump(-1) + " is no " + name_of(type));
}

// Whole numbers of 64 bits do not go through a double.
Status append_element(const Json& json, ElementType type, std::string& bytes) {
  const bool* flag = json.as_bool();
  const Json number = flag != nullptr ? Json(*flag ? 1 : 0) : json;
  if (type == ElementType::int64) {
    const auto whole = number.to_int();
    if (!whole) return no_value(json, type);
    append(bytes, *whole);
    return done();
  }
  if (type == ElementType::uint64) {
    const auto whole = number.to_uint();
    if (!whole) return no_value(json, type);
    append(bytes, *whole);
    return done();
  }
  const auto real = number.to_double();
  if (!real) return no_value(json, type);
  if (type == ElementType::boolean) {
    if (*real != 0 && *real != 1) return no_value(json, type);
    append(bytes, static_cast<char>(*real));
    return done();
  }
  const std::size_t at = bytes.size();
  bytes.resize(at + *bytes_of(type, 1));
  encode_elements(type, std::span(&*real, 1), bytes.data() + at);
  double made = 0;
  decode_elements(type, std::string_view(bytes).substr(at), std::span(&made, 1));
  const bool is_beyond = std::abs(made - *real) > std::abs(*real) * 0x1p-9 + 0x1p-24;
  if (is_beyond || (!is_float(type) && made != *real)) return no_value(json, type);
  return done();
}

Result<TensorPtr> make_elements(const Elements& elements, const Port& input) {
  const ElementType type = input.type.element;
  const std::vector<std::int64_t> dims = with_leading_ones(elements.dims, input.type);
  if (type == ElementType::string) {
    std::vector<std::string> strings;
    for (const Json* element : elements.all) {
      if (element->as_string() == nullptr) return no_value(*element, type);
      strings.push_back(*element->as_string());
    }
    return make_string_tensor(input.name, dims, std::move(strings));
  }
  const bool is_packed = bits_of(type) < 8;
  if ((!holds_numbers(type) && type != ElementType::boolean) || is_packed)
    return fail(Fault::unsupported, "numbers cannot be written as " + name_of(type));
  std::string bytes;
  for (const Json* element : elements.all) HONE_TRY_DO(append_element(*element, type, bytes));
  return make_tensor(input.name, type, dims, Blob::own(std::move(bytes)));
}

Result<TensorPtr> read_numbers(const std::string& text, const Port& input) {
  HONE_TRY(const Json json, Json::parse(text));
  Elements elements;
  HONE_TRY_DO(flatten(json, 0, elements));
  return make_elements(elements, input);
}

std::string shortened(const std::string& text) {
  constexpr std::size_t most = 40;
  return text.size() <= most ? text : to_utf8(text.substr(0, most)) + "...";
}

bool is_integer(ElementType type) { return holds_numbers(type) && !is_float(type); }

}  // namespace

Result<TensorPtr> parse_numbers(const std::string& text, const Port& input) {
  const auto tensor = read_numbers(text, input);
  if (!tensor) {
    return fail(tensor.error().fault, does_not_take(input, shortened(text)),
                "it takes " + to_string(input.type) + "; " + tensor.error().what,
                "lists are written as [1,2,3] or [[1,2],[3,4]]");
  }
  HONE_TRY(const FittedArray fitted, fit_array(*tensor, input, shortened(text), false));
  return fitted.tensor;
}

Result<TensorPtr> make_text(const std::string& text, const Port& input) {
  const std::string from = shortened("text:" + text);
  const std::string takes = "it takes " + to_string(input.type);
  if (is_integer(input.type.element)) {
    return fail(
        Fault::unsupported, does_not_take(input, from),
        takes + ": numbers of tokens, and hone has no tokenizer",
        "give the numbers: --input '" + printable(input.name) + "=[101,7592,102]', or an .npy");
  }
  if (input.type.element != ElementType::string)
    return fail(Fault::bad_input, does_not_take(input, from), takes + ", which is no text");
  const std::vector<std::int64_t> dims(input.type.shape ? input.type.shape->size() : 1, 1);
  if (!takes_shape(input.type, dims)) {
    return fail(Fault::bad_input, does_not_take(input, from), takes + ", which is more than one",
                "give all of them: --input '" + printable(input.name) + R"(=["one","two"]')");
  }
  return make_string_tensor(input.name, dims, {text});
}

Result<double> parse_value(const std::string& text, const Port& input) {
  if (text == "true" || text == "false") return text == "true" ? 1.0 : 0.0;
  const auto number = parse_number<double>(text);
  if (number && std::isfinite(*number)) return *number;
  return fail(Fault::bad_input,
              "'" + printable(text) + "' is no value for the input '" + printable(input.name) + "'",
              "a number, true or false is",
              "write it as --input " + printable(input.name) + ":=16000");
}

}  // namespace hone
