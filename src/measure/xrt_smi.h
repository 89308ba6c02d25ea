#pragma once
// What AMD's xrt-smi says about the contexts a process has on the NPU.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"
#include "measure/monitor.h"

namespace hone {

struct XrtCounts {
  std::int64_t submissions = 0;
  std::int64_t completions = 0;
  std::optional<std::string> status;  // of the last context: "Idle", "Running"
};

// The counts of all contexts of `process` in a report of `examine -r aie-partitions`. Values may be
// numbers or numbers in quotes; anything else than such a report is an error.
Result<XrtCounts> parse_xrt_smi(std::string_view json, std::int64_t process);

// Runs the tool, which writes its report into a new file of `folder`.
Result<XrtCounts> read_xrt_smi(const MonitorSettings& settings, const std::string& name,
                               std::int64_t process);

}  // namespace hone
