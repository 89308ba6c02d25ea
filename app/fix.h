#pragma once
// `hone debug --fix`: which nodes have to stay in float for a quantized model to be good enough.

#include <string>

#include "app/command.h"
#include "app/options.h"
#include "app/where.h"
#include "inspect/debug/debug.h"

namespace hone::app {

struct FixArguments {
  bool fixes = false;
  double target_sqnr = 0;  // 0: not given
  std::string metric;      // a task of `hone eval`
  std::string data;        // of the metric
  double max_drop = 0.01;
  std::string precision = "w8a8";
  std::string preset = "ort";
  std::string method = "minmax";
  bool per_channel = false;
  std::string calibration_data;
  std::int64_t calibration_samples = 0;  // 0: all of the data, or 10 random ones
  std::string overrides;                 // where the result goes
  std::string journal;
  std::int64_t most_alone = 256;
  bool skips_cost = false;
};

void declare_fix(Options& options, FixArguments& arguments);

// What the fix is about, from the arguments of debug.
struct FixJob {
  Path float_model;
  std::string input_data;
  std::string shape_config;
  std::uint64_t seed = 0;
  std::int64_t samples = 4;  // of the SQNR
  bool overwrite = false;
  Where where;
};

Result<ExitCode> run_fix(const FixArguments& arguments, const FixJob& job, const Call& call);

}  // namespace hone::app
