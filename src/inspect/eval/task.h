#pragma once
// Tasks: what a model is for, what its answers are worth, and the data to find out with. A task is
// one file in tasks/ that returns a Task, and one line in tasks.inc; `eval`, recipes of a catalog,
// help and docs/eval.md are derived from it. judge.h and dataset.h have what its functions take.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "record/eval.h"

namespace hone {

class DatasetWriter;
class Encoder;
class Judge;
struct DatasetRequest;
struct EncoderSettings;
struct TaskSettings;

// What a task's model is fed with.
enum class Feed { pictures, tokens, sound, anything };

// A figure of units of which each counts so many times.
using WholeFigure = std::function<double(std::span<const std::uint32_t> times)>;

struct MetricFacts {
  std::string_view name;
  bool is_yes_no = false;   // a unit's score is 0 or 1
  std::string_view unit{};  // empty: a share, of which more is better, as of any that decides
  // Where the figure is no mean of what units scored: made of the facts of units that differ.
  WholeFigure (*of_all)(std::span<const std::vector<double>> facts) = nullptr;
  // The facts of two units, added number by number, are those of both.
  bool adds_up = false;
};

// What a row of a table of samples holds (docs/eval.md).
struct ColumnFacts {
  std::string_view name;
  std::string_view holds;
  bool is_required = true;
  bool is_file = false;  // a path from the folder of the data
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
  // Of rows: CSV, JSON lines and their like.
  std::vector<ColumnFacts> columns{};
  // Rows to samples; null where only arrays are taken.
  Result<std::unique_ptr<Encoder>> (*encode)(const EncoderSettings& settings) = nullptr;
};

std::span<const Task> all_tasks();
// Null when there is none of that name.
const Task* known_task(std::string_view name);
// The one of that name that hone can judge; the error lists those, and names the nearest.
Result<Task> find_task(std::string_view name);
std::vector<std::string> judged_task_names();
TaskSchema schema_of(const Task& task);

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
