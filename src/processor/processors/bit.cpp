// BiT and DINOv2: the shortest edge, and the middle.

#include "processor/processor.h"

namespace hone::processors {

ProcessorKind bit() {
  return {.name = "BitImageProcessor",
          .summary = "the shortest edge, and the middle",
          .models = {"bit", "dinov2", "dinov2_with_registers", "focalnet", "hiera"},
          .defaults = R"({"do_resize": true, "do_normalize": true,
            "size": {"shortest_edge": 224}, "resample": 3,
            "do_center_crop": true, "crop_size": {"height": 224, "width": 224},
            "do_rescale": true, "rescale_factor": 0.00392156862745098,
            "image_mean": [0.48145466, 0.4578275, 0.40821073], "image_std": [0.26862954, 0.26130258, 0.27577711],
            "do_convert_rgb": true})",
          .picture = PictureFacts{.sizing = edge_sizing}};
}

}  // namespace hone::processors
