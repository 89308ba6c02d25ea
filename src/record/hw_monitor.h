#pragma once
// What the machine did while something was measured.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/fields.h"

namespace hone {

// One thing that was watched. A channel that this machine does not have is listed with the reason.
struct HwChannel {
  std::string name;           // "cpu/process", "gpu0/utilization"
  std::string unit;           // "%", "MHz", "C", "bytes", "W"
  std::string description{};  // "processor time of this process, 100 % is one CPU"
  std::optional<double> mean{};
  std::optional<double> min{};
  std::optional<double> max{};
  std::optional<double> last{};
  std::uint64_t sample_count = 0;
  std::optional<std::string> reason{};  // why there is no value
};

template <RecordOf<HwChannel> Self>
void for_each_field(Self& channel, auto&& field) {
  field("name", channel.name, Presence::required);
  field("unit", channel.unit);
  field("description", channel.description);
  field("mean", channel.mean);
  field("min", channel.min);
  field("max", channel.max);
  field("last", channel.last);
  field("sample_count", channel.sample_count);
  field("reason", channel.reason, Presence::when_given);
}

struct HwCpu {
  std::optional<double> mean_pct;          // of all logical CPUs together
  std::optional<double> process_mean_pct;  // 100 is one CPU
  std::optional<double> peak_pct;
  std::uint64_t sample_count = 0;
};

template <RecordOf<HwCpu> Self>
void for_each_field(Self& cpu, auto&& field) {
  field("mean_pct", cpu.mean_pct);
  field("process_mean_pct", cpu.process_mean_pct);
  field("peak_pct", cpu.peak_pct);
  field("sample_count", cpu.sample_count);
}

struct HwRam {
  std::optional<double> mean_mb;
  std::optional<double> used_mb;  // at the end
  std::optional<double> peak_mb;
};

template <RecordOf<HwRam> Self>
void for_each_field(Self& ram, auto&& field) {
  field("mean_mb", ram.mean_mb);
  field("used_mb", ram.used_mb);
  field("peak_mb", ram.peak_mb);
}

struct HwAdapter {
  std::optional<std::string> name;
  std::optional<double> mean_pct;
  std::optional<double> peak_pct;
  std::uint64_t sample_count = 0;
};

template <RecordOf<HwAdapter> Self>
void for_each_field(Self& adapter, auto&& field) {
  field("name", adapter.name);
  field("mean_pct", adapter.mean_pct);
  field("peak_pct", adapter.peak_pct);
  field("sample_count", adapter.sample_count);
}

struct HwDeviceMemory {
  std::optional<double> local_mean_mb;
  std::optional<double> local_peak_mb;
};

template <RecordOf<HwDeviceMemory> Self>
void for_each_field(Self& memory, auto&& field) {
  field("local_mean_mb", memory.local_mean_mb);
  field("local_peak_mb", memory.local_peak_mb);
}

struct HwMonitorRecord {
  std::string monitor = "hw";
  std::optional<std::string> device_kind;  // "gpu" where an accelerator was watched
  double interval_ms = 0;                  // between two samples
  double duration_ms = 0;                  // what the numbers are about: the measured runs
  HwCpu cpu;
  HwRam ram;
  std::optional<HwAdapter> adapter;
  std::optional<HwDeviceMemory> device_memory;
  std::vector<HwChannel> channels;  // all that was watched, these four included
};

template <RecordOf<HwMonitorRecord> Self>
void for_each_field(Self& record, auto&& field) {
  field("monitor", record.monitor);
  field("device_kind", record.device_kind);
  field("interval_ms", record.interval_ms);
  field("duration_ms", record.duration_ms);
  field("cpu", record.cpu);
  field("ram", record.ram);
  field("adapter", record.adapter);
  field("device_memory", record.device_memory);
  field("channels", record.channels);
}

// Whether an NPU really worked, from its driver's own counters.
struct EpProof {
  std::string ep;
  std::optional<bool> npu_proven{};
  std::optional<std::int64_t> command_submissions{};
  std::optional<std::int64_t> command_completions{};
  std::optional<std::string> hw_context_status{};
  std::optional<std::string> reason{};  // why it could not be proven
};

template <RecordOf<EpProof> Self>
void for_each_field(Self& proof, auto&& field) {
  field("ep", proof.ep);
  field("npu_proven", proof.npu_proven);
  field("command_submissions", proof.command_submissions);
  field("command_completions", proof.command_completions);
  field("hw_context_status", proof.hw_context_status);
  field("reason", proof.reason, Presence::when_given);
}

}  // namespace hone
