#include "measure/trace/ort_runs.h"

#include <algorithm>

namespace hone {
namespace {

// Four times what ONNX Runtime records before it stops: room for a larger limit, and a bound on
// what a hostile file can make us hold.
constexpr std::int64_t most_events = 4'000'000;
// Runs of several threads overlap. Looking further back than this only serves hostile files.
constexpr std::size_t most_concurrent_runs = 64;

bool is_run(const OrtEvent& event) {
  return event.category == OrtCategory::session && event.name == "model_run";
}

bool is_operator(const OrtEvent& event) {
  if (event.category == OrtCategory::kernel) return true;
  // Older versions record the waiting before and after a node as well.
  const bool is_fence =
      event.name.ends_with("_fence_before") || event.name.ends_with("_fence_after");
  return event.category == OrtCategory::node && !is_fence;
}

std::string_view operator_name(const OrtEvent& event) {
  constexpr std::string_view suffix = "_kernel_time";
  if (event.category == OrtCategory::kernel && !event.node_name.empty()) return event.node_name;
  std::string_view name = event.name;
  if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  return name;
}

class RunReader {
 public:
  explicit RunReader(std::int64_t warmup) : warmup_(warmup) {}

  void read(std::string_view profile) {
    std::vector<OrtRun> runs = find_windows(profile);
    if (!result_.problem.empty()) return;
    is_concurrent_ = false;
    for (std::size_t i = 1; i < runs.size(); ++i) {
      if (runs[i].start_us < runs[i - 1].end_us()) is_concurrent_ = true;
    }
    for_each_event(profile, [&](const OrtEvent& event) {
      if (is_operator(event)) add(event, runs);
    });
    for (OrtRun& run : runs) {
      const bool counts = result_.found++ >= warmup_;
      if (counts) result_.runs.push_back(std::move(run));
    }
  }

  OrtRuns take() { return std::move(result_); }

 private:
  // A profile without runs that has operators is one run of unknown extent.
  std::vector<OrtRun> find_windows(std::string_view profile) {
    std::vector<OrtRun> runs;
    OrtRun whole{.start_us = -1};
    const OrtScan scan = for_each_event(profile, [&](const OrtEvent& event) {
      if (is_run(event)) {
        runs.push_back({event.start_us, event.duration_us, event.thread, {}});
      } else if (is_operator(event)) {
        if (whole.start_us < 0) whole.start_us = event.start_us;
        const double end = std::max(whole.end_us(), event.end_us());
        whole.start_us = std::min(whole.start_us, event.start_us);
        whole.duration_us = end - whole.start_us;
      }
    });
    result_.events += scan.counts.read;
    result_.unreadable += scan.counts.unreadable;
    result_.problem = scan.problem;
    if (runs.empty() && whole.start_us >= 0) {
      result_.has_no_windows = true;
      runs.push_back(whole);
    }
    std::ranges::stable_sort(runs, {}, &OrtRun::start_us);
    return runs;
  }

  void add(const OrtEvent& event, std::vector<OrtRun>& runs) {
    OrtRun* run = find_run(event, runs);
    if (run == nullptr) return;
    const std::int64_t index = result_.found + (run - runs.data());
    if (index < warmup_) return;
    if (pieces_++ >= most_events) {
      result_.is_cut = true;
      return;
    }
    run->pieces.push_back({.op = intern(event),
                           .category = event.category,
                           .thread = event.thread,
                           .start_us = event.start_us,
                           .duration_us = event.duration_us});
  }

  // The run the event started in; where several were under way, the one on its thread.
  OrtRun* find_run(const OrtEvent& event, std::vector<OrtRun>& runs) const {
    auto after = std::ranges::upper_bound(runs, event.start_us, {}, &OrtRun::start_us);
    OrtRun* found = nullptr;
    const std::size_t reach = is_concurrent_ ? most_concurrent_runs : 1;
    for (std::size_t i = 0; i < reach && after != runs.begin(); ++i) {
      --after;
      if (event.start_us > after->end_us()) continue;
      if (after->thread == event.thread) return &*after;
      if (found == nullptr) found = &*after;
    }
    return found;
  }

  std::uint32_t intern(const OrtEvent& event) {
    std::string key(operator_name(event));
    key += '\0';
    key += event.node_index ? std::to_string(*event.node_index) : "";
    key += '\0';
    key += event.parent_name;
    const auto [place, is_new] =
        places_.try_emplace(std::move(key), static_cast<std::uint32_t>(result_.operators.size()));
    if (is_new) {
      result_.operators.push_back({.name = std::string(operator_name(event)),
                                   .op_type = std::string(event.op_type),
                                   .provider = std::string(event.provider),
                                   .parent_name = std::string(event.parent_name),
                                   .node_index = event.node_index});
    }
    return place->second;
  }

  std::int64_t warmup_;
  OrtRuns result_;
  std::unordered_map<std::string, std::uint32_t> places_;
  std::int64_t pieces_ = 0;
  bool is_concurrent_ = false;
};

}  // namespace

OrtRuns read_runs(std::span<const std::string_view> profiles, std::int64_t warmup) {
  RunReader reader(warmup);
  for (const std::string_view profile : profiles) reader.read(profile);
  return reader.take();
}

}  // namespace hone
