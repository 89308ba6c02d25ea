// MobileViT: the shortest edge, the middle, and blue before green before red.

#include "processor/processor.h"

namespace hone::processors {

ProcessorKind mobilevit() {
  return {.name = "MobileViTImageProcessor",
          .summary = "the shortest edge, the middle, blue before green before red",
          .models = {"mobilevit", "mobilevitv2"},
          .defaults = R"({"do_resize": true, "size": {"shortest_edge": 224}, "resample": 2,
            "do_center_crop": true, "crop_size": {"height": 256, "width": 256},
            "do_rescale": true, "rescale_factor": 0.00392156862745098,
            "do_flip_channel_order": true})",
          .picture = PictureFacts{.sizing = edge_sizing}};
}

}  // namespace hone::processors
