#pragma once
// Objects that were found in pictures, beside those that are there: average precision as
// pycocotools computes it (101 points of recall, crowds, areas, at most so many per picture), for
// boxes and for the keypoints of bodies.

#include <cstdint>
#include <span>
#include <vector>

namespace hone {

struct Box {
  double x = 0;  // of the left edge
  double y = 0;  // of the upper one
  double width = 0;
  double height = 0;
};

// Of two boxes, 0 to 1; a crowd is hit by what is inside of it.
double overlap_of(const Box& found, const Box& known, bool crowd = false);

struct Keypoint {
  double x = 0;
  double y = 0;
  double visible = 0;  // 0: not labelled, 1: hidden, 2: seen
};

struct KnownObject {
  std::uint32_t kind = 0;  // its class
  Box box;
  double area = 0;  // of the object, which may be less than its box
  bool crowd = false;
  std::vector<Keypoint> keypoints{};
};

struct FoundObject {
  std::uint32_t kind = 0;
  Box box;
  double score = 0;
  std::vector<Keypoint> keypoints{};
};

struct MatchRules {
  std::size_t most = 100;  // of a class in a picture, the best of them
  double least_area = 0;   // of objects that count
  double largest_area = 1e10;
  bool by_keypoints = false;  // likeness of keypoints (OKS) instead of the overlap of boxes
};

// What became of one class in one picture. Bit t is of the threshold .50 + .05 t.
struct FoundMatch {
  double score = 0;
  std::uint32_t right = 0;
  std::uint32_t ignored = 0;
};
struct ClassMatches {
  std::uint32_t kind = 0;
  std::uint32_t wanted = 0;  // objects that count
  std::vector<FoundMatch> found;
};
std::vector<ClassMatches> match_objects(std::span<const KnownObject> known,
                                        std::span<const FoundObject> found,
                                        const MatchRules& rules = {});

// Average precision of many pictures, and of as many draws from them as are wanted.
class AveragePrecision {
 public:
  static constexpr std::size_t thresholds = 10;

  explicit AveragePrecision(std::span<const std::vector<ClassMatches>> pictures);
  // Mean over classes that are to be found, and over thresholds first..last. `times` says how often
  // each picture counts; empty: once.
  double mean(std::size_t first, std::size_t last, std::span<const std::uint32_t> times = {}) const;

 private:
  struct Ranked {
    FoundMatch match;
    std::size_t picture = 0;
  };
  struct OfClass {
    std::vector<Ranked> found;                                  // the best first
    std::vector<std::pair<std::size_t, std::uint32_t>> wanted;  // by picture
  };
  std::vector<OfClass> classes_;
};

// Object keypoint similarity with COCO's deviations of 17 points of a body; another number of
// points has 0.05 for each.
double keypoint_likeness(const FoundObject& found, const KnownObject& known);

// Keypoints that are labelled, and those of them that are nearer than `share` of the longer side of
// the object's box. REQUIRES: as many of both.
struct KeypointCounts {
  double near = 0;
  double labelled = 0;
};
KeypointCounts count_near(std::span<const Keypoint> found, const KnownObject& known, double share);

}  // namespace hone
