#include "inspect/eval/task.h"

namespace hone::tasks {

Task text_detection() {
  return {.name = "text-detection",
          .summary = "Pictures, and boxes around the text in them",
          .feed = Feed::pictures};
}

}  // namespace hone::tasks
