#pragma once
// A space of arms that was measured in full once, so that searchers can be tried on it without the
// machine.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/fault.h"
#include "record/fields.h"
#include "record/search.h"

namespace hone {

inline constexpr std::int64_t replay_schema_version = 1;

struct RecordedArm {
  Hypothesis hypothesis;
  std::optional<BuiltModel> built;  // null: it does not build
  std::optional<Error> error;       // of the build, or of running it
  AccuracyCheck numerics;
  AccuracyCheck accuracy;
  // The difference from the baseline in ln t: of each session, of each of its rounds. Of the
  // baseline itself, that of its clone.
  std::vector<std::vector<double>> sessions;
  std::vector<double> session_ms;  // its own time in each session, the median of the rounds
};
template <RecordOf<RecordedArm> Self>
void for_each_field(Self& arm, auto&& field) {
  field("hypothesis", arm.hypothesis, Presence::required);
  field("built", arm.built);
  field("error", arm.error);
  field("numerics", arm.numerics);
  field("accuracy", arm.accuracy);
  field("sessions", arm.sessions);
  field("session_ms", arm.session_ms);
}

// One model on one target.
struct RecordedSpace {
  std::string model;
  std::string model_sha256;
  std::string environment;
  Target target;
  double baseline_ms = 1;
  double block_s = 0.1;  // what a block takes
  // Where it was measured, for findings: machine, ONNX Runtime and EP, name -> value.
  std::map<std::string, std::string> facts;
  std::vector<RecordedArm> arms;  // the baseline first
};
template <RecordOf<RecordedSpace> Self>
void for_each_field(Self& space, auto&& field) {
  field("model", space.model);
  field("model_sha256", space.model_sha256);
  field("environment", space.environment);
  field("target", space.target);
  field("baseline_ms", space.baseline_ms);
  field("block_s", space.block_s);
  field("facts", space.facts);
  field("arms", space.arms, Presence::required);
}

}  // namespace hone
