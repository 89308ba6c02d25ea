#pragma once
// A published cell, checked again: its bytes, what its evidence says of them, that it runs, and
// that it still computes what its float stage computes.

#include <cstdint>
#include <optional>
#include <string>

#include "catalog/publisher.h"
#include "flow/numerics.h"
#include "flow/watch.h"
#include "record/verify.h"
#include "record/where.h"

namespace hone {

struct VerifyOrder {
  std::string reference;
  std::string keep;  // a folder for the package; empty: it goes again
  std::int64_t samples = numeric_samples;
  std::int64_t timeout_s = 3600;  // of fetching, and of each run
  bool is_strict = false;         // what this machine cannot check does not hold
  PublisherSettings publishing;
  Where where;  // an empty EP: the cell's own
};

struct Verified {
  VerifyReport report;
  std::optional<Error> refusal;  // the place does not let us in, which says nothing of the cell
};

// A package that cannot be had is an error; one whose bytes are not the promised ones does not
// hold. Tells how many bytes are fetched, then that models run.
Result<Verified> verify_cell(const VerifyOrder& order, const Watch& watch);

}  // namespace hone
