#pragma once
// The readings of all probes over time, for a live view while they come and for the record after.

#include <mutex>
#include <vector>

#include "measure/hw/probe.h"

namespace hone {

struct HwReading {
  Nanoseconds time{0};
  double value = 0;
};

// One channel with its latest readings.
struct HwSeries {
  HwChannel channel;
  std::vector<HwReading> readings;
};

// May be called from several threads: one samples, another looks.
class HwRecorder {
 public:
  explicit HwRecorder(std::vector<HwProbe> probes);

  void sample(Nanoseconds now);
  // Readings from `since` on, of the channels that have any.
  std::vector<HwSeries> readings_since(Nanoseconds since) const;
  // Statistics over [from, to]. A stretch shorter than the interval between two readings takes the
  // reading that follows it, so that a short run has one.
  std::vector<HwChannel> summarize(Nanoseconds from, Nanoseconds to) const;

 private:
  struct Track {
    HwProbe probe;
    std::vector<HwReading> readings;
  };
  mutable std::mutex mutex_;
  std::vector<Track> tracks_;
};

// The record with the parts that have a name of their own taken from the channels. `cpus` is how
// many the machine has.
HwMonitorRecord make_hw_record(std::vector<HwChannel> channels, int cpus);

}  // namespace hone
