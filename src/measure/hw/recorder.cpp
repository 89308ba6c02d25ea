#include "measure/hw/recorder.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>

namespace hone {
namespace {

HwChannel summarize_readings(HwChannel channel, std::span<const HwReading> readings) {
  if (readings.empty()) {
    if (!channel.reason) channel.reason = "no reading in this time";
    return channel;
  }
  double sum = 0;
  double least = readings.front().value;
  double most = readings.front().value;
  for (const HwReading& reading : readings) {
    sum += reading.value;
    least = std::min(least, reading.value);
    most = std::max(most, reading.value);
  }
  channel.mean = sum / static_cast<double>(readings.size());
  channel.min = least;
  channel.max = most;
  channel.last = readings.back().value;
  channel.sample_count = readings.size();
  return channel;
}

std::span<const HwReading> readings_between(const std::vector<HwReading>& readings,
                                            Nanoseconds from, Nanoseconds to) {
  const auto first = std::ranges::lower_bound(readings, from, {}, &HwReading::time);
  auto last = std::ranges::upper_bound(readings, to, {}, &HwReading::time);
  if (first == last && last != readings.end()) ++last;
  return {first, last};
}

const HwChannel* find_channel(const std::vector<HwChannel>& channels, std::string_view name) {
  const auto found = std::ranges::find(channels, name, &HwChannel::name);
  return found == channels.end() || found->sample_count == 0 ? nullptr : &*found;
}

std::optional<double> megabytes(std::optional<double> bytes) {
  if (!bytes) return std::nullopt;
  return std::round(*bytes / (1 << 20) * 100) / 100;
}

std::optional<double> divided(std::optional<double> value, int by) {
  if (!value || by <= 0) return std::nullopt;
  return *value / by;
}

// The busiest accelerator.
const HwChannel* busiest(const std::vector<HwChannel>& channels) {
  const HwChannel* found = nullptr;
  for (const HwChannel& channel : channels) {
    if (!channel.name.ends_with("/utilization") || channel.sample_count == 0) continue;
    if (found == nullptr || *channel.mean > *found->mean) found = &channel;
  }
  return found;
}

}  // namespace

HwRecorder::HwRecorder(std::vector<HwProbe> probes) {
  for (HwProbe& probe : probes) tracks_.push_back({std::move(probe), {}});
}

void HwRecorder::sample(Nanoseconds now) {
  const std::lock_guard lock(mutex_);
  for (Track& track : tracks_) {
    if (!track.probe.read) continue;
    const std::optional<double> value = track.probe.read(now);
    if (value && std::isfinite(*value)) track.readings.push_back({now, *value});
  }
}

std::vector<HwSeries> HwRecorder::readings_since(Nanoseconds since) const {
  const std::lock_guard lock(mutex_);
  std::vector<HwSeries> all;
  for (const Track& track : tracks_) {
    const auto first = std::ranges::lower_bound(track.readings, since, {}, &HwReading::time);
    if (first == track.readings.end()) continue;
    all.push_back({track.probe.channel, {first, track.readings.end()}});
  }
  return all;
}

std::vector<HwChannel> HwRecorder::summarize(Nanoseconds from, Nanoseconds to) const {
  const std::lock_guard lock(mutex_);
  std::vector<HwChannel> channels;
  for (const Track& track : tracks_) {
    channels.push_back(
        summarize_readings(track.probe.channel, readings_between(track.readings, from, to)));
  }
  return channels;
}

HwMonitorRecord make_hw_record(std::vector<HwChannel> channels, int cpus) {
  HwMonitorRecord record;
  if (const HwChannel* cpu = find_channel(channels, "cpu/process")) {
    record.cpu = {divided(cpu->mean, cpus), cpu->mean, divided(cpu->max, cpus), cpu->sample_count};
  }
  if (const HwChannel* memory = find_channel(channels, "memory/resident")) {
    record.ram = {megabytes(memory->mean), megabytes(memory->last), megabytes(memory->max)};
  }
  if (const HwChannel* adapter = busiest(channels)) {
    const std::string device = adapter->name.substr(0, adapter->name.find('/'));
    record.device_kind = device.starts_with("npu") ? "npu" : "gpu";
    record.adapter = {device, adapter->mean, adapter->max, adapter->sample_count};
    if (const HwChannel* memory = find_channel(channels, device + "/memory")) {
      record.device_memory = {megabytes(memory->mean), megabytes(memory->max)};
    }
  }
  record.channels = std::move(channels);
  return record;
}

}  // namespace hone
