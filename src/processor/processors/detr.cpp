// DETR and its kin: both edges have limits, and a mask tells the picture from what is padded.

#include "processor/processor.h"

namespace hone::processors {
namespace {

Result<Sizing> detr_sizing(Settings& settings) { return edges_sizing(settings, 1); }

}  // namespace

ProcessorKind detr() {
  return {.name = "DetrImageProcessor",
          .summary = "both edges have limits; a mask",
          .also = {"ConditionalDetrImageProcessor", "DeformableDetrImageProcessor"},
          .models = {"detr", "conditional_detr", "deformable_detr", "table-transformer"},
          .defaults = R"({"do_resize": true, "do_normalize": true,
            "size": {"shortest_edge": 800, "longest_edge": 1333}, "resample": 2, "max_size": 1333,
            "do_rescale": true, "rescale_factor": 0.00392156862745098,
            "image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225],
            "do_pad": true, "pad_size": null})",
          .picture = PictureFacts{.sizing = detr_sizing, .has_mask = true}};
}

}  // namespace hone::processors
