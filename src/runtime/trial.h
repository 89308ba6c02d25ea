#pragma once
// A model that is only tried: opened once, run on one shape after the other.

#include <memory>

#include "record/run_plan.h"
#include "runtime/samples.h"
#include "runtime/session.h"

namespace hone {

class Trial {
 public:
  // On the CPU, without graph optimizations; a model compiled for a device on the plan's target.
  // Large weights are left out: what is computed does not matter, only whether it can be.
  static Result<Trial> open(std::shared_ptr<Runtime> runtime, const RunPlan& plan);
  // One run on a sample that the rules make of the seed.
  Status run(const ShapeRules& rules) const;

 private:
  Trial() = default;
  std::unique_ptr<TemporaryFolder> folder_;
  std::unique_ptr<Session> session_;
  InputFacts facts_;
  std::uint64_t seed_ = 0;
};

}  // namespace hone
