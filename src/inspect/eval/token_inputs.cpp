#include "inspect/eval/token_inputs.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "model/elements.h"

namespace hone {
namespace {

constexpr std::size_t usual_length = 512;

bool ends_with_any(std::string_view name, std::initializer_list<std::string_view> ends) {
  return std::ranges::any_of(ends, [&](std::string_view end) { return name.ends_with(end); });
}

TensorPtr numbers_of(const Port& port, std::vector<std::int64_t> dims,
                     const std::vector<double>& numbers) {
  std::string bytes(*bytes_of(port.type.element, numbers.size()), '\0');
  encode_elements(port.type.element, numbers, bytes.data());
  return make_tensor(port.name, port.type.element, std::move(dims), Blob::own(std::move(bytes)));
}

// A cache that holds nothing yet: what is open is one sample and no tokens.
TensorPtr empty_cache(const Port& port) {
  std::vector<std::int64_t> dims;
  std::int64_t count = 1;
  for (const Dim& dim : *port.type.shape) {
    dims.push_back(dim.value ? *dim.value : dims.empty() ? 1 : 0);
    count *= dims.back();
  }
  return numbers_of(port, std::move(dims), std::vector<double>(static_cast<std::size_t>(count)));
}

}  // namespace

std::optional<TokenInputs::Use> TokenInputs::use_of(const Port& port, std::size_t inputs) {
  if (!port.type.is_tensor() || !port.type.shape) return std::nullopt;
  const std::string& name = port.name;
  if (name.starts_with("past")) return Use::cache;
  if (name == "use_cache_branch") return Use::flag;
  if (ends_with_any(name, {"attention_mask", "input_mask", "padding_mask"})) return Use::mask;
  if (ends_with_any(name, {"token_type_ids", "segment_ids"})) return Use::types;
  if (ends_with_any(name, {"position_ids"})) return Use::positions;
  if (ends_with_any(name, {"input_ids", "tokens"}) || inputs == 1) return Use::ids;
  return std::nullopt;
}

Result<TokenInputs> TokenInputs::open(const EncoderSettings& settings) {
  if (settings.tokenizer == nullptr) {
    return fail(Fault::not_found, "texts need the model's tokenizer, and there is none beside it",
                {}, "--tokenizer FOLDER, with tokenizer.json or vocab.txt in it");
  }
  TokenInputs made(*settings.tokenizer);
  made.stride_ = settings.stride;
  for (const Port& port : settings.inputs) {
    const auto use = use_of(port, settings.inputs.size());
    if (!use) {
      return fail(
          Fault::unsupported,
          "the input '" + printable(port.name) + "' takes no tokens: " + to_string(port.type), {},
          "input_ids, attention_mask, token_type_ids and position_ids are filled");
    }
    if (*use == Use::ids && port.type.shape->size() == 2 && (*port.type.shape)[1].value)
      made.fixed_ = static_cast<std::size_t>(*(*port.type.shape)[1].value);
    made.inputs_.push_back({port, *use});
  }
  made.most_ = settings.max_length;
  const auto& own = made.tokenizer_.truncation();
  if (made.most_ == 0) made.most_ = own ? own->max_length : usual_length;
  if (made.fixed_ > 0) made.most_ = std::min(made.most_, made.fixed_);
  HONE_TRY(made.tokenizer_,
           made.tokenizer_.with_truncation(tokenize::Truncation{.max_length = made.most_}));
  made.tokenizer_ = made.tokenizer_.with_padding(std::nullopt);
  return made;
}

Result<tokenize::Tokenizer> TokenInputs::unlimited() const {
  return tokenizer_.with_truncation(std::nullopt);
}

namespace {

// The tokens before `begin`, those of a window, and those behind `end`; a column that is empty was
// not asked for.
template <class T>
std::vector<T> cut(const std::vector<T>& column, std::size_t begin, std::size_t end,
                   std::size_t first, std::size_t last) {
  std::vector<T> kept;
  for (std::size_t i = 0; i < column.size(); ++i) {
    const bool is_content = i >= begin && i < end;
    if (!is_content || (i >= first && i < last)) kept.push_back(column[i]);
  }
  return kept;
}

}  // namespace

Result<std::vector<tokenize::Encoding>> TokenInputs::windows_of(
    const tokenize::Encoding& whole) const {
  if (whole.size() == 0) return fail(Fault::bad_input, "its text has no token");
  const std::int8_t last = *std::ranges::max_element(whole.sequences);
  std::size_t begin = 0;
  while (begin < whole.size() && whole.sequences[begin] != last) ++begin;
  std::size_t end = whole.size();
  while (end > begin && whole.sequences[end - 1] != last) --end;
  const std::size_t around = whole.size() - (end - begin);
  if (most_ <= around + shared()) {
    return fail(Fault::bad_input, "what is around its text takes " + std::to_string(around) +
                                      " of " + std::to_string(most_) + " tokens");
  }
  const std::size_t room = most_ - around;
  std::vector<tokenize::Encoding> windows;
  for (std::size_t first = begin;; first += room - shared()) {
    const std::size_t until = std::min(first + room, end);
    tokenize::Encoding& window = windows.emplace_back();
    window.ids = cut(whole.ids, begin, end, first, until);
    window.type_ids = cut(whole.type_ids, begin, end, first, until);
    window.bytes = cut(whole.bytes, begin, end, first, until);
    window.sequences = cut(whole.sequences, begin, end, first, until);
    if (until == end) return windows;
  }
}

Sample TokenInputs::sample(const tokenize::Encoding& encoding) const {
  const std::size_t length = std::max(encoding.size(), fixed_);
  const auto column = [&](const std::vector<std::uint32_t>& values, double fill) {
    std::vector<double> numbers(values.begin(), values.end());
    numbers.resize(length, fill);
    return numbers;
  };
  Sample made;
  for (const auto& [port, use] : inputs_) {
    const std::vector<std::int64_t> dims = {1, static_cast<std::int64_t>(length)};
    TensorPtr& tensor = made[port.name];
    if (use == Use::cache) tensor = empty_cache(port);
    if (use == Use::flag) tensor = numbers_of(port, {1}, {0});
    if (use == Use::ids)
      tensor =
          numbers_of(port, dims, column(encoding.ids, tokenizer_.role("pad_token").value_or(0)));
    if (use == Use::mask)
      tensor = numbers_of(port, dims, column(std::vector<std::uint32_t>(encoding.size(), 1), 0));
    if (use == Use::types) tensor = numbers_of(port, dims, column(encoding.type_ids, 0));
    if (use == Use::positions) {
      std::vector<double> places(length);
      for (std::size_t i = 0; i < length; ++i) places[i] = static_cast<double>(i);
      tensor = numbers_of(port, dims, places);
    }
  }
  return made;
}

std::map<std::string, std::string> TokenInputs::described() const {
  return {{"tokenizer", std::string(tokenizer_.kind()) + ", sha256 " + tokenizer_.identity()},
          {"max_length", std::to_string(most_)}};
}

Result<std::string> text_in(const Json& row, std::string_view column) {
  const Json* value = row.find(column);
  if (value == nullptr)
    return fail(Fault::bad_input, "it has no column '" + std::string(column) + "'");
  if (const std::string* text = value->as_string()) return *text;
  if (value->is_number()) return value->dump(-1);
  return fail(Fault::bad_input,
              "'" + std::string(column) + "' is " + value->described_kind() + ", not a text");
}

Result<std::vector<std::string>> texts_in(const Json& row, std::string_view column) {
  const Json* value = row.find(column);
  Json parsed;
  std::vector<std::string> texts;
  if (value != nullptr && value->as_string() != nullptr) {
    const std::string& cell = *value->as_string();
    auto json = cell.starts_with("[") ? Json::parse(cell) : Result<Json>(Json());
    if (json && json->as_array() != nullptr) {
      parsed = *std::move(json);
      value = &parsed;
    } else {
      for (std::string& word : split(cell, ' '))
        if (!word.empty()) texts.push_back(std::move(word));
      return texts;
    }
  }
  if (value == nullptr || value->as_array() == nullptr) {
    return fail(Fault::bad_input, "'" + std::string(column) + "' is " +
                                      (value != nullptr ? value->described_kind() : "not there") +
                                      ", not a list of texts");
  }
  for (const Json& one : *value->as_array()) {
    const std::string* text = one.as_string();
    texts.push_back(text != nullptr ? *text : one.dump(-1));
  }
  return texts;
}

Result<double> number_in(const Json& row, std::string_view column) {
  const Json* value = row.find(column);
  const std::string* text = value != nullptr ? value->as_string() : nullptr;
  double number = 0;
  if (text != nullptr) {
    const auto [end, problem] = std::from_chars(text->data(), text->data() + text->size(), number);
    if (problem == std::errc() && end == text->data() + text->size()) return number;
  } else if (value != nullptr && value->is_number()) {
    return value->to_double();
  }
  return fail(Fault::bad_input, "'" + std::string(column) + "' is no number");
}

}  // namespace hone
