#pragma once
// The best recipe of a model on a target, found by trying and confirmed on fresh sessions: from
// what a user says to the champion, its report and the result.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "flow/watch.h"
#include "record/replay.h"
#include "record/search.h"
#include "record/where.h"
#include "search/search.h"

namespace hone {

struct SearchOrder {
  static constexpr std::string_view job = "search";
  using Answer = SearchResult;

  std::string model;   // a file, or a folder with one
  std::string folder;  // where the search is kept: journal, champion, report
  SearchObjective objective = SearchObjective::latency;
  std::optional<double> latency_budget_ms;  // of the objective accuracy; null: the baseline's time
  std::string task;                         // the gate; empty: there is none but numerics
  std::string data;                         // of the task
  double max_drop = 0.01;                   // of the task's metric
  double margin = 0.01;                     // a share; what is faster by less is not worth keeping
  std::int64_t time_budget_s = 0;           // of everything; 0: none
  std::int64_t timeout_s = 600;             // of one build or check
  std::vector<std::string> only;            // hypotheses by id; empty: all
  std::vector<std::string> recipes;         // files to try besides
  std::string overrides;                    // a file: quantize without these nodes too
  std::string input_data;                   // of races and numerics; empty: some of the task's data
  std::string calibration_data;             // empty: those inputs
  std::string shape_config;
  std::string knowledge;   // a folder of findings besides those that come with hone; empty: none
  bool resumes = false;    // goes on with the search in the folder
  bool overwrite = false;  // begins anew there
  bool traces = true;      // the baseline, and the champion beside it
  std::uint64_t seed = 0;  // of inputs and of the order of arms
  std::string repeat;      // the command line that repeats it, for the result
  Where where;
};
template <RecordOf<SearchOrder> Self>
void for_each_field(Self& order, auto&& field) {
  field("model", order.model, Presence::required);
  field("folder", order.folder, Presence::required);
  field("objective", order.objective);
  field("latency_budget_ms", order.latency_budget_ms);
  field("task", order.task);
  field("data", order.data);
  field("max_drop", order.max_drop);
  field("margin", order.margin);
  field("time_budget_s", order.time_budget_s);
  field("timeout_s", order.timeout_s);
  field("only", order.only);
  field("recipes", order.recipes);
  field("overrides", order.overrides);
  field("input_data", order.input_data);
  field("calibration_data", order.calibration_data);
  field("shape_config", order.shape_config);
  field("knowledge", order.knowledge);
  field("resumes", order.resumes);
  field("overwrite", order.overwrite);
  field("traces", order.traces);
  field("seed", order.seed);
  field("repeat", order.repeat);
  field("where", order.where);
}

// What a watcher in the same process has besides. Once the watch's stop is true, the search ends
// with what is known: a result that says so, which the same order with `resumes` goes on from.
struct SearchWatch {
  Watch watch{};
  // Called for each step of the search itself; what comes before and after is told to the watch.
  std::function<void(const SearchProgress&)> progress{};
};

// Refuses what cannot be meant, before anything runs.
Status check(const SearchOrder& order);

// Leaves the champion and its report in the folder.
Result<SearchResult> search_model(const SearchOrder& order, const SearchWatch& watch);
Result<SearchResult> search_model(const SearchOrder& order, const Watch& watch);

// What would be tried and what not, and why. The folder is not touched: another search may be at
// work there.
Result<SearchResult> plan_search(const SearchOrder& order, const Watch& watch);

// Measures every arm in full instead, so that searches can be replayed.
Result<RecordedSpace> record_search(const SearchOrder& order, std::size_t sessions,
                                    const Watch& watch);

}  // namespace hone
