#pragma once
// A model compiled ahead of time for an EP, or several of them that share what the EP makes.

#include <functional>
#include <string>
#include <vector>

#include "flow/watch.h"
#include "record/compile.h"
#include "record/where.h"

namespace hone {

struct AheadOrder {
  std::string model;                // a file, or the folder of a build
  std::vector<std::string> others;  // compiled in the same process, so that they share contexts
  std::string output;               // the compiled model; of several the folder they go to
  bool overwrite = false;
  bool embeds = false;
  bool skips_cache = false;
  bool skips_verification = false;
  std::string input_data;  // to check the result on; empty: seeded random inputs
  std::string shape_config;
  std::uint64_t seed = 0;
  std::int64_t timeout_s = 300;
  Where where;
};

struct AheadWatch {
  Watch watch;
  std::function<void(const std::string& note)> note{};  // what was assumed of inputs
};

Result<CompileReport> compile_one(const AheadOrder& order, const AheadWatch& watch);

// All of them, or none. Two of one name keep apart.
Result<SharedCompileReport> compile_shared(const AheadOrder& order, const AheadWatch& watch);

// Whether a model that is compiled fits what is here. One that is not compiled is an error.
Result<ContextCheck> check_compiled(const AheadOrder& order, const AheadWatch& watch);

}  // namespace hone
