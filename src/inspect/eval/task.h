#pragma once
// Tasks: what a model is for, what its answers are worth, and the data to find out with. A task is
// one file in tasks/ that returns a Task, and one line in tasks.inc; `eval`, recipes of a catalog,
// help and docs/eval.md are derived from it. judge.h and dataset.h have what its functions take.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace hone {

class DatasetWriter;
class Judge;
struct DatasetRequest;
struct TaskSettings;

// What a task's model is fed with.
enum class Feed { pictures, tokens, sound, anything };

struct MetricFacts {
  std::string_view name;
  bool is_yes_no = false;  // a unit's score is 0 or 1
};

// Labelled data that is made from what a machine has. The same seed gives the same bytes.
struct DataKind {
  std::string_view name;
  std::string_view summary;
  std::uint64_t count = 0;  // where none is asked for
  // Adds `count` samples, or units of them, and tells what they were made from.
  Result<Json> (*make)(const DatasetRequest& request, DatasetWriter& writer) = nullptr;
};

struct Task {
  std::string_view name;     // for ever: recipes and labels hold it
  std::string_view summary;  // at most 72 characters, no full stop
  Feed feed = Feed::anything;
  std::vector<MetricFacts> metrics{};  // the first one decides
  bool needs_labels = true;
  std::string_view label{};  // what one is: "the number of the class"
  bool needs_reference = false;
  // Null where hone cannot judge it. `output` of the settings is that of a model.
  Result<std::unique_ptr<Judge>> (*open)(const TaskSettings& settings) = nullptr;
  std::vector<DataKind> data{};  // that hone makes for it
};

std::span<const Task> all_tasks();
// Null when there is none of that name.
const Task* known_task(std::string_view name);
// The one of that name that hone can judge; the error lists those, and names the nearest.
Result<Task> find_task(std::string_view name);
std::vector<std::string> judged_task_names();

// Data that is made, and the task it is labelled for.
struct Dataset {
  DataKind kind;
  std::string_view task;
};
std::vector<Dataset> all_datasets();
// The one of that name; the error lists them all, and names the nearest.
Result<Dataset> find_dataset(std::string_view name);
std::vector<std::string> dataset_names();

namespace tasks {
#define HONE_TASK(name) Task name();
#include "inspect/eval/tasks.inc"
#undef HONE_TASK
}  // namespace tasks

}  // namespace hone
