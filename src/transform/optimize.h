#pragma once
// Optimizing a model: ONNX Runtime's optimizers, then our passes, then the audit of what each of
// them did and the check that the model still computes the same.

#include <functional>
#include <memory>
#include <string>

#include "record/optimize.h"
#include "transform/ort_graph.h"
#include "transform/verify.h"

namespace hone {

struct OptimizePlan {
  CapabilitySet asked;    // by name
  CapabilitySet enabled;  // with defaults and dependencies
  bool audits = true;     // finds out what each asked-for optimizer of ONNX Runtime did
  bool verifies = true;
  SampleSource samples;
};

// What the work stands on.
struct TransformTools {
  std::shared_ptr<Runtime> runtime;
  Path probe_library;  // libhone_ep.so
  std::function<void(const std::string& step)> progress = [](const std::string&) {};
};

struct OptimizeOutcome {
  OptimizedModel result;
  OptimizeReport report;
};

// What the names say: the defaults, with these and without those. A name that is on and off is
// refused, and so is one that another still needs.
Result<OptimizePlan> plan_capabilities(const std::vector<std::string>& enabled,
                                       const std::vector<std::string>& disabled);

// The report is there whether or not the check holds; whoever writes the model looks at it first.
// Where the result fails or is wrong, capabilities that were asked for and break it are left out,
// and the report says which.
Result<OptimizeOutcome> optimize(const TransformTools& tools, const Model& model,
                                 const OptimizePlan& plan);

// Each capability on its own.
Result<std::vector<CapabilityCheck>> check_capabilities(const TransformTools& tools,
                                                        const Model& model);

// How many more nodes of each op `after` has; ops that did not change are left out.
std::map<std::string, std::int64_t> op_changes(const Model& before, const Model& after);
std::uint64_t count_nodes(const Model& model);

}  // namespace hone
