#include "inspect/eval/task.h"

namespace hone::tasks {

Task speech_recognition() {
  return {.name = "speech-recognition", .summary = "Speech, and its text", .feed = Feed::sound};
}

}  // namespace hone::tasks
