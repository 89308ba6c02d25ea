#include "inspect/eval/task.h"

namespace hone::tasks {

Task text_generation() {
  return {.name = "text-generation", .summary = "Text, and what comes next", .feed = Feed::tokens};
}

}  // namespace hone::tasks
