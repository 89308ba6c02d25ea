#pragma once
// What a finding is held against: a model and the target it is built for.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/analyze.h"

namespace hone {

// An empty text and a missing map are not known, and what asks for them is unknown.
struct Situation {
  std::string ep{};      // the short name
  std::string device{};  // cpu, gpu, npu; "auto" is not known either, but for the CPU EP
  std::string ort_version{};
  std::string ep_version{};
  std::string driver{};
  std::string precision{};
  std::map<std::string, double> features{};  // by their names in `hone analyze`; shares from 0 to 1
  std::optional<std::map<std::string, std::uint64_t>> op_counts{};
  std::optional<std::map<std::string, std::uint64_t>> patterns{};  // fusion candidates
};

// Every name of `features` there is.
std::vector<std::string> known_features();

// What an analysis tells; versions and driver are for the caller to fill.
Situation situation_of(const Analysis& analysis);

// The device class as far as it is known: the CPU EP has but one.
std::string device_of(const Situation& situation);
// The CPU EP is a part of ONNX Runtime and has its version.
std::string ep_version_of(const Situation& situation);

}  // namespace hone
