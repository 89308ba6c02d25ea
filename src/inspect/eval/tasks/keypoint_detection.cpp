// Pictures, and the keypoints of bodies in them.

#include <algorithm>

#include "inspect/eval/found_objects.h"
#include "inspect/eval/judge.h"
#include "inspect/eval/object_rows.h"

namespace hone::tasks {
namespace {

// Of the longer side of the body's box: PCK at 0.2.
constexpr double near_share = 0.2;

class BodyJudge : public Judge {
 public:
  explicit BodyJudge(const TaskSettings& settings) : settings_(settings) {}

  Result<std::optional<Unit>> judge(const Judged& judged) override {
    HONE_TRY(const LabelledPicture picture, read_labelled_picture(judged.label));
    HONE_TRY(FoundObjects found, find_bodies(judged.outputs, picture, settings_));
    way_ = found.way;
    // One kind of body, whatever the data calls it.
    std::vector<KnownObject> known = picture.objects;
    for (KnownObject& body : known) body.kind = 0;
    const MatchRules rules{.most = 20, .by_keypoints = true};
    Unit unit{.scores = {0, 0}, .expected = {}, .got = {}};
    unit.facts = facts_of(match_objects(known, found.objects, rules));
    const KeypointCounts counts = count_of(known, found.objects);
    unit.scores[1] = counts.labelled > 0 ? counts.near / counts.labelled : 1;
    return std::optional(std::move(unit));
  }

  std::map<std::string, std::string> described() const override {
    return {{"decoding", way_}, {"figures", "OKS, at most 20 bodies; near is 0.2 of the box"}};
  }

 private:
  // Each body beside the found one that is most like it.
  static KeypointCounts count_of(const std::vector<KnownObject>& known,
                                 const std::vector<FoundObject>& found) {
    KeypointCounts sum;
    for (const KnownObject& body : known) {
      const FoundObject* best = nullptr;
      double likeness = -1;
      for (const FoundObject& one : found) {
        const double own = keypoint_likeness(one, body);
        if (one.keypoints.size() != body.keypoints.size() || own <= likeness) continue;
        likeness = own;
        best = &one;
      }
      const std::vector<Keypoint> nowhere(body.keypoints.size(), {-1e9, -1e9, 0});
      const KeypointCounts counts =
          count_near(best != nullptr ? best->keypoints : nowhere, body, near_share);
      sum.near += counts.near;
      sum.labelled += counts.labelled;
    }
    return sum;
  }

  TaskSettings settings_;
  std::string way_;
};

Result<std::unique_ptr<Encoder>> encode(const EncoderSettings& settings) {
  return open_object_encoder(settings);
}

}  // namespace

Task keypoint_detection() {
  return {.name = "keypoint-detection",
          .summary = "Pictures, and the keypoints of bodies: COCO's OKS and PCK",
          .feed = Feed::pictures,
          .metrics = {{.name = "oks_ap", .of_all = mean_precision_of_all}, {.name = "pck"}},
          .label = "{\"size\": [WIDTH, HEIGHT], \"seen\": [W, H], \"objects\": [...]}",
          .open = open_judge<BodyJudge>,
          .columns = {{.name = "image", .holds = "the file of a picture", .is_file = true},
                      {.name = "objects",
                       .holds = "a list of {label, box, area, keypoints: [x, y, visible, ...]}"}},
          .encode = encode};
}

}  // namespace hone::tasks
