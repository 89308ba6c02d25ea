#pragma once
// Misbehaviour on request: a provider that crashes, hangs, or prints where it must not.

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace hone::ep::sim {

enum class Stage { create, compile, run };

// A stage, and for runs which one, counted from 1.
struct Moment {
  Stage stage = Stage::create;
  std::uint64_t run = 0;
  bool operator==(const Moment&) const = default;
};

// "create", "compile", "run:3". `option` names the option in messages.
Result<Moment> parse_moment(const std::string& option, const std::string& text);

struct Faults {
  std::optional<Moment> crash;
  std::optional<Moment> hang;
  bool prints_on_stdout = false;

  // Crashes, hangs or prints when it was asked to at this moment.
  void pass(Moment now) const;
};

// No session options exist at registration, so HONE_SIM_CRASH=register asks for that crash.
Status fail_at_registration();

}  // namespace hone::ep::sim
