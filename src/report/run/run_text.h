#pragma once
// `hone run` as text.

#include <string>

#include "record/run_report.h"

namespace hone {

struct RunTextOptions {
  std::size_t most_samples = 5;  // that are shown; JSON has all
};

std::string describe_run(const RunReport& report, const RunTextOptions& options = {});

}  // namespace hone
