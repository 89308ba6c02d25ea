#pragma once
// What a search is handed on this machine: builds, checks and evaluations are commands of this
// program in processes of their own, races are workers that take turns.

#include "app/where.h"
#include "base/process.h"
#include "record/run_plan.h"
#include "runtime/runtime.h"
#include "search/search.h"

namespace hone::app {

struct SearchSite {
  Path model;   // as it came: what answers are compared with
  Path folder;  // of this search
  WhereArguments where;
  std::string input_data;  // for races and numerics; empty: seeded samples
  std::string shape_config;
  std::uint64_t seed = 0;
  std::string task;  // of `hone eval`; empty: there is no gate but numerics
  std::string data;
  double max_drop = 0.01;
  double margin = 0.01;             // of the verdicts
  std::chrono::seconds limit{600};  // of one build, check or evaluation
  Path program;                     // whose workers race
  std::vector<std::string> notes;   // what the model's own recipe decided
};

// Sizes of all inputs that are made up, so that every build, check and race runs on the same. What
// is no model is refused here.
Status settle_shapes(SearchSite& site);

// REQUIRES: `site` outlives them.
SearchTools make_search_tools(const SearchSite& site);

// What a model is compared with: float, with nothing but what is always on.
Result<Recipe> baseline_recipe(const WhereArguments& where);

// The words that hand a command the inputs of a search, and where it runs.
void add_inputs(const SearchSite& site, std::vector<std::string>& words);
void add_where(const SearchSite& site, const Recipe& recipe, std::vector<std::string>& words);

// Where the build of a recipe goes.
Path arm_folder(const SearchSite& site, const Recipe& recipe);

// What the EP's library says of itself; nothing where it does not.
std::optional<std::string> version_of_ep(const Runtime& runtime, const std::string& ep);

// Machine, ONNX Runtime, plugin libraries and tool: what measurements hold for. The facts are for
// people; the key is their hash.
struct SearchEnvironment {
  std::string key;
  std::map<std::string, std::string> facts;
};
Result<SearchEnvironment> find_environment(const WhereArguments& where, const Target& target);

}  // namespace hone::app
