#include "inspect/eval/task.h"

namespace hone::tasks {

Task question_answering() {
  return {.name = "question-answering",
          .summary = "A question, and the part of a text that answers it",
          .feed = Feed::tokens};
}

}  // namespace hone::tasks
