#include "report/sweep/repeat.h"

#include <vector>

#include "base/text.h"

namespace hone {
namespace {

using Words = std::vector<std::string>;

void add(Words& words, const char* option, const std::string& value) {
  if (!value.empty()) words.insert(words.end(), {option, value});
}

void add_all(Words& words, const char* option, const std::map<std::string, std::string>& values) {
  for (const auto& [key, value] : values) words.insert(words.end(), {option, key + "=" + value});
}

void add_target(Words& words, const Recipe& recipe) {
  words.insert(words.end(), {"--ep", recipe.target.ep, "--device", recipe.target.device});
  add_all(words, "--ep-options", recipe.target.options);
  if (recipe.session.threads > 0)
    words.insert(words.end(), {"--threads", std::to_string(recipe.session.threads)});
  add_all(words, "--session-options", recipe.session.options);
}

// Where they are no choice among several.
void add_runtime(Words& words, const Host& host) {
  if (host.ort.size() == 1) words.insert(words.end(), {"--ort", host.ort.front()});
  add_all(words, "--ep-library", host.ep_libraries);
}

}  // namespace

std::string line_of_perf(const CellOrder& order, const std::string& shape_config) {
  Words words = {"hone", "perf", order.folder};
  add(words, "--input-data", order.model.input_data.value_or(""));
  add(words, "--shape-config", shape_config);
  if (order.where.least_placement)
    add(words, "--require-placement", Json(*order.where.least_placement).dump());
  add_runtime(words, order.where.host);
  return to_shell(words);
}

std::string line_of_search(const RepeatedSearch& search) {
  const CatalogModel& model = search.cell.model;
  Words words = {"hone", "autoconfig", model.model, "-o", search.folder, "--overwrite"};
  add_target(words, search.cell.recipe);
  add(words, "--input-data", model.input_data.value_or(""));
  add(words, "--calibration-data", model.calibration_data.value_or(""));
  add(words, "--shape-config", search.shape_config);
  if (model.data && !model.task.empty()) {
    words.insert(words.end(), {"--task", model.task, "--data", *model.data, "--max-drop",
                               Json(search.cell.max_drop).dump()});
  }
  words.insert(words.end(), {"--time-budget", std::to_string(search.time_budget_s)});
  add_runtime(words, search.cell.where.host);
  return to_shell(words);
}

}  // namespace hone
