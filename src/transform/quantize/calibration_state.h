#pragma once
// What calibration knows so far. It fits into a file, so that an interrupted run goes on where it
// was and a second one with the same model and samples has nothing left to do.

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "record/fields.h"

namespace hone {

// What one half of the samples showed of a tensor: every other sample belongs to the second half.
struct SeenHalf {
  std::uint64_t samples = 0;  // the numbers below mean nothing while there is none
  float low = 0;
  float high = 0;
  float least_magnitude = 0;
  std::vector<std::uint64_t> counts;  // of the histogram, when there is one
};

template <RecordOf<SeenHalf> Self>
void for_each_field(Self& half, auto&& field) {
  field("samples", half.samples);
  field("low", half.low);
  field("high", half.high);
  field("least_magnitude", half.least_magnitude);
  field("counts", half.counts);
}

struct SeenTensor {
  std::uint64_t most_elements = 0;  // in one sample
  SeenHalf first;
  SeenHalf second;
};

template <RecordOf<SeenTensor> Self>
void for_each_field(Self& tensor, auto&& field) {
  field("most_elements", tensor.most_elements);
  field("first", tensor.first);
  field("second", tensor.second);
}

// Pass 0 finds the extremes of all tensors, each later one the histograms of some.
struct CalibrationState {
  std::string key;            // of model, samples and method
  std::uint64_t pass = 0;     // the one that is under way
  std::uint64_t samples = 0;  // it has seen so many
  std::uint64_t total = 0;    // samples there are; known after pass 0
  std::map<std::string, SeenTensor> tensors{};
};

template <RecordOf<CalibrationState> Self>
void for_each_field(Self& state, auto&& field) {
  field("key", state.key, Presence::required);
  field("pass", state.pass, Presence::required);
  field("samples", state.samples, Presence::required);
  field("total", state.total, Presence::required);
  field("tensors", state.tensors, Presence::required);
}

// The file a state is kept in. It is written whole or not at all.
class CalibrationFile {
 public:
  // An empty path keeps nothing.
  explicit CalibrationFile(Path path) : path_(std::move(path)) {}

  // The state under that key; a fresh one when the file is not there, is not readable, or is about
  // another model or other samples.
  CalibrationState load(const std::string& key) const;
  Status save(const CalibrationState& state);
  // Saves when the last time is at least so long ago.
  Status save_every(std::chrono::seconds interval, const CalibrationState& state);
  void remove() const;

 private:
  using Clock = std::chrono::steady_clock;
  Path path_;
  Clock::time_point saved_ = Clock::now();
};

}  // namespace hone
