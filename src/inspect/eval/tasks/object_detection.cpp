#include "inspect/eval/task.h"

namespace hone::tasks {

Task object_detection() {
  return {.name = "object-detection",
          .summary = "Pictures, and boxes around what is in them",
          .feed = Feed::pictures};
}

}  // namespace hone::tasks
