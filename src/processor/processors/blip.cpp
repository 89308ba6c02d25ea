// BLIP: the whole picture, scaled.

#include "processor/processor.h"

namespace hone::processors {

ProcessorKind blip() {
  return {.name = "BlipImageProcessor",
          .summary = "the whole picture, scaled",
          .models = {"blip", "blip-2", "instructblip"},
          .defaults = R"({"do_resize": true, "do_normalize": true,
            "size": {"height": 384, "width": 384}, "resample": 3,
            "do_rescale": true, "rescale_factor": 0.00392156862745098,
            "image_mean": [0.48145466, 0.4578275, 0.40821073], "image_std": [0.26862954, 0.26130258, 0.27577711],
            "do_convert_rgb": true})",
          .picture = PictureFacts{.sizing = exact_sizing}};
}

}  // namespace hone::processors
