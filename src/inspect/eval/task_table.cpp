// The list alone, so that a test can put its own in its place.

#include "inspect/eval/task.h"

namespace hone {

std::span<const Task> all_tasks() {
  static const std::vector<Task> all = {
#define HONE_TASK(name) tasks::name(),
#include "inspect/eval/tasks.inc"
#undef HONE_TASK
  };
  return all;
}

}  // namespace hone
