#include "inspect/eval/task.h"

namespace hone::tasks {

Task image_segmentation() {
  return {.name = "image-segmentation",
          .summary = "Pictures, each pixel of a class",
          .feed = Feed::pictures};
}

}  // namespace hone::tasks
