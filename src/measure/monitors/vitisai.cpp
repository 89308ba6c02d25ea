// AMD's NPU: no times per operator, but proof that it worked. xrt-smi counts the commands each
// process submitted; a run that raised the count ran on the NPU.

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/system_files.h"
#include "measure/xrt_smi.h"

namespace hone::monitors {
namespace {

class VitisaiMonitor : public OpenMonitor {
 public:
  explicit VitisaiMonitor(MonitorSettings settings)
      : settings_(std::move(settings)),
        process_(parse_number<int>(settings_.hw.process).value_or(::getpid())) {}

  Status after_open() override {
    HONE_TRY(before_, read_xrt_smi(settings_, "xrt_before.json", process_));
    return done();
  }
  // The contexts go with the session.
  Status before_close() override {
    HONE_TRY(after_, read_xrt_smi(settings_, "xrt_after.json", process_));
    return done();
  }
  Result<MonitorFinding> parse(const ClosedWindow&) override {
    EpProof proof{.ep = "vitisai"};
    proof.command_submissions = std::max<std::int64_t>(0, after_.submissions - before_.submissions);
    proof.command_completions = std::max<std::int64_t>(0, after_.completions - before_.completions);
    proof.npu_proven = *proof.command_submissions > 0;
    proof.hw_context_status = after_.status;
    if (!*proof.npu_proven) proof.reason = "no command reached the NPU during the measured runs";
    return MonitorFinding{.ep_proof = std::move(proof)};
  }

 private:
  MonitorSettings settings_;
  int process_;
  XrtCounts before_;
  XrtCounts after_;
};

}  // namespace

Monitor vitisai() {
  return {.name = "vitisai",
          .summary = "Proof that AMD's NPU worked, by xrt-smi",
          .traces = false,
          .open = open_monitor<VitisaiMonitor>};
}

}  // namespace hone::monitors
