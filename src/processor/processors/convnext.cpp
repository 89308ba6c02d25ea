// ConvNeXt and ResNet: below 384 pixels the middle of a somewhat larger picture, else all of it.

#include "processor/processor.h"

namespace hone::processors {
namespace {

constexpr std::size_t large = 384;

// int(edge / crop_pct), and of that the middle; from 384 on the whole picture, as a square.
Result<Sizing> convnext_sizing(Settings& settings) {
  HONE_TRY(const SizeForm form, read_size(settings, "size", Number::shortest_edge));
  HONE_TRY(const double share, settings.number("crop_pct", 0.01, 1));
  const bool has_more = form.height || form.width || form.longest_edge || form.max_height;
  if (!form.shortest_edge || has_more || form.max_width)
    return settings.refuse("size", "it takes shortest_edge");
  const std::size_t edge = *form.shortest_edge;
  const PictureSize square{edge, edge};
  if (edge >= large)
    return Sizing{[square](const PictureSize&) { return square; },
                  "resized to " + to_string(square)};
  const auto larger = static_cast<std::size_t>(static_cast<double>(edge) / share);
  return Sizing{
      [larger](const PictureSize& picture) { return with_shortest_edge(picture, larger); },
      "shortest edge " + std::to_string(larger), square};
}

}  // namespace

ProcessorKind convnext() {
  return {.name = "ConvNextImageProcessor",
          .summary = "below 384 the middle of a somewhat larger picture, else all of it",
          .models = {"convnext", "convnextv2", "cvt", "regnet", "resnet", "van"},
          .defaults = R"({"do_resize": true, "do_normalize": true,
            "size": {"shortest_edge": 384}, "crop_pct": 0.875, "resample": 2,
            "do_rescale": true, "rescale_factor": 0.00392156862745098,
            "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]})",
          .picture = PictureFacts{.sizing = convnext_sizing}};
}

}  // namespace hone::processors
