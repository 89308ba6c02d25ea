#pragma once
// What ran and how long it took, in the CSV form of QNN's profiler. Kept in memory and appended to
// its file in one piece when the session ends, as a device does that hands over its log at the end.

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "ep/sim/options.h"
#include "record/fields.h"

namespace hone::ep::sim {

// One row of each run.
struct TracedOp {
  std::string name;
  double cost = 0;  // its share of the run is cost / sum of costs
};
template <RecordOf<TracedOp> Self>
void for_each_field(Self& op, auto&& field) {
  field("name", op.name, Presence::required);
  field("cost", op.cost, Presence::required);
}

class Trace {
 public:
  using Duration = std::chrono::nanoseconds;

  explicit Trace(const Options& options);

  // A graph that was compiled, or loaded; the number names it in record().
  std::size_t add_graph(std::vector<TracedOp> ops, Duration compile_time);
  // One run of it: on the device, and as a whole. From any thread.
  void record(std::size_t graph, Duration device_time, Duration total_time);
  // Appends what was recorded; without any record there will be no file.
  Status write() const;

 private:
  void add(std::string_view message, std::string_view time, std::string_view unit,
           std::string_view level, std::string_view identifier);
  void add_us(std::string_view message, Duration time, std::string_view identifier);
  void add_nodes(const std::vector<TracedOp>& ops, std::uint64_t cycles);

  ProfilingLevel level_;
  Path file_;
  double clock_mhz_;
  std::int64_t threads_;
  mutable std::mutex mutex_;
  std::vector<std::vector<TracedOp>> graphs_;
  std::string rows_;
};

// Splits a total in proportion to weights into whole numbers that add up to it exactly. Where no
// weight is above zero, equally.
std::vector<std::uint64_t> apportion(std::uint64_t total, const std::vector<double>& weights);

}  // namespace hone::ep::sim
