#pragma once
// A published cell, checked again: its bytes, what its evidence says of them, that it runs, and
// that it still computes what its float stage computes.

#include <cstdint>
#include <string>

#include "app/call.h"
#include "app/command.h"
#include "app/where.h"
#include "flow/numerics.h"
#include "record/verify.h"

namespace hone::app {

struct VerifyArguments {
  std::string reference;
  std::string keep;  // a folder for the package; empty: it goes again
  std::int64_t samples = numeric_samples;
  std::int64_t timeout_s = 3600;  // of fetching, and of each run
  bool is_strict = false;
  Where where;  // an empty EP: the cell's own
};

Result<ExitCode> run_verify(const VerifyArguments& arguments, const Call& call);

}  // namespace hone::app
