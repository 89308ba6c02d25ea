#pragma once
// The options that say where something runs, the same in every command: --ep, --device,
// --ep-options, --ep-library,
// --ort, --session-options, --threads. The environment ($HONE_ORT, $HONE_EP_PATH) is read here and
// nowhere else.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/options.h"
#include "base/result.h"
#include "record/recipe.h"
#include "record/run_plan.h"
#include "runtime/survey.h"

namespace hone::app {

// What was said, and no more: a build folder's recipe fills in what was not (app/model_path.h).
struct WhereArguments {
  static constexpr std::int64_t not_said = -1;

  std::string ep;      // empty: not said, which is cpu
  std::string device;  // likewise auto
  std::vector<std::string> ep_options;
  std::vector<std::string> ep_libraries;
  std::string ort;
  std::vector<std::string> session_options;
  std::int64_t threads = not_said;
  std::string require_placement;
};

// Declares the runtime and its plugin libraries: --ort and --ep-library.
void declare_runtime(Options& options, WhereArguments& arguments);
// Declares all of them.
void declare_where(Options& options, WhereArguments& arguments);

// Fills the plan's runtime, libraries, target and session options, and refuses what cannot be
// meant.
Status fill_plan(const WhereArguments& arguments, RunPlan& plan);

// What was said of target, threads and session, over what a recipe says. The options and the device
// of another EP are none of this one's.
Status put_over(Recipe& recipe, const WhereArguments& said);
// How a recipe's model runs, with the runtime and the libraries that were said.
WhereArguments where_of(const Recipe& recipe, const WhereArguments& said);

// --require-placement: which share of the nodes must run on the target's own EP.
class PlacementGate {
 public:
  // "95%" or "0.95"; empty: no gate.
  static Result<PlacementGate> read(const std::string& text);
  // Holds, or says what is missing. A placement nobody knows does not hold.
  Status check(const Placement& placement);
  bool has_refused() const { return has_refused_; }

 private:
  std::optional<double> share_;  // 0 to 1
  bool has_refused_ = false;
};

// The libraries to try for ONNX Runtime, in order: --ort, else $HONE_ORT, else beside this program,
// else the system's.
std::vector<std::string> ort_candidates(const std::string& chosen);

// Where things are kept that can be made again: $HONE_CACHE, else $XDG_CACHE_HOME/hone, else
// ~/.cache/hone.
Result<Path> cache_folder();

// Where a user's findings are kept: $XDG_DATA_HOME/hone/knowledge, else
// ~/.local/share/hone/knowledge.
Result<Path> knowledge_folder();

// libhone_ep.so, which comes with hone.
Result<Path> own_ep_library();

// Plugin libraries from --ep-library NAME=PATH and $HONE_EP_PATH (NAME=PATH:NAME=PATH). When
// `with_own`, the simulated accelerator that comes with hone is added where its library is found.
Result<std::map<std::string, std::string>> ep_library_map(const std::vector<std::string>& words,
                                                          bool with_own);

// What there is to survey: the runtimes and plugin libraries of these arguments, our own included.
Result<SurveyRequest> survey_request(const WhereArguments& arguments);

}  // namespace hone::app
