#include "inspect/eval/task.h"

namespace hone::tasks {

Task feature_extraction() {
  return {.name = "feature-extraction", .summary = "Text as vectors", .feed = Feed::tokens};
}

}  // namespace hone::tasks
