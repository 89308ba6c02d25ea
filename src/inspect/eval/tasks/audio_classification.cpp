#include "inspect/eval/task.h"

namespace hone::tasks {

Task audio_classification() {
  return {.name = "audio-classification",
          .summary = "Clips of sound, each of one class",
          .feed = Feed::sound};
}

}  // namespace hone::tasks
