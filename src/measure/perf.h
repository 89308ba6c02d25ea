#pragma once
// How fast a model runs on a target: an untraced window for the numbers, and, where operators are
// asked for, a traced one beside it that never contributes a latency. Each in a worker of its own.

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "measure/latency.h"
#include "measure/memory.h"
#include "measure/window.h"
#include "record/perf.h"
#include "runtime/worker.h"

namespace hone {

struct PerfPlan {
  RunPlan run;
  LoopPlan loop;
  bool watches_hardware = false;
  std::optional<TraceLevel> tracing;
  // Whether some runs show what it takes when denormals are zero.
  bool tries_denormals_as_zero = false;
  std::size_t sessions = 1;  // fresh processes, whose runs are all measured
  Nanoseconds cool_down{0};  // between two of them
  NodeTypes node_types;      // of the model, for the trace
  Path trace_folder;         // is there when `tracing`; what the tracer writes stays in it
  Path qnn_sdk;
  std::string nvml_library = "libnvidia-ml.so.1";
  Path program;  // whose `worker` command is started
  WorkerLimits limits;
  // By steady_now(): nothing goes on after it, and what is known by then is told. 0: none.
  Nanoseconds deadline{0};
  std::vector<std::pair<std::string, std::string>> environment;  // of the workers
};

enum class PerfPhase { loading, warming_up, measuring, cooling_down, tracing, finished };

// What is known while it runs, from any thread.
class PerfLive {
 public:
  LoopMeter meter;
  std::atomic<PerfPhase> phase = PerfPhase::loading;

  // Readings of the hardware from `since` on.
  std::vector<HwSeries> readings(Nanoseconds since) const;
  std::optional<std::uint64_t> memory_bytes() const;
  std::optional<std::uint64_t> most_memory_bytes() const;

  // For who measures: what there is to look at, and that it is about to go.
  void show(const OpenMonitor* hardware, const MemoryWatch* memory);
  void hide() { show(nullptr, nullptr); }

 private:
  mutable std::mutex mutex_;
  const OpenMonitor* hardware_ = nullptr;
  const MemoryWatch* memory_ = nullptr;
};

struct PerfHooks {
  // Called with the open session before anything is measured; its error ends the measurement.
  std::function<Status(const WorkerOpened&)> accept{};
  const std::atomic<bool>* stop = nullptr;  // ends it at once: what was measured is told
  PerfLive* live = nullptr;
  // Monitors of whoever asks, besides ours: they watch the window whose times count.
  std::vector<Watcher> watchers{};
};

// Fills all that was measured; who asked for it adds what he knows (the model's own facts, the
// machine, the command line). A trace that was asked for and failed is an op_trace whose status
// says so: the latency stands without it.
Result<PerfResult> measure_perf(const PerfPlan& plan, const PerfHooks& hooks = {});

}  // namespace hone
