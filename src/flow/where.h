#pragma once
// From where something runs to the plan of a session, alone and together with a recipe. Every flow
// that has a target gets it here: an EP that nobody knows, a device class that the EP does not have
// and a device that is not there are refused, and none is ever replaced by the CPU.

#include <string>
#include <vector>

#include "record/recipe.h"
#include "record/run_plan.h"
#include "record/where.h"
#include "runtime/survey.h"

namespace hone {

struct SettledWhere {
  Where where;
  std::vector<std::string> notes;  // which EP was chosen, and why
};

// What was said, as one EP and one device:
//   nothing                 cpu
//   an EP                   that one, with the device that was said or its usual one ("auto").
//                           Refused (bad_input) where hone has no such EP and no library offers
//                           it, and where the EP has no such device class. Nothing of an EP that
//                           hone knows is loaded for that
//   a device, or EP "auto"  the first EP in the order of kinds/ep.h that works here; "auto" takes
//                           npu, gpu, cpu in turn. A note says which. Where there is none:
//                           not_found, Trouble::absent, and what is there. Takes as long as loading
//                           EPs does
// What is settled settles to itself.
Result<SettledWhere> settle_where(const Where& said);

// Whether a target that was written down (in a recipe, in a list of targets) can be meant.
Status check_target(const Target& target, const Host& host);

// What works on this machine, as `auto` would choose: npu, gpu, cpu, and the best EP of each first.
// Simulated devices are not among them.
Result<std::vector<Target>> offered_targets(const Host& host, const SurveyProgress& progress = {});

// Fills the plan's runtime, libraries, target and session options, of a Where that is settled or
// not. The EP's own library is found where it lies beside ONNX Runtime or in the host's folders.
Status fill_plan(const Where& where, RunPlan& plan);

// The devices of the target that this machine has; none for the CPU, which is not asked for them,
// and for an EP that is opened by its name alone. Fails (not_found, Trouble::absent) where the
// target is not here. Its library is loaded in a worker, and nothing is run.
Result<std::vector<Device>> check_here(const Where& where);

// What was said of target, threads and session, over what a recipe says; what there is to note
// about it. The options and the device of another EP are none of this one's. A device alone is one
// of the recipe's EP where that has it.
Result<std::vector<std::string>> put_over(Recipe& recipe, const Where& said);
// How a recipe's model runs, on the host that was said.
Where where_of(const Recipe& recipe, const Where& said);
// The same as a plan.
Result<RunPlan> run_plan_of(const Recipe& recipe, const Where& said);

// Holds, or is Trouble::misplaced and says what is missing. Only nodes on the target's own EP
// count, and a placement nobody knows does not hold where one is asked for.
Status check_placement(const Where& where, const Placement& placement);

// What there is to survey: the runtimes and plugin libraries of the host, our own included.
SurveyRequest survey_request(const Host& host);

}  // namespace hone
