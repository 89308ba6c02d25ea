#pragma once
// Resident memory of a process, from before its session to after the last run.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/system_files.h"
#include "measure/sampler.h"
#include "record/perf.h"

namespace hone {

// `process` is a folder of /proc: "self", or a number.
std::optional<std::uint64_t> read_resident_bytes(const SystemRoots& roots = {},
                                                 const std::string& process = "self");
// The most that ever was resident (VmHWM).
std::optional<std::uint64_t> read_peak_bytes(const SystemRoots& roots = {},
                                             const std::string& process = "self");

// What was seen; anything may be missing.
struct MemoryPoints {
  std::optional<std::uint64_t> baseline;
  std::optional<std::uint64_t> loaded;
  std::optional<std::uint64_t> finished;
  std::optional<std::uint64_t> most_sampled;
  std::optional<std::uint64_t> peak_before;  // the kernel's high-water mark at the baseline
  std::optional<std::uint64_t> peak_after;   // and at the end
};

// The kernel's mark is exact but covers the whole life of the process: it is the peak of this
// stretch only if it rose in it. Otherwise the peak is the largest sample.
PerfMemory summarize_memory(const MemoryPoints& points);

// Watches a process: the baseline is taken in the constructor, before the session is opened.
class MemoryWatch {
 public:
  explicit MemoryWatch(std::string process = "self", SystemRoots roots = {},
                       std::chrono::milliseconds interval = std::chrono::milliseconds(10));
  // A process that loads more before its session than we see knows its baseline better.
  void session_is_open(std::optional<std::uint64_t> baseline, std::optional<std::uint64_t> loaded);
  void runs_are_finished() { points_.finished = read_resident_bytes(roots_, process_); }
  // For a live view, from any thread.
  std::optional<std::uint64_t> now_bytes() const;
  std::optional<std::uint64_t> most_bytes() const;
  // Ends the sampling.
  PerfMemory finish();

 private:
  void sample();

  std::string process_;
  SystemRoots roots_;
  MemoryPoints points_;
  std::atomic<std::uint64_t> now_{0};  // 0: not known
  std::atomic<std::uint64_t> most_{0};
  Sampler sampler_;
};

}  // namespace hone
