#pragma once
// What `hone doctor` looked at, one check for each thing.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "record/fields.h"
#include "record/target.h"

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

inline constexpr std::int64_t doctor_schema_version = 1;

// Of an EP, or of the machine alone.
struct Diagnosis {
  std::optional<std::string> ep;  // the short name
  std::optional<EpState> status;  // of that EP
  std::string reason;             // of that status
  std::vector<Check> checks;
  std::vector<std::string> hazards;  // what is known to go wrong on that EP
};

template <RecordOf<Diagnosis> Self>
void for_each_field(Self& diagnosis, auto&& field) {
  field("ep", diagnosis.ep);
  field("status", diagnosis.status);
  field("reason", diagnosis.reason);
  field("checks", diagnosis.checks);
  field("hazards", diagnosis.hazards);
}

}  // namespace hone
