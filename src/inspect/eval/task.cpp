#include "inspect/eval/task.h"

#include <algorithm>

#include "base/no_such.h"

namespace hone {

const Task* known_task(std::string_view name) {
  const auto found = std::ranges::find(all_tasks(), name, &Task::name);
  return found != all_tasks().end() ? &*found : nullptr;
}

Result<Task> find_task(std::string_view name) {
  const Task* found = known_task(name);
  if (found != nullptr && found->open != nullptr) return *found;
  return no_such("judge for the task", name, judged_task_names());
}

std::vector<std::string> judged_task_names() {
  std::vector<std::string> names;
  for (const Task& task : all_tasks())
    if (task.open != nullptr) names.emplace_back(task.name);
  return names;
}

TaskSchema schema_of(const Task& task) {
  TaskSchema schema{.task = std::string(task.name),
                    .summary = std::string(task.summary),
                    .columns = {},
                    .label = std::string(task.label),
                    .metrics = {},
                    .made = {}};
  for (const ColumnFacts& column : task.columns)
    schema.columns.push_back(
        {std::string(column.name), std::string(column.holds), column.is_required});
  for (const MetricFacts& metric : task.metrics) schema.metrics.emplace_back(metric.name);
  for (const DataKind& kind : task.data) schema.made.emplace_back(kind.name);
  return schema;
}

std::vector<Dataset> all_datasets() {
  std::vector<Dataset> all;
  for (const Task& task : all_tasks())
    for (const DataKind& kind : task.data) all.push_back({kind, task.name});
  return all;
}

Result<Dataset> find_dataset(std::string_view name) {
  for (const Dataset& dataset : all_datasets())
    if (dataset.kind.name == name) return dataset;
  return no_such("data to make", name, dataset_names());
}

std::vector<std::string> dataset_names() {
  std::vector<std::string> names;
  for (const Dataset& dataset : all_datasets()) names.emplace_back(dataset.kind.name);
  return names;
}

}  // namespace hone
