#include "report/perf/denormals_text.h"

#include "base/text.h"
#include "report/trace/text.h"

namespace hone {
namespace {

// Less is not worth answers that may change.
constexpr double clearly = 1.1;

constexpr const char* option = "session.set_denormal_as_zero";

std::string option_text() { return std::string("--session-options ") + option + "=1"; }

std::string compare_command(const std::string& model) {
  const std::string arm = ":model=" + model;
  return "hone compare --arm as-is" + arm + " --arm as-zero" + arm + ",session." + option + "=1";
}

}  // namespace

std::string denormals_note(const PerfResult& result) {
  const PerfDenormals& found = result.denormals;
  if (result.benchmark_info.session_options.contains(option)) return {};
  const std::string count =
      format_count(found.weights) + " of " + format_count(found.of) + " weights are denormal";
  if (found.is_beyond_noise && *found.p50_as_is_ms > *found.p50_as_zero_ms * clearly) {
    return (found.weights > 0 ? count : "it computes with denormal numbers") + ": with " +
           option_text() + " a run takes " + text_form::duration(*found.p50_as_zero_ms * 1000) +
           " instead of " + text_form::duration(*found.p50_as_is_ms * 1000) +
           "; answers that rest on such numbers change";
  }
  if (found.weights == 0) return {};
  return count + ": " + option_text() + " may help, and may change answers; `" +
         compare_command(result.benchmark_info.running_model_path) + "` tells";
}

}  // namespace hone
