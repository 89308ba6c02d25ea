#pragma once
// What optimizing did, for people.

#include <string>
#include <vector>

#include "record/optimize.h"

namespace hone {

struct OptimizeTextOptions {
  bool explains = false;  // lists what declined, and why
};

std::string describe_optimize(const OptimizeReport& report,
                              const OptimizeTextOptions& options = {});
std::string describe_checks(const std::vector<CapabilityCheck>& checks,
                            const OptimizeTextOptions& options = {});
std::string describe_capabilities(const CapabilityList& list);
std::string describe_bisect(const BisectReport& report);
std::string describe_verification(const Verification& verification);

}  // namespace hone
