#pragma once
// What a search is handed on a machine: builds, checks and evaluations are jobs in processes of
// their own, races are workers that take turns.

#include <atomic>

#include "flow/eval.h"
#include "flow/given_model.h"
#include "flow/job.h"
#include "flow/search/search.h"
#include "measure/clock.h"
#include "record/run_plan.h"
#include "record/where.h"
#include "search/search.h"

namespace hone {

struct SearchSite {
  Path model;         // as it came: what answers are compared with
  std::string given;  // what the user named: a checkpoint is written anew by a recipe's `export`
  Path folder;        // of this search
  Where where;
  std::string input_data;  // for races and numerics; empty: seeded samples
  std::string shape_config;
  std::uint64_t seed = 0;
  std::string task;  // of `hone eval`; empty: there is no gate but numerics
  std::string data;
  double max_drop = 0.01;
  double margin = 0.01;                     // of the verdicts
  std::chrono::seconds limit{600};          // of one build, check or evaluation
  Nanoseconds deadline{0};                  // of everything, by steady_now(); 0: none
  const std::atomic<bool>* stop = nullptr;  // ends what is in flight
  std::vector<std::string> notes;           // what its recipe decided, and what was assumed
};

// Where the search of an order happens, but for its folder, its time and who may stop it.
SearchSite site_of(const SearchOrder& order, const GivenModel& model);

// Sizes of all inputs that are made up, so that every build, check and race runs on the same. What
// is no model is refused here.
Status settle_shapes(SearchSite& site);
// How long something of the search may take: the site's limit, its own, and what is left until the
// deadline. Nothing is left: a timeout, and it is not begun.
Result<std::chrono::milliseconds> time_for(const SearchSite& site, double limit_s);
// A job for the search, in a process of its own.
template <class Order>
Result<typename Order::Answer> run_for(const SearchSite& site, const Order& order,
                                       double limit_s = unlimited_s) {
  HONE_TRY(const std::chrono::milliseconds time, time_for(site, limit_s));
  return run_apart(order, site.where.host.program, {.time = time}, {.stop = site.stop});
}
// Seconds until the deadline.
double seconds_left(const SearchSite& site);

// REQUIRES: `site` outlives them.
SearchTools make_search_tools(const SearchSite& site);

// What a model is compared with: float, with nothing but what is always on.
Result<Recipe> baseline_recipe(const Where& where);

// Hands an order the inputs of a search.
template <class Order>
void give_inputs(const SearchSite& site, Order& order) {
  order.input_data = site.input_data;
  order.shape_config = site.shape_config;
}
// Where a recipe's model runs in a search; races alone are held to the placement.
Where where_in(const SearchSite& site, const Recipe& recipe);

// The gate of the task, as it is asked of a build.
TaskOrder gate_order(const SearchSite& site, const BuiltModel& built, const Recipe& recipe);

// Where the build of a recipe goes.
Path arm_folder(const SearchSite& site, const Recipe& recipe);

}  // namespace hone
