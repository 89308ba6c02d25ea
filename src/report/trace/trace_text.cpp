#include "report/trace/trace_text.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/counted.h"
#include "base/text.h"
#include "report/trace/text.h"

namespace hone {
namespace {

using text_form::columns;
using text_form::duration;
using text_form::fixed;
using text_form::Row;
using text_form::share;

constexpr std::size_t types_shown = 8;

std::uint64_t at_least_zero(std::int64_t count) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0));
}

std::string heading(const TraceMetadata& metadata) {
  std::string text = "op trace (" + metadata.tracing_level + ")";
  if (metadata.ep) text += " of " + *metadata.ep;
  if (metadata.model) text += ", " + *metadata.model;
  text += ", " + counted(at_least_zero(metadata.num_samples), "inference");
  if (metadata.warmup_excluded > 0) {
    text += " after " + std::to_string(metadata.warmup_excluded) + " of warm-up";
  }
  if (metadata.partitions.value_or(1) > 1) {
    text += ", " + std::to_string(*metadata.partitions) + " partitions";
  }
  return printable(text) + "\n";
}

// Whose times they are, where that is not simply the operators'.
std::string whose_times(const TraceMetadata& metadata) {
  switch (metadata.times) {
    case TraceTimes::operators:
      return "";
    case TraceTimes::device:
      return "  times are the device's own (" + printable(metadata.tracing_backend) + ")\n";
    case TraceTimes::blocking:
      return "  times are the host's, which waited for each kernel: its time and its launch\n";
    case TraceTimes::host:
      return "  host times: what it takes to queue an operator, not what the operator takes\n";
  }
  return "";
}

// What the GPU did, and the first question on one: whether the host keeps it busy.
std::string gpu_lines(const TraceSummary& summary) {
  if (!summary.gpu) return "";
  const TraceGpu& gpu = *summary.gpu;
  std::string text =
      "  GPU busy " + duration(gpu.busy_us) + " with " + fixed(gpu.kernels, 0) + " kernels";
  if (gpu.copies > 0) {
    text += "; " + counted(static_cast<std::uint64_t>(gpu.copies), "copy", "copies") + ", " +
            duration(gpu.copy_us) + ", " +
            format_bytes(static_cast<std::uint64_t>(std::max(0.0, gpu.copy_bytes)));
  }
  if (gpu.unmatched_us > 0) text += "; " + duration(gpu.unmatched_us) + " for no known node";
  text += "\n";
  if (!gpu.busy_share || !gpu.is_launch_bound) return text;
  return text + "  " + (*gpu.is_launch_bound ? "launch-bound: " : "not launch-bound: ") +
         "the GPU works for " + share(*gpu.busy_share) + " of the untraced inference" +
         (*gpu.is_launch_bound ? " and waits for the host else" : "") + "\n";
}

// What the numbers below are: the latency taken apart, or a tracer's word.
std::string basis(const TraceSummary& summary, TraceTimes times) {
  if (!summary.correction) {
    if (times == TraceTimes::device) return "";
    return "  times are the tracer's: they hold its own cost and are not a latency\n";
  }
  const TraceCorrection& correction = *summary.correction;
  std::string text = "  reconciled with the untraced median of " + duration(correction.untraced_us);
  text += ": " + duration(correction.removed_us) + " (" + share(correction.removed_share) +
          " of the traced time) were the tracer's";
  if (correction.floor_us > 0) {
    text += "; floor " + fixed(correction.floor_us, 2) + " us per node (" +
            correction.floor_source + ")";
  }
  if (correction.scale < 1) text += "; scaled by " + fixed(correction.scale, 3);
  return text + "\n";
}

std::string account(const TraceSummary& summary, TraceTimes times) {
  std::vector<std::string> parts;
  if (summary.total_us) parts.push_back("total " + duration(*summary.total_us));
  parts.push_back((times == TraceTimes::host ? "in calls " : "in operators ") +
                  duration(summary.accounted_us));
  if (summary.gaps_us) parts.push_back("in gaps " + duration(*summary.gaps_us));
  if (summary.untraced_share) {
    // Scaled operators fill all of the time, gaps of the untraced run included.
    const bool is_least = summary.correction && summary.correction->scale < 1;
    parts.push_back("untraced " + share(*summary.untraced_share) + (is_least ? " or more" : ""));
  }
  return "  " + join(parts, ", ") + "\n";
}

std::string providers(const TraceSummary& summary) {
  if (summary.provider_us.size() < 2 || summary.accounted_us <= 0) return "";
  std::vector<std::string> parts;
  for (const auto& [provider, us] : summary.provider_us) {
    parts.push_back(provider + " " + share(us / summary.accounted_us));
  }
  return "  " + printable(join(parts, ", ")) + "\n";
}

std::string accelerator(const TraceSummary& summary) {
  std::vector<std::string> parts;
  if (summary.hvx_threads) parts.push_back("HVX threads " + std::to_string(*summary.hvx_threads));
  if (summary.accel_execute_us) {
    parts.push_back("accelerator " + duration(*summary.accel_execute_us));
  }
  if (summary.rpc_execute_us) parts.push_back("with RPC " + duration(*summary.rpc_execute_us));
  if (summary.qnn_execute_us) parts.push_back("host waits " + duration(*summary.qnn_execute_us));
  if (summary.execute_us) parts.push_back("execute " + duration(*summary.execute_us));
  if (summary.utilization_pct) {
    parts.push_back("utilization " + fixed(*summary.utilization_pct, 1) + " %");
  }
  const auto add_bytes = [&](std::string_view name, const std::optional<std::int64_t>& bytes) {
    if (bytes) {
      parts.push_back(std::string(name) + " " + format_bytes(static_cast<std::uint64_t>(*bytes)));
    }
  };
  add_bytes("DRAM read", summary.dram_read_bytes);
  add_bytes("written", summary.dram_write_bytes);
  add_bytes("VTCM peak", summary.vtcm_peak_bytes);
  return parts.empty() ? "" : "  " + join(parts, ", ") + "\n";
}

