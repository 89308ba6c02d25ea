#pragma once
// What `hone doctor` looked at, one thing each.

#include <array>
#include <string>
#include <vector>

#include "record/fields.h"

namespace hone {

enum class CheckState {
  ok,
  warn,     // it spoils measurements, or something does not work
  unknown,  // this machine does not tell
};

constexpr auto enum_names(CheckState) {
  return std::to_array<EnumName<CheckState>>(
      {{CheckState::ok, "ok"}, {CheckState::warn, "warn"}, {CheckState::unknown, "unknown"}});
}

struct Check {
  CheckState state = CheckState::unknown;
  std::string what;  // "CPU governor"
  std::string why;   // what was seen, and what it means for a measurement
  std::string hint;  // what to do; empty where there is nothing to do
};

template <RecordOf<Check> Self>
void for_each_field(Self& check, auto&& field) {
  field("state", check.state);
  field("what", check.what);
  field("why", check.why);
  field("hint", check.hint);
}

}  // namespace hone
