// Vision transformers: the whole picture, scaled.

#include "processor/processor.h"

namespace hone::processors {

ProcessorKind vit() {
  return {.name = "ViTImageProcessor",
          .summary = "the whole picture, scaled",
          .models = {"vit", "swin", "swinv2", "clipseg", "dinat", "ijepa", "mgp-str", "nat",
                     "swiftformer", "vit_mae", "vit_msn"},
          .defaults = R"({"do_resize": true, "do_normalize": true,
            "size": {"height": 224, "width": 224}, "resample": 2,
            "do_rescale": true, "rescale_factor": 0.00392156862745098,
            "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5], "do_convert_rgb": null})",
          .picture = PictureFacts{.sizing = exact_sizing}};
}

}  // namespace hone::processors
