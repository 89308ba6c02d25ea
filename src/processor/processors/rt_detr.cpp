// RT-DETR: the whole picture, scaled, as a rule not normalized.

#include "processor/processor.h"

namespace hone::processors {
namespace {

Result<Sizing> rt_detr_sizing(Settings& settings) { return edges_sizing(settings, 1); }

}  // namespace

ProcessorKind rt_detr() {
  return {.name = "RTDetrImageProcessor",
          .summary = "the whole picture, scaled, as a rule not normalized",
          .models = {"rt_detr"},
          .defaults = R"({"do_resize": true, "do_normalize": false,
            "size": {"height": 640, "width": 640}, "resample": 2,
            "do_rescale": true, "rescale_factor": 0.00392156862745098,
            "image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225],
            "do_pad": false, "pad_size": null})",
          .picture = PictureFacts{.sizing = rt_detr_sizing, .has_mask = true}};
}

}  // namespace hone::processors
