// SigLIP: the whole picture, scaled.

#include "processor/processor.h"

namespace hone::processors {

ProcessorKind siglip() {
  return {.name = "SiglipImageProcessor",
          .summary = "the whole picture, scaled",
          .models = {"siglip"},
          .defaults = R"({"do_resize": true, "do_normalize": true,
            "size": {"height": 224, "width": 224}, "resample": 3,
            "do_rescale": true, "rescale_factor": 0.00392156862745098,
            "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5], "do_convert_rgb": null})",
          .picture = PictureFacts{.sizing = exact_sizing}};
}

}  // namespace hone::processors
