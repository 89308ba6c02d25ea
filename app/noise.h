#pragma once
// `hone doctor noise`: the tool measures itself. Identical candidates go through a whole search;
// known effects are injected by the simulated EP. What comes out is what later reports quote.

#include "app/command.h"
#include "app/where.h"

namespace hone::app {

struct NoiseArguments {
  // 0 keeps of them: where nothing is faster, at most 5 % of searches keep something.
  std::int64_t trials = 59;
  std::int64_t effect_trials = 20;
  std::string effects = "1,2,5";  // percent
  bool overwrite = false;         // a certificate that rests on more searches
  Where where;
};

void declare_noise(Options& options, NoiseArguments& arguments);
Result<ExitCode> run_noise(const NoiseArguments& arguments, const Call& call);

}  // namespace hone::app
