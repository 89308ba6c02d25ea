// EfficientNet: its classifier wants what is normalized divided by std once more.

#include "processor/processor.h"

namespace hone::processors {

ProcessorKind efficientnet() {
  return {.name = "EfficientNetImageProcessor",
          .summary = "the whole picture, divided by std twice where include_top says so",
          .models = {"efficientnet", "align"},
          .defaults = R"({"do_resize": true, "do_normalize": true,
            "size": {"height": 346, "width": 346}, "resample": 0,
            "do_center_crop": false, "crop_size": {"height": 289, "width": 289},
            "do_rescale": true, "rescale_factor": 0.00392156862745098, "rescale_offset": false,
            "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5], "include_top": true})",
          .picture = PictureFacts{.sizing = exact_sizing}};
}

}  // namespace hone::processors
