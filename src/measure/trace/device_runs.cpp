// From what tracers write to what the device did in each run.

#include <algorithm>
#include <iterator>

#include "measure/trace/device.h"

namespace hone {
namespace {

// Nodes inside of nodes (If, Loop) are looked for as far as this.
constexpr std::size_t most_nested = 64;
// Profiles are cut to whole microseconds.
constexpr double slack_us = 1;

struct Window {
  double start_us = 0;
  double end_us = 0;
};

bool is_run(const OrtEvent& event) {
  return event.category == OrtCategory::session && event.name == "model_run";
}

// "node&type&program": a node's name may hold a '&', the others do not.
DeviceWork dispatch_of(const OrtEvent& event) {
  DeviceWork work{.start_us = event.start_us, .duration_us = event.duration_us};
  const std::size_t program = event.name.rfind('&');
  if (program == std::string_view::npos || program == 0) {
    work.name = event.name;
    return work;
  }
  work.name = event.name.substr(program + 1);
  const std::size_t type = event.name.rfind('&', program - 1);
  if (type != std::string_view::npos) work.node = event.name.substr(0, type);
  return work;
}

double end_of(const Window& window) { return window.end_us; }
double end_of(const OrtRun& run) { return run.end_us(); }

// The last of the windows, in the order of their start, that begins before the time; it must hold
// it.
template <class Windows>
std::size_t window_of(const Windows& windows, double time_us) {
  const auto after = std::ranges::upper_bound(windows, time_us + slack_us, {},
                                              [](const auto& window) { return window.start_us; });
  if (after == windows.begin()) return windows.size();
  const auto found = std::prev(after);
  return time_us <= end_of(*found) + slack_us ? static_cast<std::size_t>(found - windows.begin())
                                              : windows.size();
}

// The dispatches of one profile; none where they are not on its clock.
std::vector<DeviceRun> runs_in(std::string_view profile) {
  std::vector<Window> windows;
  std::vector<DeviceWork> dispatches;
  for_each_event(profile, [&](const OrtEvent& event) {
    if (is_run(event)) windows.push_back({event.start_us, event.end_us()});
    if (event.category == OrtCategory::api) dispatches.push_back(dispatch_of(event));
  });
  std::ranges::stable_sort(windows, {}, &Window::start_us);
  std::vector<DeviceRun> runs(windows.size());
  std::size_t outside = 0;
  for (DeviceWork& work : dispatches) {
    const std::size_t run = window_of(windows, work.start_us);
    if (run < runs.size()) {
      runs[run].push_back(std::move(work));
    } else {
      ++outside;
    }
  }
  // Some versions of ONNX Runtime begin at zero with every run.
  const bool is_on_this_clock = outside * 100 <= dispatches.size();
  if (dispatches.empty() || !is_on_this_clock) return {};
  return runs;
}

// The innermost node in whose time it was launched; pieces are in the order of their start.
const OrtPiece* node_of(const std::vector<OrtPiece>& pieces, double time_us) {
  auto after = std::ranges::upper_bound(pieces, time_us + slack_us, {}, &OrtPiece::start_us);
  for (std::size_t i = 0; i < most_nested && after != pieces.begin(); ++i) {
    --after;
    if (time_us <= after->end_us() + slack_us) return &*after;
  }
  return nullptr;
}

}  // namespace

std::vector<DeviceRun> webgpu_runs(std::span<const std::string_view> profiles) {
  std::vector<DeviceRun> all;
  for (const std::string_view profile : profiles) {
    std::vector<DeviceRun> runs = runs_in(profile);
    if (runs.empty()) return {};
    std::ranges::move(runs, std::back_inserter(all));
  }
  return all;
}

std::vector<DeviceRun> cuda_runs(const OrtRuns& profile, const GpuActivity& activity) {
  std::vector<OrtRun> runs = profile.runs;
  for (OrtRun& run : runs) std::ranges::stable_sort(run.pieces, {}, &OrtPiece::start_us);
  std::vector<DeviceRun> found(runs.size());
  for (const GpuWork& work : activity.work) {
    const double launch = work.launch_us.value_or(work.start_us);
    const std::size_t run = window_of(runs, launch);
    if (run >= runs.size()) continue;
    DeviceWork made{.kind = work.kind,
                    .name = work.name,
                    .start_us = work.start_us,
                    .duration_us = std::max(0.0, work.duration_us),
                    .bytes = static_cast<double>(work.bytes)};
    // By when it ran alone nothing is known of whom it ran for.
    const OrtPiece* node = work.launch_us ? node_of(runs[run].pieces, launch) : nullptr;
    if (node != nullptr) made.node = profile.operators[node->op].name;
    found[run].push_back(std::move(made));
  }
  return found;
}

}  // namespace hone
