// PVT: the whole picture, scaled.

#include "processor/processor.h"

namespace hone::processors {

ProcessorKind pvt() {
  return {.name = "PvtImageProcessor",
          .summary = "the whole picture, scaled",
          .models = {"pvt", "pvt_v2"},
          .defaults = R"({"do_resize": true, "do_normalize": true,
            "size": {"height": 224, "width": 224}, "resample": 2,
            "do_rescale": true, "rescale_factor": 0.00392156862745098,
            "image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225]})",
          .picture = PictureFacts{.sizing = exact_sizing}};
}

}  // namespace hone::processors
