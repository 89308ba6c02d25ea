#include "inspect/eval/task.h"

namespace hone::tasks {

Task text_classification() {
  return {
      .name = "text-classification", .summary = "Texts, each of one class", .feed = Feed::tokens};
}

}  // namespace hone::tasks
