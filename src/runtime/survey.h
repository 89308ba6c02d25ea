#pragma once
// What this machine offers to run models on. Every library and every EP is tried in a worker of its
// own, so one that crashes or hangs is a line of the result, and hides nothing else.

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "record/system.h"

namespace hone {

struct SurveyRequest {
  Path program;                                     // of the workers: own_program()
  std::vector<std::string> ort;                     // ONNX Runtime libraries to try, in order
  std::map<std::string, std::string> ep_libraries;  // name -> plugin library
  std::vector<std::string> ep_folders;              // where EPs' own libraries are looked for
  std::string only_ep;                              // the EP to open a model on; empty: all
};

// Loading takes well below a second, opening some seconds where an EP compiles for its device. What
// does not answer in time is stopped and said so; a user waits a minute at the very most.
struct SurveyLimits {
  std::chrono::milliseconds loading{10'000};  // of one library
  std::chrono::milliseconds opening{20'000};  // of the test model on one EP and device class
  std::chrono::milliseconds total{60'000};    // what comes later is not tried
};

// Told what is about to be tried: "registering 'qnn'".
using SurveyProgress = std::function<void(const std::string& doing)>;

// Every place where ONNX Runtime was looked for; the first that can be used is used.
std::vector<OrtLibrary> survey_runtimes(const SurveyRequest& request,
                                        const SurveyLimits& limits = {},
                                        const SurveyProgress& progress = {});

// The machine, the runtimes, and of the one in use EPs and devices. An EP is primary when a model
// of one node opened and ran on it here; whether the EP took the node or left it to the CPU is said
// in its reason. It failed when it is built in, or its library was named or found beside ONNX
// Runtime, and that did not work. A
// library that cannot be registered, or brings no device, is a failed EP of the library's name. Of
// the names in runtime/ep_names.h that remain, all are absent. Fails when the model of one node
// cannot be written.
Result<System> survey_system(const SurveyRequest& request, const SurveyLimits& limits = {},
                             const SurveyProgress& progress = {});

// A target that was asked for and is not the one, and why.
struct RefusedTarget {
  Target target;
  bool is_here = false;  // it is, and does not work
  std::string reason;
};
struct TargetChoice {
  std::optional<Target> first;
  std::vector<RefusedTarget> before;  // those that were tried, in their order
};

// The first of the targets (EP and device class) that works here: a model of one node opened on a
// device of that class. Nothing behind it is tried, and no library of another EP is loaded. Fails
// where there is no ONNX Runtime.
Result<TargetChoice> choose_target(const SurveyRequest& request, const std::vector<Target>& wanted,
                                   const SurveyLimits& limits = {},
                                   const SurveyProgress& progress = {});

}  // namespace hone
