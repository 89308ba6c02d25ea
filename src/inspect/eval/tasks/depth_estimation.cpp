// Pictures, and how far away each pixel is.

#include "inspect/eval/image_file.h"
#include "inspect/eval/judge.h"
#include "inspect/eval/map_rows.h"
#include "inspect/eval/maps.h"
#include "inspect/eval/metrics/pixels.h"

namespace hone::tasks {
namespace {

class DepthJudge : public Judge {
 public:
  explicit DepthJudge(const TaskSettings& settings) : settings_(settings) {}

  // Most models give depth, or its inverse, but for scale and shift: what fits best is judged.
  Result<std::optional<Unit>> judge(const Judged& judged) override {
    HONE_TRY(const Path file, file_of_label(judged.label));
    HONE_TRY(const Levels depth, read_levels(file));
    HONE_TRY(const Maps maps, maps_of_output(judged.outputs, settings_.output));
    const Maps fitted = scaled(maps, depth.height, depth.width);
    std::vector<double> expected;
    std::vector<double> got;
    for (std::size_t i = 0; i < depth.values.size(); ++i) {
      if (depth.values[i] == 0) continue;
      expected.push_back(depth.values[i]);
      got.push_back(fitted.values[i]);
    }
    if (expected.empty())
      return fail(Fault::bad_input, "'" + file.string() + "' knows no pixel's depth");
    const Fit fit = fit_to(expected, got);
    for (double& value : got) value = fit.scale * value + fit.shift;
    const DepthErrors errors = depth_errors(expected, got);
    return std::optional<Unit>(
        {.scores = {errors.within, errors.relative}, .expected = {}, .got = {}});
  }

  std::map<std::string, std::string> described() const override {
    return {{"decoding", "scaled and shifted to fit each picture, at the size of its depth"}};
  }

 private:
  TaskSettings settings_;
};

Result<std::unique_ptr<Encoder>> encode(const EncoderSettings& settings) {
  return open_map_encoder(settings, "depth");
}

}  // namespace

Task depth_estimation() {
  return {.name = "depth-estimation",
          .summary = "Pictures, and how far away each pixel is",
          .feed = Feed::pictures,
          .metrics = {{.name = "within_1_25"}, {.name = "abs_rel", .unit = "relative error"}},
          .label = "{\"file\": PATH of the depth}",
          .open = open_judge<DepthJudge>,
          .columns = {{.name = "image", .holds = "the file of a picture", .is_file = true},
                      {.name = "depth",
                       .holds = "a PNG of 8 or 16 bits; 0 is not known",
                       .is_file = true}},
          .encode = encode};
}

}  // namespace hone::tasks
