// Pictures, and what a model should make of them: larger ones, cleaner ones.

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "inspect/eval/image_file.h"
#include "inspect/eval/judge.h"
#include "inspect/eval/map_rows.h"
#include "inspect/eval/maps.h"
#include "inspect/eval/metrics/pixels.h"

namespace hone::tasks {
namespace {

constexpr double range = 255;
// Of pictures that are the same.
constexpr double best_psnr = 100;
constexpr std::size_t least_side = 11;

class PictureJudge : public Judge {
 public:
  explicit PictureJudge(const TaskSettings& settings) : settings_(settings) {}

  Result<std::optional<Unit>> judge(const Judged& judged) override {
    HONE_TRY(const Path file, file_of_label(judged.label));
    HONE_TRY(const Maps maps, maps_of_output(judged.outputs, settings_.output));
    HONE_TRY(const Image target, read_image(file, maps.count == 1 ? 1 : 3));
    if (maps.count != target.channels || maps.width != target.width ||
        maps.height != target.height || std::min(maps.width, maps.height) < least_side) {
      return fail(Fault::bad_input,
                  "the model makes a picture of " + size_of(maps.width, maps.height) + ", and '" +
                      printable(file.filename().string()) + "' has " +
                      size_of(target.width, target.height),
                  {}, "they have to be of one size, at least 11 x 11");
    }
    double similarity = 0;
    std::vector<double> expected;
    std::vector<double> got;
    for (std::size_t channel = 0; channel < maps.count; ++channel) {
      const std::vector<double> own = bytes_of_plane(maps.plane(channel));
      const std::vector<double> wanted = plane_of(target, channel);
      similarity +=
          ssim_of({maps.width, maps.height, wanted}, {maps.width, maps.height, own}, range);
      expected.insert(expected.end(), wanted.begin(), wanted.end());
      got.insert(got.end(), own.begin(), own.end());
    }
    const double psnr = std::min(best_psnr, psnr_of(expected, got, range));
    return std::optional<Unit>({.scores = {similarity / static_cast<double>(maps.count), psnr},
                                .expected = {},
                                .got = {}});
  }

  std::map<std::string, std::string> described() const override {
    return {{"decoding", "0 to 1 as bytes, rounded and cut"}};
  }

 private:
  static std::string size_of(std::size_t width, std::size_t height) {
    return std::to_string(width) + " x " + std::to_string(height);
  }
  // What a picture file would hold.
  static std::vector<double> bytes_of_plane(std::span<const double> plane) {
    std::vector<double> bytes;
    for (const double value : plane)
      bytes.push_back(std::round(std::clamp(value, 0.0, 1.0) * range));
    return bytes;
  }
  static std::vector<double> plane_of(const Image& image, std::size_t channel) {
    std::vector<double> plane;
    for (std::size_t i = channel; i < image.bytes.size(); i += image.channels)
      plane.push_back(static_cast<unsigned char>(image.bytes[i]));
    return plane;
  }

  TaskSettings settings_;
};

// Such models are trained on 0 to 1, not on ImageNet's mean.
Result<std::unique_ptr<Encoder>> encode(const EncoderSettings& settings) {
  EncoderSettings plain = settings;
  const ImageRules usual;
  if (plain.images.mean == usual.mean) plain.images.mean = {0};
  if (plain.images.deviation == usual.deviation) plain.images.deviation = {1};
  return open_map_encoder(plain, "target", true);
}

}  // namespace

Task image_to_image() {
  return {.name = "image-to-image",
          .summary = "Pictures, and what is made of them: super-resolution and its like",
          .feed = Feed::pictures,
          .metrics = {{.name = "ssim"}, {.name = "psnr", .unit = "dB"}},
          .label = "{\"file\": PATH of the picture that is right}",
          .open = open_judge<PictureJudge>,
          .columns = {{.name = "image", .holds = "the file of a picture", .is_file = true},
                      {.name = "target", .holds = "what it should become", .is_file = true}},
          .encode = encode};
}

}  // namespace hone::tasks
