// Pictures, each pixel of a class: how far regions cover those that were expected.

#include <algorithm>
#include <map>

#include "base/text.h"
#include "inspect/eval/image_file.h"
#include "inspect/eval/judge.h"
#include "inspect/eval/map_rows.h"
#include "inspect/eval/maps.h"
#include "inspect/eval/metrics/pixels.h"

namespace hone::tasks {
namespace {

// As masks of PASCAL VOC and ADE20K say that a pixel does not count.
constexpr std::uint16_t no_class = 255;

using Regions = std::map<std::uint32_t, RegionCounts>;

std::vector<double> facts_of(const Regions& regions) {
  std::vector<double> facts;
  for (const auto& [kind, counts] : regions) {
    const std::vector<double> of_class = {static_cast<double>(kind), counts.both, counts.expected,
                                          counts.got};
    facts.insert(facts.end(), of_class.begin(), of_class.end());
  }
  return facts;
}

WholeFigure iou_of_all(std::span<const std::vector<double>> facts) {
  return [facts](std::span<const std::uint32_t> times) {
    Regions sums;
    for (std::size_t i = 0; i < facts.size(); ++i) {
      for (std::size_t at = 0; at + 3 < facts[i].size(); at += 4) {
        RegionCounts& sum = sums[static_cast<std::uint32_t>(facts[i][at])];
        sum.both += times[i] * facts[i][at + 1];
        sum.expected += times[i] * facts[i][at + 2];
        sum.got += times[i] * facts[i][at + 3];
      }
    }
    std::vector<RegionCounts> classes;
    for (const auto& [kind, counts] : sums) classes.push_back(counts);
    return mean_iou(classes);
  };
}

class RegionJudge : public Judge {
 public:
  explicit RegionJudge(const TaskSettings& settings) : settings_(settings) {}

  Result<std::optional<Unit>> judge(const Judged& judged) override {
    HONE_TRY(const Path file, file_of_label(judged.label));
    HONE_TRY(const Levels mask, read_levels(file));
    HONE_TRY(const Maps maps, maps_of_output(judged.outputs, settings_.output));
    const Maps fitted = scaled(maps, mask.height, mask.width);
    is_single_ = maps.count == 1;
    Regions regions;
    double right = 0;
    double counted = 0;
    const std::uint16_t largest = *std::ranges::max_element(mask.values);
    for (std::size_t i = 0; i < mask.values.size(); ++i) {
      const std::uint16_t level = mask.values[i];
      if (!is_single_ && level == no_class) continue;
      // A mask of one class is drawn as 0 and 1, or as 0 and 255.
      const std::uint32_t expected =
          !is_single_ ? level : static_cast<std::uint32_t>(largest > 1 ? level > 127 : level > 0);
      const std::uint32_t got = class_at(fitted, i);
      ++regions[expected].expected;
      ++regions[got].got;
      if (got == expected) ++regions[got].both;
      right += got == expected ? 1 : 0;
      ++counted;
    }
    return std::optional<Unit>({.scores = {0, counted > 0 ? right / counted : 1},
                                .expected = {},
                                .got = {},
                                .facts = facts_of(regions)});
  }

  std::map<std::string, std::string> described() const override {
    return {{"decoding", is_single_ ? "scores above the threshold, at the size of the mask"
                                    : "the largest score, at the size of the mask (bilinear)"},
            {"threshold", is_single_ ? Json(settings_.threshold).dump(-1) : "none"}};
  }

 private:
  std::uint32_t class_at(const Maps& maps, std::size_t pixel) const {
    const std::size_t plane = maps.height * maps.width;
    if (maps.count == 1) return maps.values[pixel] > settings_.threshold ? 1 : 0;
    std::uint32_t best = 0;
    for (std::size_t kind = 1; kind < maps.count; ++kind) {
      if (maps.values[kind * plane + pixel] > maps.values[best * plane + pixel])
        best = static_cast<std::uint32_t>(kind);
    }
    return best;
  }

  TaskSettings settings_;
  bool is_single_ = false;
};

Result<std::unique_ptr<Encoder>> encode(const EncoderSettings& settings) {
  return open_map_encoder(settings, "mask");
}

}  // namespace

Task image_segmentation() {
  return {.name = "image-segmentation",
          .summary = "Pictures, each pixel of a class: mean of regions' overlap",
          .feed = Feed::pictures,
          .metrics = {{.name = "mean_iou", .of_all = iou_of_all}, {.name = "pixel_accuracy"}},
          .label = "{\"file\": PATH of the mask}",
          .open = open_judge<RegionJudge>,
          .columns = {{.name = "image", .holds = "the file of a picture", .is_file = true},
                      {.name = "mask",
                       .holds = "a PNG: each pixel its class, 255 does not count",
                       .is_file = true}},
          .encode = encode};
}

}  // namespace hone::tasks
