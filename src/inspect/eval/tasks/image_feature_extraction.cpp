#include "inspect/eval/task.h"

namespace hone::tasks {

Task image_feature_extraction() {
  return {
      .name = "image-feature-extraction", .summary = "Pictures as vectors", .feed = Feed::pictures};
}

}  // namespace hone::tasks