Row title_row(const OpTrace& trace) {
  const bool is_host = trace.metadata.times == TraceTimes::host;
  Row row = {"node", "type", is_host ? "host us" : "us", "p90 us", "%", "cum %"};
  if (trace.summary.correction) row.insert(row.begin() + 3, "traced us");
  if (trace.metadata.source == TraceSource::qhas) row.insert(row.end(), {"DRAM read", "VTCM hit"});
  return row;
}

Row operator_row(const OpTrace& trace, const TraceOperator& op, double cumulative) {
  Row row = {op.op_path,
             op.op_type,
             fixed(op.duration_us, 1),
             fixed(op.p90_us, 1),
             fixed(op.percent_of_total, 1),
             fixed(cumulative, 1)};
  if (trace.summary.correction) {
    row.insert(row.begin() + 3, op.traced_us ? fixed(*op.traced_us, 1) : "-");
  }
  if (trace.metadata.source == TraceSource::qhas) {
    row.push_back(op.dram_read_bytes ? format_bytes(static_cast<std::uint64_t>(*op.dram_read_bytes))
                                     : "-");
    row.push_back(op.vtcm_hit_ratio ? share(*op.vtcm_hit_ratio) : "-");
  }
  return row;
}

std::string operators(const OpTrace& trace, const TraceTextOptions& options) {
  std::vector<Row> rows = {title_row(trace)};
  double cumulative = 0;
  const auto shown = std::min<std::size_t>(
      trace.operators.size(), static_cast<std::size_t>(std::max<std::int64_t>(options.top, 0)));
  for (std::size_t i = 0; i < shown; ++i) {
    cumulative += trace.operators[i].percent_of_total;
    rows.push_back(operator_row(trace, trace.operators[i], cumulative));
  }
  std::string text = "\n" + columns(rows, options.widest, "1");
  if (shown < trace.operators.size()) {
    double rest = 0;
    for (std::size_t i = shown; i < trace.operators.size(); ++i) {
      rest += trace.operators[i].percent_of_total;
    }
    text += "  ... and " + format_count(trace.operators.size() - shown) + " more with " +
            fixed(rest, 1) + " %\n";
  }
  return text;
}

struct TypeTotal {
  std::string type;
  std::int64_t count = 0;
  double us = 0;
  double percent = 0;
};

std::string types(const OpTrace& trace) {
  std::map<std::string, TypeTotal> by_type;
  for (const TraceOperator& op : trace.operators) {
    TypeTotal& total = by_type[op.op_type];
    total.type = op.op_type;
    ++total.count;
    total.us += op.duration_us;
    total.percent += op.percent_of_total;
  }
  if (by_type.size() < 2 || by_type.size() == trace.operators.size()) return "";
  std::vector<TypeTotal> totals;
  totals.reserve(by_type.size());
  for (const auto& [type, total] : by_type) totals.push_back(total);
  std::ranges::stable_sort(totals, std::ranges::greater(), &TypeTotal::percent);
  std::vector<Row> rows = {{"type", "nodes", "us", "%"}};
  for (std::size_t i = 0; i < std::min(totals.size(), types_shown); ++i) {
    rows.push_back({totals[i].type, std::to_string(totals[i].count), fixed(totals[i].us, 1),
                    fixed(totals[i].percent, 1)});
  }
  return "\n" + columns(rows, 30);
}

std::string notes(const OpTrace& trace) {
  std::string text;
  for (const std::string& note : trace.notes) text += "note: " + printable(note) + "\n";
  const std::optional<double> interrupted = trace.summary.interrupted_us;
  // Below a tenth it is the scatter every machine has.
  if (interrupted && *interrupted > 0.1 * trace.summary.traced_total_us.value_or(0)) {
    text += "note: traced runs were interrupted for " + duration(*interrupted) +
            " typically, which is in no operator: the machine was busy\n";
  }
  if (trace.metadata.unreadable > 0) {
    text += "note: could not be read and was skipped: " +
            counted(at_least_zero(trace.metadata.unreadable), "row or event", "rows or events") +
            "\n";
  }
  if (trace.fallback_reason) {
    text +=
        "note: this is the basic trace; detail failed: " + printable(*trace.fallback_reason) + "\n";
  }
  return text.empty() ? "" : "\n" + text;
}

}  // namespace

std::string describe_trace(const OpTrace& trace, const TraceTextOptions& options) {
  if (!trace.has_operators()) {
    return "no op trace (" + std::string(name_of(trace.status)) +
           "): " + printable(trace.error.value_or("no reason given")) + "\n";
  }
  return heading(trace.metadata) + whose_times(trace.metadata) +
         account(trace.summary, trace.metadata.times) + basis(trace.summary, trace.metadata.times) +
         providers(trace.summary) + gpu_lines(trace.summary) + accelerator(trace.summary) +
         operators(trace, options) + types(trace) + notes(trace);
}

}  // namespace hone
