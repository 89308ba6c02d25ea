#pragma once
// `hone doctor noise`: the tool measures itself. Identical candidates go through a whole search;
// known effects are injected by the simulated EP. What comes out is what later reports quote.

#include "app/command.h"
#include "app/where.h"

namespace hone::app {

struct NoiseArguments {
  std::int64_t trials = 59;  // 0 keeps of them: at most 5 % are false, at 95 % confidence
  std::int64_t effect_trials = 20;
  std::string effects = "1,2,5";  // percent
  WhereArguments where;
};

void declare_noise(Options& options, NoiseArguments& arguments);
Result<ExitCode> run_noise(const NoiseArguments& arguments, const Call& call);

}  // namespace hone::app
