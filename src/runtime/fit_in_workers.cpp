// Sizes tried in workers: one that crashes or hangs costs a worker, not us.

#include <chrono>
#include <optional>

#include "runtime/fit_inputs.h"
#include "runtime/samples.h"
#include "runtime/worker.h"

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;

// For one size, and for all of them together: a machine that is too slow for the search is told to
// give sizes.
constexpr std::chrono::milliseconds patience{20'000};
constexpr std::chrono::milliseconds whole_patience{60'000};

class Trials {
 public:
  Trials(const RunPlan& plan, const Path& program) : plan_(plan), program_(program) {}

  Status run(const ShapeRules& rules) {
    if (cannot_open_) return done();
    if (Clock::now() - began_ > whole_patience)
      return fail(Fault::timeout, "there was no time to try more sizes");
    if (!worker_ || worker_->is_gone()) {
      const Status opened = open();
      // What it cannot do here it may do where it is meant to run; who runs it there will say.
      cannot_open_ = !opened;
      if (!opened) return done();
    }
    return worker_->try_inputs(to_shape_text(rules));
  }

 private:
  Status open() {
    worker_.reset();
    WorkerLimits limits;
    limits.block = patience;
    HONE_TRY(Worker worker, Worker::start(program_, limits));
    worker_.emplace(std::move(worker));
    return worker_->open_trial(plan_);
  }

  const RunPlan& plan_;
  const Path& program_;
  Clock::time_point began_ = Clock::now();
  std::optional<Worker> worker_;
  bool cannot_open_ = false;
};

}  // namespace

Result<FittedInputs> fit_inputs(const RunPlan& plan, const Path& program) {
  HONE_TRY(ShapeRules rules, parse_shape_rules(plan.shape_config));
  rules.batch = plan.batch_size;
  HONE_TRY(const Model model, load_model(plan.model));
  Trials trials(plan, program);
  return fit_inputs(input_ports(model), rules, read_input_facts(model),
                    [&](const ShapeRules& closed) { return trials.run(closed); });
}

}  // namespace hone
