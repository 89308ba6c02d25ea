#include "report/perf/perf_text.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/counted.h"
#include "base/text.h"
#include "report/perf/points_text.h"
#include "report/trace/text.h"
#include "report/trace/trace_text.h"

namespace hone {
namespace {

using text_form::fixed;

std::string milliseconds(double value) { return text_form::duration(value * 1000); }
std::string cell(const std::optional<double>& value) { return value ? milliseconds(*value) : "-"; }
std::string megabytes(double value) { return fixed(value, 1) + " MB"; }
std::string percent(double value) { return fixed(value, 1) + " %"; }
// "+77.3", "-1.2".
std::string change(double value) { return (value >= 0 ? "+" : "") + fixed(value, 1); }

// "  throughput    316 runs/s": names in one column.
std::string named(const std::string& name, const std::string& value) {
  if (value.empty()) return {};
  constexpr std::size_t width = 14;
  return "  " + name + std::string(width - std::min(width - 1, name.size()), ' ') + value + "\n";
}

std::string joined(std::vector<std::string> parts) {
  std::erase(parts, "");
  return join(parts, ", ");
}

std::string heading(const PerfResult& result) {
  const PerfBenchmarkInfo& info = result.benchmark_info;
  const std::string name = std::filesystem::path(info.model_id).filename().string();
  const std::string target =
      info.device.empty() || info.device == info.ep ? info.ep : info.ep + "/" + info.device;
  std::string text = printable(name.empty() ? info.model_id : name) + " on " + printable(target);
  if (result.machine.cores > 0)
    text += " (" + counted(static_cast<std::uint64_t>(result.machine.cores), "CPU") + ")";
  if (info.runtime_version) text += ", " + info.runtime + " " + *info.runtime_version;
  text += ", " + counted(info.iterations, "iteration") + " after " + format_count(info.warmup) +
          " of warm-up\n";
  if (result.placement) text += describe(*result.placement) + "\n";
  return text;
}

// What the missing percentiles need, in one line.
std::string missing_percentiles(const PerfLatency& latency) {
  constexpr std::string_view enough = "--iterations 662";  // for p99 at 99 % confidence
  if (latency.p99 || !latency.p50) return {};
  const std::string which = !latency.p90   ? "p90 and above need"
                            : !latency.p95 ? "p95 and above need"
                                           : "p99 needs";
  return "  " + which + " more samples: " + std::string(enough) + (latency.p95 ? "" : " for p99") +
         "\n";
}

std::string latency_table(const PerfLatency& latency) {
  const std::vector<text_form::Row> rows = {
      {"", "p50", "p90", "p95", "p99", "mean", "min", "max", "std"},
      {"latency", cell(latency.p50), cell(latency.p90), cell(latency.p95), cell(latency.p99),
       cell(latency.mean), cell(latency.min), cell(latency.max), cell(latency.deviation)}};
  return text_form::columns(rows, 20) + missing_percentiles(latency);
}

std::string throughput_line(const PerfResult& result) {
  const PerfThroughput& throughput = result.throughput;
  // "316 samples/s", and below one of them "9.80 s per sample".
  const auto rate = [](double value, const std::string& of) {
    if (value > 0 && value < 1) return text_form::duration(1e6 / value) + " per " + of;
    return fixed(value, value < 100 ? 1 : 0) + " " + of + "s/s";
  };
  if (throughput.samples_per_sec && result.benchmark_info.effective_batch_size) {
    const std::int64_t streams = result.benchmark_info.streams;
    const std::string at_once =
        streams > 1 ? ", " + counted(static_cast<std::uint64_t>(streams), "stream") : "";
    return rate(*throughput.samples_per_sec, "sample") + " (batch " +
           std::to_string(*result.benchmark_info.effective_batch_size) + at_once + ")";
  }
  return throughput.batches_per_sec ? rate(*throughput.batches_per_sec, "run") : "";
}

std::string cold_start_line(const PerfColdStart& cold) {
  return joined(
      {cold.runtime_ms ? "runtime " + milliseconds(*cold.runtime_ms) : "",
       cold.load_ms ? "session " + milliseconds(*cold.load_ms) : "",
       cold.compile_ms ? "of it compiling " + milliseconds(*cold.compile_ms) : "",
       cold.first_inference_ms ? "first inference " + milliseconds(*cold.first_inference_ms) : ""});
}

std::string steady_line(const PerfSteadyState& steady) {
  const std::string state = steady.state == Steadiness::unsteady ? "not steady: " : "";
  std::string spikes;
  if (steady.spike_rate) {
    spikes =
        *steady.spike_rate == 0 ? "no spikes" : "spikes in " + percent(*steady.spike_rate * 100);
  }
  const bool has_warmup = steady.time_to_steady_ms && *steady.time_to_steady_ms > 0;
  return joined({state + steady.reason,
                 has_warmup ? milliseconds(*steady.time_to_steady_ms) + " to get there" : "",
                 spikes});
}

std::string memory_line(const PerfMemory& memory) {
  return joined(
      {memory.rss_baseline_mb ? megabytes(*memory.rss_baseline_mb) + " before" : "",
       memory.rss_model_load_delta_mb ? change(*memory.rss_model_load_delta_mb) + " session" : "",
       memory.rss_inference_delta_mb ? change(*memory.rss_inference_delta_mb) + " runs" : "",
       memory.rss_peak_mb ? "peak " + megabytes(*memory.rss_peak_mb) : ""});
}

std::string load_line(const Load& load) {
  return describe(load) + (is_busy(load) ? ": these times are longer than they need be" : "");
}

std::string hardware_line(const HwMonitorRecord& hw) {
  std::vector<std::string> parts;
  if (hw.adapter && hw.adapter->mean_pct) {
    parts.push_back(hw.adapter->name.value_or("accelerator") + " " +
                    percent(*hw.adapter->mean_pct) + " (peak " +
                    percent(hw.adapter->peak_pct.value_or(0)) + ")");
  }
  if (hw.cpu.mean_pct) {
    parts.push_back("cpu " + percent(*hw.cpu.mean_pct) + " of all CPUs (peak " +
                    percent(hw.cpu.peak_pct.value_or(0)) + ")");
  }
  for (const HwChannel& channel : hw.channels) {
    const bool is_of_interest = channel.name == "cpu/clock" || channel.name == "cpu/temperature" ||
                                channel.name == "cpu/stolen";
    if (is_of_interest && channel.mean) {
      parts.push_back(channel.name.substr(channel.name.find('/') + 1) + " " +
                      fixed(*channel.mean, channel.unit == "MHz" ? 0 : 1) + " " + channel.unit);
    }
  }
  return joined(std::move(parts));
}

std::string proof_line(const EpProof& proof) {
  if (!proof.npu_proven) return proof.reason.value_or("not known");
  if (!*proof.npu_proven) return "not used: " + proof.reason.value_or("");
  return "worked: " + std::to_string(proof.command_submissions.value_or(0)) + " commands";
}

}  // namespace

std::string describe_perf(const PerfResult& result, const PerfTextOptions& options) {
  std::string text = heading(result) + "\n" + latency_table(result.latency_ms) + "\n";
  text += named("throughput", throughput_line(result));
  if (result.sessions) text += named("sessions", describe_sessions(*result.sessions));
  text += named("cold start", cold_start_line(result.cold_start));
  text += named("steady state", steady_line(result.steady_state));
  if (result.memory && options.shows_memory) text += named("memory", memory_line(*result.memory));
  text += named("machine", load_line(result.load));
  if (result.hw_monitor) text += named("hardware", hardware_line(*result.hw_monitor));
  if (result.energy) text += named("energy", describe_energy(*result.energy));
  if (result.transfers) text += named("transfers", describe_transfers(*result.transfers));
  if (result.ep_proof) text += named("npu", proof_line(*result.ep_proof));
  text += describe_points(result.points);
  if (result.op_trace) {
    text += "\n" + describe_trace(*result.op_trace, {.top = options.top});
  }
  for (const std::string& note : result.notes) text += "note: " + printable(note) + "\n";
  if (result.repeat) text += "repeat: " + printable(*result.repeat) + "\n";
  return text;
}

}  // namespace hone
