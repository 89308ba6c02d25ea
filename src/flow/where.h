#pragma once
// From where something runs to the plan of a session, alone and together with a recipe.

#include "record/recipe.h"
#include "record/run_plan.h"
#include "record/where.h"
#include "runtime/survey.h"

namespace hone {

// Fills the plan's runtime, libraries, target and session options, and refuses what cannot be
// meant.
Status fill_plan(const Where& where, RunPlan& plan);

// What was said of target, threads and session, over what a recipe says. The options and the device
// of another EP are none of this one's.
void put_over(Recipe& recipe, const Where& said);
// How a recipe's model runs, on the host that was said.
Where where_of(const Recipe& recipe, const Where& said);
// The same as a plan.
Result<RunPlan> run_plan_of(const Recipe& recipe, const Where& said);

// Holds, or is Trouble::misplaced and says what is missing. A placement nobody knows does not hold
// where one is asked for.
Status check_placement(const Where& where, const Placement& placement);

// What there is to survey: the runtimes and plugin libraries of the host, our own included.
SurveyRequest survey_request(const Host& host);

}  // namespace hone
