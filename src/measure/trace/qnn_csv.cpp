#include "measure/trace/qnn_csv.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "measure/trace/qnn_executions.h"
#include "measure/trace/samples.h"

namespace hone {
namespace {

using Executions = std::vector<QnnExecution>;

// Far above what models are cut into; a file with more is not what it seems.
constexpr std::size_t most_partitions = 256;

double cycles_of(const QnnExecution& execution) {
  if (execution.accelerator_cycles && *execution.accelerator_cycles >= 1) {
    return *execution.accelerator_cycles;
  }
  double sum = 0;
  for (const QnnNode& node : execution.nodes) sum += node.is_in_us ? 0 : node.amount;
  return sum;
}

// Microseconds per cycle, by the execution's own clock; null where it does not tell.
std::optional<double> clock_of(const QnnExecution& execution) {
  const double cycles = cycles_of(execution);
  if (!execution.accelerator_us || cycles < 1) return std::nullopt;
  return *execution.accelerator_us / cycles;
}

bool needs_clock(const QnnExecution& execution) {
  return std::ranges::any_of(execution.nodes,
                             [](const QnnNode& node) { return !node.is_in_us && node.amount > 0; });
}

struct Clocks {
  std::vector<double> us_per_cycle;  // one per execution
  std::size_t borrowed = 0;          // from the other executions, which is an approximation
};

// Null where a clock is needed and no execution has one.
std::optional<Clocks> read_clocks(const Executions& executions) {
  std::vector<double> own;
  for (const QnnExecution& execution : executions) {
    if (const auto clock = clock_of(execution)) own.push_back(*clock);
  }
  Clocks clocks;
  for (const QnnExecution& execution : executions) {
    const std::optional<double> clock = clock_of(execution);
    if (!clock && needs_clock(execution)) {
      if (own.empty()) return std::nullopt;
      ++clocks.borrowed;
    }
    clocks.us_per_cycle.push_back(clock.value_or(mean_of(own)));
  }
  return clocks;
}

double total_us_of(const QnnExecution& execution, double us_per_cycle) {
  return execution.accelerator_us.value_or(cycles_of(execution) * us_per_cycle);
}

// The operators of one partition with their samples.
void add_operators(OpTrace& trace, const Executions& executions, const Clocks& clocks,
                   std::int64_t partition, const TraceOptions& options) {
  std::map<std::pair<std::int64_t, std::string_view>, std::size_t> places;
  for (std::size_t i = 0; i < executions.size(); ++i) {
    for (const QnnNode& node : executions[i].nodes) {
      const auto [place, is_new] =
          places.try_emplace({node.op_id, node.raw}, trace.operators.size());
      if (is_new) {
        TraceOperator op;
        name_operator(op, {.text = node.raw}, options.node_types);
        op.op_id = node.op_id;
        op.partition = partition;
        op.provider = options.provider;
        trace.operators.push_back(std::move(op));
      }
      const double us = node.is_in_us ? node.amount : node.amount * clocks.us_per_cycle[i];
      trace.operators[place->second].samples_us.push_back(us);
    }
  }
}

void add_to(std::optional<double>& sum, const std::vector<double>& samples) {
  if (!samples.empty()) sum = sum.value_or(0) + mean_of(samples);
}

// Adds what one partition takes per inference.
void add_totals(TraceSummary& summary, const Executions& executions, const Clocks& clocks) {
  std::vector<double> cycles;
  std::vector<double> us;
  std::vector<double> rpc;
  std::vector<double> host;
  for (std::size_t i = 0; i < executions.size(); ++i) {
    const QnnExecution& execution = executions[i];
    cycles.push_back(cycles_of(execution));
    us.push_back(total_us_of(execution, clocks.us_per_cycle[i]));
    if (execution.rpc_us) rpc.push_back(*execution.rpc_us);
    if (execution.host_us) host.push_back(*execution.host_us);
    if (execution.hvx_threads)
      summary.hvx_threads = static_cast<std::int64_t>(*execution.hvx_threads);
  }
  add_to(summary.accel_execute_cycles, cycles);
  add_to(summary.accel_execute_us, us);
  add_to(summary.rpc_execute_us, rpc);
  add_to(summary.qnn_execute_us, host);
}

// The mean of an operator's share in each inference, which is not its share of the mean: a slow
// inference would weigh more.
void fill_qnn_shares(OpTrace& trace) {
  std::vector<double> totals;
  for (const TraceOperator& op : trace.operators) {
    totals.resize(std::max(totals.size(), op.samples_us.size()));
    for (std::size_t i = 0; i < op.samples_us.size(); ++i) totals[i] += op.samples_us[i];
  }
  const bool is_aligned = std::ranges::all_of(trace.operators, [&](const TraceOperator& op) {
    return op.samples_us.size() == totals.size();
  });
  const bool is_measured = std::ranges::all_of(totals, [](double total) { return total > 0; });
  if (!is_aligned || !is_measured) return;
  for (TraceOperator& op : trace.operators) {
    std::vector<double> shares;
    for (std::size_t i = 0; i < totals.size(); ++i) {
      shares.push_back(op.samples_us[i] / totals[i] * 100);
    }
    op.percent_of_total = mean_of(shares);
  }
}

void finish(OpTrace& trace) {
  for (TraceOperator& op : trace.operators) op.duration_us = mean_of(op.samples_us);
  fill_shares(trace);
  fill_qnn_shares(trace);
  sort_operators(trace);
  TraceSummary& summary = trace.summary;
  summary.accounted_us = accounted_in(trace);
  // Operators may outlast the accelerator's own count by a rounding.
  summary.total_us = std::max(summary.accel_execute_us.value_or(0), summary.accounted_us);
  summary.traced_total_us = summary.total_us;
  summary.gaps_us = *summary.total_us - summary.accounted_us;
  summary.untraced_share = *summary.total_us > 0 ? *summary.gaps_us / *summary.total_us : 0;
  summary.provider_us[*trace.metadata.ep] = summary.accounted_us;
  trace.status = TraceStatus::ok;
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

// Why the executions of a partition cannot be what was asked for; empty when they can.
std::string wrong_count(std::size_t found, const TraceOptions& options) {
  if (!options.inferences || *options.inferences == static_cast<std::int64_t>(found)) return {};
  return "expected " + std::to_string(*options.inferences) + " inferences (" +
         std::to_string(options.warmup) + " of them warm-up), found " + std::to_string(found);
}

class QnnTrace {
 public:
  explicit QnnTrace(const TraceOptions& options) : options_(options) {
    trace_.metadata.source = TraceSource::qnn_csv;
    trace_.metadata.tracing_backend = "qnn";
    trace_.metadata.ep = options.provider;
    trace_.metadata.device = "npu";
  }

  OpTrace read(std::string_view text, std::uint64_t skip) {
    if (text.size() <= skip) return none("the CSV is empty");
    auto rows = QnnRows::open(text, skip);
    if (!rows) return broken(rows.error().what);
    QnnExecutions executions = read_executions(*rows);
    trace_.metadata.unreadable = rows->unreadable() + executions.unreadable;
    const std::size_t count = executions.all.size();
    if (count == 0) return none("the CSV holds no execution of a graph");
    std::vector<Executions> partitions =
        group_by_partition(std::move(executions.all), most_partitions);
    if (partitions.empty()) {
      return none("the CSV holds " + counted(count, "execution", "executions") +
                  " but no operator: profiling_level must be detailed or optrace");
    }
    if (partitions.size() > most_partitions) {
      return broken("the CSV seems to hold more than " + std::to_string(most_partitions) +
                    " partitions: its rows do not repeat from one inference to the next");
    }
    return read_partitions(std::move(partitions));
  }

 private:
  OpTrace none(std::string reason) {
    return no_trace(std::move(trace_), TraceStatus::no_data, std::move(reason));
  }
  OpTrace broken(std::string reason) {
    return no_trace(std::move(trace_), TraceStatus::parse_failed, std::move(reason));
  }

  OpTrace read_partitions(std::vector<Executions> partitions) {
    std::set<std::size_t> counts;
    for (const Executions& executions : partitions) counts.insert(executions.size());
    const std::size_t most = *counts.rbegin();
    if (std::string problem = wrong_count(most, options_); !problem.empty()) return broken(problem);
    if (options_.warmup >= static_cast<std::int64_t>(most)) {
      return none("all " + counted(most, "inference", "inferences") + " of the CSV are warm-up");
    }
    if (counts.size() > 1) {
      trace_.notes.push_back("partitions ran between " + std::to_string(*counts.begin()) + " and " +
                             std::to_string(most) + " times; each is averaged over its own runs");
    }
    trace_.metadata.partitions = static_cast<std::int64_t>(partitions.size());
    trace_.metadata.warmup_excluded = options_.warmup;
    trace_.metadata.num_samples = static_cast<std::int64_t>(most) - options_.warmup;
    for (std::size_t i = 0; i < partitions.size(); ++i) {
      if (!read_partition(partitions[i], static_cast<std::int64_t>(i))) {
        return broken(
            "operators are in cycles, and no 'Accelerator (execute) time' in US says how "
            "long a cycle is");
      }
    }
    finish(trace_);
    return std::move(trace_);
  }

  bool read_partition(Executions& executions, std::int64_t index) {
    const auto warmup = std::min(static_cast<std::size_t>(options_.warmup), executions.size());
    executions.erase(executions.begin(), executions.begin() + static_cast<std::ptrdiff_t>(warmup));
    const std::optional<Clocks> clocks = read_clocks(executions);
    if (!clocks) return false;
    if (clocks->borrowed > 0) {
      trace_.notes.push_back(
          "without a time of its own, and converted by the clock of the others: " +
          counted(clocks->borrowed, "inference", "inferences"));
    }
    add_operators(trace_, executions, *clocks, index, options_);
    add_totals(trace_.summary, executions, *clocks);
    return true;
  }

  const TraceOptions& options_;
  OpTrace trace_;
};

}  // namespace

OpTrace parse_qnn_csv(std::string_view text, const TraceOptions& options, std::uint64_t skip) {
  return QnnTrace(options).read(text, skip);
}

}  // namespace hone
