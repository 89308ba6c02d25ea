#pragma once
// A published package, checked again: one line per check.

#include <cstdint>
#include <string>
#include <vector>

#include "record/fields.h"
#include "record/search.h"

namespace hone {

inline constexpr std::int64_t verify_schema_version = 1;

struct VerifyCheck {
  std::string name;
  CheckVerdict verdict = CheckVerdict::blocked;
  std::string measured;  // what was seen; of what did not pass, why
};
template <RecordOf<VerifyCheck> Self>
void for_each_field(Self& check, auto&& field) {
  field("name", check.name, Presence::required);
  field("verdict", check.verdict, Presence::required);
  field("measured", check.measured);
}

// Whether a check keeps a cell from holding. What this machine cannot check is let pass, unless it
// is strict.
inline bool is_wrong(const VerifyCheck& check, bool is_strict) {
  const bool is_let_pass = check.verdict == CheckVerdict::blocked && !is_strict;
  return check.verdict != CheckVerdict::pass && !is_let_pass;
}

struct VerifyReport {
  std::string reference;
  std::string digest;  // of the package's manifest; empty where it could not be fetched
  std::vector<VerifyCheck> checks;
  bool holds = false;  // nothing failed; with --strict, nothing was blocked either
};
template <RecordOf<VerifyReport> Self>
void for_each_field(Self& report, auto&& field) {
  field("reference", report.reference);
  field("digest", report.digest);
  field("checks", report.checks);
  field("holds", report.holds);
}

}  // namespace hone
