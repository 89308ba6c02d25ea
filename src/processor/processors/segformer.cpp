// SegFormer: the whole picture, scaled.

#include "processor/processor.h"

namespace hone::processors {

ProcessorKind segformer() {
  return {.name = "SegformerImageProcessor",
          .summary = "the whole picture, scaled",
          .models = {"segformer", "upernet"},
          .defaults = R"({"do_resize": true, "do_normalize": true,
            "size": {"height": 512, "width": 512}, "resample": 2,
            "do_rescale": true, "rescale_factor": 0.00392156862745098,
            "image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225]})",
          .picture = PictureFacts{.sizing = exact_sizing}};
}

}  // namespace hone::processors
