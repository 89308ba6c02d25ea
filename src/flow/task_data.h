#pragma once
// Data of a task and what a model needs for it: its tokenizer, the names of its classes, how its
// vectors are pooled. They lie beside the model, or beside the one it was made from.

#include <optional>
#include <string>
#include <vector>

#include "flow/eval.h"
#include "inspect/eval/eval_data.h"
#include "inspect/eval/judge.h"
#include "record/export.h"

namespace hone {

// A model's file, and the checkpoint it was exported from.
struct ModelPlace {
  Path file;
  std::optional<ExportedFrom> exported{};
};

struct TaskDataRequest {
  std::string task;  // empty: arrays, and pictures by class
  std::string data;
  RowOrder rows{};
  PictureOrder pictures{};
  std::int64_t samples = 0;  // 0: all
  std::uint64_t seed = 0;
  // Where what belongs to the model is looked for, in this order.
  std::vector<ModelPlace> models{};
  bool writes = false;  // its answers are ids, which a tokenizer reads
};

struct TaskData {
  EvalData data;
  TaskSettings settings{};
};
Result<TaskData> open_task_data(const TaskDataRequest& request, const std::vector<Port>& inputs);

// What calibration takes of a task's data where nobody says.
inline constexpr std::int64_t usual_calibration_samples = 32;

// The first samples as one .npz, as the model takes them; how many there were.
Result<std::uint64_t> write_samples(EvalData& data, const Path& output);

}  // namespace hone
