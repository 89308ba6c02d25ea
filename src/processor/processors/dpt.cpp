// DPT and Depth Anything: sides are multiples of the patches, in the picture's own proportions
// where asked.

#include <cmath>

#include "processor/processor.h"

namespace hone::processors {
namespace {

// Python's round(): halves go to the even one.
std::size_t to_multiple(double side, std::size_t multiple) {
  const auto whole = static_cast<double>(multiple);
  return static_cast<std::size_t>(std::nearbyint(side / whole) * whole);
}

// The scale that changes the picture less is that of both sides.
PictureSize fitted(const PictureSize& picture, const PictureSize& wanted, bool keeps_ratio,
                   std::size_t multiple) {
  const auto height = static_cast<double>(picture.height);
  const auto width = static_cast<double>(picture.width);
  double down = static_cast<double>(wanted.height) / height;
  double across = static_cast<double>(wanted.width) / width;
  if (keeps_ratio) {
    const bool is_across_nearer = std::abs(1 - across) < std::abs(1 - down);
    (is_across_nearer ? down : across) = is_across_nearer ? across : down;
  }
  return {to_multiple(down * height, multiple), to_multiple(across * width, multiple)};
}

Result<Sizing> dpt_sizing(Settings& settings) {
  HONE_TRY(const PictureSize wanted, read_exact_size(settings, "size"));
  HONE_TRY(const bool keeps_ratio, settings.flag("keep_aspect_ratio"));
  HONE_TRY(const std::size_t multiple, settings.whole("ensure_multiple_of", 1, most_side));
  Sizing sizing{
      [=](const PictureSize& picture) { return fitted(picture, wanted, keeps_ratio, multiple); },
      "resized to " + to_string(wanted)};
  if (keeps_ratio) sizing.words += " by its nearer side";
  if (multiple > 1) sizing.words += ", multiples of " + std::to_string(multiple);
  return sizing;
}

}  // namespace

ProcessorKind dpt() {
  return {.name = "DPTImageProcessor",
          .summary = "multiples of the patches, in the own proportions where asked",
          .models = {"dpt", "depth_anything"},
          .defaults = R"({"do_resize": true, "do_normalize": true,
            "size": {"height": 384, "width": 384}, "resample": 3,
            "keep_aspect_ratio": false, "ensure_multiple_of": 1,
            "do_rescale": true, "rescale_factor": 0.00392156862745098,
            "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5],
            "do_pad": false, "size_divisor": null})",
          .picture = PictureFacts{.sizing = dpt_sizing}};
}

}  // namespace hone::processors
