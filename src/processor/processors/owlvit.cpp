// OWL-ViT: the whole picture, scaled.

#include "processor/processor.h"

namespace hone::processors {

ProcessorKind owlvit() {
  return {.name = "OwlViTImageProcessor",
          .summary = "the whole picture, scaled",
          .models = {"owlvit"},
          .defaults = R"({"do_resize": true, "do_normalize": true,
            "size": {"height": 768, "width": 768}, "resample": 3,
            "do_center_crop": false, "crop_size": {"height": 768, "width": 768},
            "do_rescale": true, "rescale_factor": 0.00392156862745098,
            "image_mean": [0.48145466, 0.4578275, 0.40821073], "image_std": [0.26862954, 0.26130258, 0.27577711]})",
          .picture = PictureFacts{.sizing = exact_sizing}};
}

}  // namespace hone::processors
