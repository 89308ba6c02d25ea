#pragma once
// Runs a nested model on the CPU, in the place of the device.

#include <string>
#include <vector>

#include "base/result.h"
#include "ep/sim/nested_model.h"

namespace hone::ep::sim {

class NestedSession {
 public:
  struct Settings {
    const Ort& ort;
    OrtEnv* env;  // outlives the session
    std::int64_t threads = 1;
  };

  // `model` stays with the session: its weights are used where they are.
  static Result<NestedSession> open(const Settings& settings, NestedModel model);
  // A model as bytes; the names are given in the order of the kernel's inputs and outputs.
  static Result<NestedSession> open(const Settings& settings, const std::string& bytes,
                                    std::vector<std::string> inputs,
                                    std::vector<std::string> outputs);

  // From the kernel's inputs to its outputs; `after_device` is called when the work is done and
  // only copying remains.
  Status run(OrtKernelContext* context, const auto& after_device) const {
    HONE_TRY(const auto results, compute(context));
    after_device();
    return hand_over(context, results);
  }

 private:
  using Results = std::vector<Owned<OrtValue>>;

  NestedSession(const Ort& ort, NestedModel model, Owned<OrtSession> session);
  Result<Results> compute(OrtKernelContext* context) const;
  Status hand_over(OrtKernelContext* context, const Results& results) const;

  const Ort* ort_;
  NestedModel model_;  // before the session, which uses its weights to the end
  Owned<OrtSession> session_;
};

// The model as one file's bytes, weights inside.
Result<std::string> serialize(const NestedSession::Settings& settings, const NestedModel& model);

}  // namespace hone::ep::sim
