// YOLOS: as DETR, but in multiples of its patches and without a mask.

#include "processor/processor.h"

namespace hone::processors {
namespace {

Result<Sizing> yolos_sizing(Settings& settings) { return edges_sizing(settings, 16); }

}  // namespace

ProcessorKind yolos() {
  return {.name = "YolosImageProcessor",
          .summary = "both edges have limits, multiples of 16",
          .models = {"yolos"},
          .defaults = R"({"do_resize": true, "do_normalize": true,
            "size": {"shortest_edge": 800, "longest_edge": 1333}, "resample": 2, "max_size": 1333,
            "do_rescale": true, "rescale_factor": 0.00392156862745098,
            "image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225],
            "do_pad": true, "pad_size": null})",
          .picture = PictureFacts{.sizing = yolos_sizing}};
}

}  // namespace hone::processors
