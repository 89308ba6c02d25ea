// BEiT: scaled as a whole, and its middle.

#include "processor/processor.h"

namespace hone::processors {

ProcessorKind beit() {
  return {.name = "BeitImageProcessor",
          .summary = "scaled as a whole, and its middle",
          .models = {"beit", "data2vec-vision"},
          .defaults = R"({"do_resize": true, "do_normalize": true,
            "size": {"height": 256, "width": 256}, "resample": 3,
            "do_center_crop": true, "crop_size": {"height": 224, "width": 224},
            "do_rescale": true, "rescale_factor": 0.00392156862745098,
            "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]})",
          .picture = PictureFacts{.sizing = exact_sizing}};
}

}  // namespace hone::processors
