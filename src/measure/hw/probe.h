#pragma once
// Something about the hardware that can be read again and again. What this machine does not have is
// a probe too, one that says why.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/system_files.h"
#include "measure/clock.h"
#include "record/hw_monitor.h"

namespace hone {

// The channel of a device that counts its energy: what that gained, in W.
inline constexpr std::string_view energy_channel = "energy_rate";

struct HwSettings {
  SystemRoots roots{};
  std::string process = "self";  // whose time and memory: a folder of /proc
  // The processor time the process has used so far; nothing: from the kernel's clock of it.
  std::function<std::optional<Nanoseconds>()> cpu_time{};
  std::string nvml_library = "libnvidia-ml.so.1";
};

struct HwProbe {
  HwChannel channel;  // name, unit, description; and the reason where `read` is empty
  // The value now; nothing when this reading failed, or when a rate has no earlier reading yet.
  std::function<std::optional<double>(Nanoseconds now)> read;
};

inline HwProbe absent(HwChannel channel, std::string reason) {
  channel.reason = std::move(reason);
  return {std::move(channel), {}};
}

// A counter that only grows, read as what it gained per nanosecond since the reading before, times
// `scale`.
class Rate {
 public:
  explicit Rate(double scale) : scale_(scale) {}
  std::optional<double> next(Nanoseconds now, std::optional<double> counter);

 private:
  struct Reading {
    Nanoseconds time;
    double counter;
  };
  double scale_;
  std::optional<Reading> last_;
};

// A probe whose value is the rate of a counter.
HwProbe rate_probe(HwChannel channel, double scale, std::function<std::optional<double>()> counter);

// Processor time and memory of the process.
std::vector<HwProbe> process_probes(const HwSettings& settings);
// Load, clocks, temperature, power and pressure of the machine.
std::vector<HwProbe> machine_probes(const HwSettings& settings);
// NVIDIA's GPUs, through the driver's library.
std::vector<HwProbe> nvml_probes(const HwSettings& settings);
// The clock of the fastest of them now: where one works, that is it. Their library is loaded once.
std::optional<double> highest_gpu_mhz(const HwSettings& settings = {});
// AMD's and Intel's GPUs and NPUs, through the files of their drivers.
std::vector<HwProbe> driver_probes(const HwSettings& settings);

// All of these, in this order.
std::vector<HwProbe> open_probes(const HwSettings& settings);

}  // namespace hone
