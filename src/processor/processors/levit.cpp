// LeViT: the shortest edge is 256/224 of what the file says, and the middle.

#include "processor/processor.h"

namespace hone::processors {
namespace {

// Rounded down, as in Python: int((256 / 224) * edge).
Result<Sizing> levit_sizing(Settings& settings) {
  HONE_TRY(const SizeForm form, read_size(settings, "size", Number::shortest_edge));
  if (!form.shortest_edge) return edge_sizing(settings);
  const auto edge =
      static_cast<std::size_t>(256.0 / 224.0 * static_cast<double>(*form.shortest_edge));
  HONE_TRY_DO(edge_sizing(settings));
  return Sizing{[edge](const PictureSize& picture) { return with_shortest_edge(picture, edge); },
                "shortest edge " + std::to_string(edge)};
}

}  // namespace

ProcessorKind levit() {
  return {.name = "LevitImageProcessor",
          .summary = "the shortest edge times 256/224, and the middle",
          .models = {"levit"},
          .defaults = R"({"do_resize": true, "do_normalize": true,
            "size": {"shortest_edge": 224}, "resample": 3,
            "do_center_crop": true, "crop_size": {"height": 224, "width": 224},
            "do_rescale": true, "rescale_factor": 0.00392156862745098,
            "image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225]})",
          .picture = PictureFacts{.sizing = levit_sizing}};
}

}  // namespace hone::processors
