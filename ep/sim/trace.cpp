#include "ep/sim/trace.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <numeric>

#include "base/descriptor.h"

namespace hone::ep::sim {
namespace {

constexpr std::string_view header =
    "Msg Timestamp,Message,Time,Unit of Measurement,Timing Source,Event Level,Event Identifier\n";

// Ids of the graph's own input and output, and of its first op, in files of a real device.
constexpr std::size_t input_id = 2;
constexpr std::size_t output_id = 3;
constexpr std::size_t first_op_id = 16;

// The format has no quoting: a line break would end the row.
std::string one_line(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '\n' || c == '\r'; }, '_');
  return name;
}

std::string microseconds(Trace::Duration time) {
  return std::to_string((time.count() + 500) / 1000);
}

}  // namespace

Trace::Trace(const Options& options)
    : level_(options.profiling_level),
      file_(options.profiling_file),
      clock_mhz_(options.profile.clock_mhz),
      threads_(options.profile.threads) {}

void Trace::add(std::string_view message, std::string_view time, std::string_view unit,
                std::string_view level, std::string_view identifier) {
  for (const std::string_view cell :
       {std::string_view("0"), message, time, unit, std::string_view("BACKEND"), level}) {
    rows_ += cell;
    rows_ += ',';
  }
  rows_ += identifier;
  rows_ += '\n';
}

void Trace::add_us(std::string_view message, Duration time, std::string_view identifier) {
  add(message, microseconds(time), "US", "ROOT", identifier);
}

std::size_t Trace::add_graph(std::vector<TracedOp> ops, Duration compile_time) {
  const std::lock_guard lock(mutex_);
  for (TracedOp& op : ops) op.name = one_line(std::move(op.name));
  graphs_.push_back(std::move(ops));
  if (level_ != ProfilingLevel::off) {
    add_us("BACKEND", compile_time, "RPC (finalize) time");
    add_us("BACKEND", compile_time, "QNN accelerator (finalize) time");
    add_us("BACKEND", compile_time, "Accelerator (finalize) time");
    add_us("FINALIZE", compile_time, "QNN (finalize) time");
  }
  return graphs_.size() - 1;
}

void Trace::add_nodes(const std::vector<TracedOp>& ops, std::uint64_t cycles) {
  std::vector<double> costs;
  for (const TracedOp& op : ops) costs.push_back(op.cost);
  const auto shares = apportion(cycles, costs);
  const auto row = [&](std::uint64_t time, const std::string& identifier) {
    add("NODE", std::to_string(time), "CYCLES", "SUB-EVENT", identifier + " (cycles)");
  };
  row(0, "Input OpId_" + std::to_string(input_id));
  for (std::size_t i = 0; i < ops.size(); ++i) {
    row(shares[i], ops[i].name + ":OpId_" + std::to_string(first_op_id + i));
  }
  row(0, "Output OpId_" + std::to_string(output_id));
}

void Trace::record(std::size_t graph, Duration device_time, Duration total_time) {
  if (level_ == ProfilingLevel::off) return;
  const std::lock_guard lock(mutex_);
  const bool detailed = level_ == ProfilingLevel::detailed;
  if (detailed) {
    add("BACKEND", std::to_string(threads_), "COUNT", "ROOT", "Number of HVX threads used");
  }
  add_us("BACKEND", total_time, "RPC (execute) time");
  add_us("BACKEND", device_time, "QNN accelerator (execute) time");
  if (detailed) {
    add("BACKEND", "0", "COUNT", "ROOT", "Num times yield occured");
    add("BACKEND", "0", "US", "ROOT", "Time for initial VTCM acquire");
    add("BACKEND", "0", "US", "ROOT", "Time for HVX + HMX power on and acquire");
    const auto cycles = static_cast<std::uint64_t>(
        std::llround(static_cast<double>(device_time.count()) * clock_mhz_ / 1000));
    add("BACKEND", std::to_string(cycles), "CYCLES", "ROOT", "Accelerator (execute) time (cycles)");
    add_nodes(graphs_[graph], cycles);
  }
  add_us("BACKEND", device_time, "Accelerator (execute) time");
  if (detailed) {
    add_us("BACKEND", device_time, "Accelerator (execute excluding wait) time");
    add("UNKNOWN", "UNKNOWN", "OBJECT", "ROOT", "Unknown event type");
  }
  add_us("EXECUTE", total_time, "QNN (execute) time");
}

Status Trace::write() const {
  const std::lock_guard lock(mutex_);
  if (rows_.empty()) return done();
  const Descriptor file(::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  struct stat facts {};
  if (!file || ::fstat(file.get(), &facts) != 0) {
    return fail(Fault::io, "cannot write '" + file_.string() + "'", system_message(errno));
  }
  std::string text(facts.st_size == 0 ? header : "");
  text += rows_;
  std::string_view left = text;
  while (!left.empty()) {
    const ssize_t written = ::write(file.get(), left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      return fail(Fault::io, "cannot write '" + file_.string() + "'", system_message(errno));
    }
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  return done();
}

// Each share is rounded down; what is left goes, one by one, to those that lost most.
std::vector<std::uint64_t> apportion(std::uint64_t total, const std::vector<double>& weights) {
  std::vector<std::uint64_t> shares(weights.size(), 0);
  if (weights.empty()) return shares;
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<double> lost(weights.size());
  std::uint64_t given = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double part = sum > 0 ? weights[i] / sum : 1.0 / static_cast<double>(weights.size());
    const double exact = static_cast<double>(total) * part;
    shares[i] = std::min(static_cast<std::uint64_t>(exact), total - given);
    lost[i] = exact - static_cast<double>(shares[i]);
    given += shares[i];
  }
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return lost[a] > lost[b]; });
  for (std::size_t i = 0; given < total; ++i, ++given) ++shares[order[i % order.size()]];
  return shares;
}

}  // namespace hone::ep::sim
