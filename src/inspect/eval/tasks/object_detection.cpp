// Pictures, and boxes around what is in them: average precision as COCO has it.

#include "inspect/eval/found_objects.h"
#include "inspect/eval/judge.h"
#include "inspect/eval/object_rows.h"

namespace hone::tasks {
namespace {

class BoxJudge : public Judge {
 public:
  explicit BoxJudge(const TaskSettings& settings) : settings_(settings) {}

  Result<std::optional<Unit>> judge(const Judged& judged) override {
    HONE_TRY(const LabelledPicture picture, read_labelled_picture(judged.label));
    HONE_TRY(FoundObjects found, find_objects(judged.outputs, picture, settings_));
    way_ = found.way;
    Unit unit{.scores = {0, 0}, .expected = {}, .got = {}};
    unit.facts = facts_of(match_objects(picture.objects, found.objects));
    return std::optional(std::move(unit));
  }

  std::map<std::string, std::string> described() const override {
    return {{"decoding", way_}, {"figures", "101 points of recall, at most 100 boxes of a class"}};
  }

 private:
  TaskSettings settings_;
  std::string way_;
};

Result<std::unique_ptr<Encoder>> encode(const EncoderSettings& settings) {
  return open_object_encoder(settings);
}

}  // namespace

Task object_detection() {
  return {.name = "object-detection",
          .summary = "Pictures, and boxes around what is in them: COCO's average precision",
          .feed = Feed::pictures,
          .metrics = {{.name = "map_50_95", .of_all = mean_precision_of_all},
                      {.name = "map_50", .of_all = precision_at_half}},
          .label = "{\"size\": [WIDTH, HEIGHT], \"seen\": [W, H], \"objects\": [...]}",
          .open = open_judge<BoxJudge>,
          .columns = {{.name = "image", .holds = "the file of a picture", .is_file = true},
                      {.name = "objects",
                       .holds = "a list of {label, box: [x, y, width, height], area, iscrowd}"}},
          .encode = encode};
}

}  // namespace hone::tasks
