// MobileNets: the shortest edge, and the middle.

#include "processor/processor.h"

namespace hone::processors {

ProcessorKind mobilenet() {
  return {.name = "MobileNetV2ImageProcessor",
          .summary = "the shortest edge, and the middle",
          .also = {"MobileNetV1ImageProcessor"},
          .models = {"mobilenet_v1", "mobilenet_v2"},
          .defaults = R"({"do_resize": true, "do_normalize": true,
            "size": {"shortest_edge": 256}, "resample": 2,
            "do_center_crop": true, "crop_size": {"height": 224, "width": 224},
            "do_rescale": true, "rescale_factor": 0.00392156862745098,
            "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]})",
          .picture = PictureFacts{.sizing = edge_sizing}};
}

}  // namespace hone::processors
