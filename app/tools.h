#pragma once
// What commands that change models need: ONNX Runtime, and the library that knows shapes.

#include <string>

#include "app/call.h"
#include "app/where.h"
#include "transform/optimize.h"

namespace hone::app {

// One line on a terminal that says which step runs, printed over itself; with -v a line each.
class StepProgress {
 public:
  explicit StepProgress(const Call& call) : call_(call) {}
  ~StepProgress() { end(); }
  StepProgress(const StepProgress&) = delete;
  StepProgress& operator=(const StepProgress&) = delete;

  void step(const std::string& what);
  // Takes the line away, before an answer is printed.
  void end();

 private:
  const Call& call_;
  bool is_line_open_ = false;
};

// Loads ONNX Runtime into this process. REQUIRES: `progress` outlives the tools.
Result<TransformTools> make_tools(const WhereArguments& where, StepProgress& progress);

}  // namespace hone::app
