#include "inspect/eval/task.h"

namespace hone::tasks {

Task token_classification() {
  return {.name = "token-classification",
          .summary = "Texts, each word of a class",
          .feed = Feed::tokens};
}

}  // namespace hone::tasks
