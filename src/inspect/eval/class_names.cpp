#include <algorithm>
#include <charconv>

#include "base/join_some.h"
#include "base/text.h"
#include "inspect/eval/encoder.h"

namespace hone {
namespace {

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || problem != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return number;
}

std::optional<std::uint64_t> place_of(const std::vector<std::string>& names,
                                      const std::string& name) {
  auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    found = std::ranges::find_if(
        names, [&](const std::string& one) { return lowercase(one) == lowercase(name); });
  }
  if (found == names.end()) return std::nullopt;
  return static_cast<std::uint64_t>(found - names.begin());
}

}  // namespace

Result<std::uint64_t> ClassNames::number_of(const Json& label) const {
  const std::string* text = label.as_string();
  std::string name = text != nullptr ? *text : label.dump(-1);
  if (text == nullptr && !label.is_number()) {
    return fail(Fault::bad_input,
                "a label is the name or the number of a class, not " + label.described_kind());
  }
  if (const auto meant = renamed_.find(name); meant != renamed_.end()) name = meant->second;
  if (const auto place = place_of(names_, name)) return *place;
  if (const auto number = number_in(name)) return *number;
  std::string cause = "--labels NAME=NUMBER says which class it is";
  if (!names_.empty()) cause = "the model has " + join_some(names_, 8) + "; " + cause;
  return fail(Fault::bad_input, "no class is called '" + printable(name) + "'", cause);
}

std::string ClassNames::name_of(std::uint64_t number) const {
  return number < names_.size() ? names_[number] : std::to_string(number);
}

}  // namespace hone
