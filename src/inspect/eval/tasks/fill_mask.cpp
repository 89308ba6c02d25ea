#include "inspect/eval/task.h"

namespace hone::tasks {

Task fill_mask() {
  return {.name = "fill-mask", .summary = "Text with words left out", .feed = Feed::tokens};
}

}  // namespace hone::tasks
