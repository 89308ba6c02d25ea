#include "inspect/eval/found_objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "inspect/eval/dataset.h"
#include "inspect/eval/maps.h"

namespace hone {
namespace {

using testing::HasSubstr;

// 200 x 100, seen as 100 x 100.
const LabelledPicture picture{200, 100, 100, 100, {}};

NamedTensors outputs_of(const std::string& name, std::vector<std::int64_t> dims,
                        const std::vector<double>& numbers) {
  return {{name, make_float_input(name, std::move(dims), numbers)}};
}

TaskSettings looking_at(const std::string& output) {
  TaskSettings settings;
  settings.output = output;
  return settings;
}

void expect_box(const Box& box, double x, double y, double width, double height) {
  EXPECT_NEAR(box.x, x, 1e-4);
  EXPECT_NEAR(box.y, y, 1e-4);
  EXPECT_NEAR(box.width, width, 1e-4);
  EXPECT_NEAR(box.height, height, 1e-4);
}

TEST(FoundObjects, OfDetrAreQueriesWhoseClassIsNotNone) {
  NamedTensors outputs = outputs_of("logits", {1, 2, 3}, {0, 4, 0, 0, 0, 9});
  outputs.merge(outputs_of("pred_boxes", {1, 2, 4}, {0.5, 0.5, 0.2, 0.4, 0.1, 0.1, 0.1, 0.1}));
  const auto found = find_objects(outputs, picture, {});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->objects.size(), 1u);
  EXPECT_EQ(found->objects[0].kind, 1u);
  EXPECT_NEAR(found->objects[0].score, std::exp(4) / (std::exp(4) + 2), 1e-6);
  expect_box(found->objects[0].box, 80, 30, 40, 40);
}

TEST(FoundObjects, OfAsManyScoresAsClassesAreSigmoids) {
  NamedTensors outputs = outputs_of("logits", {1, 1, 2}, {0, 2});
  outputs.merge(outputs_of("pred_boxes", {1, 1, 4}, {0.5, 0.5, 1, 1}));
  TaskSettings settings;
  settings.class_names = {"cat", "dog"};
  const auto found = find_objects(outputs, picture, settings);
  ASSERT_EQ(found->objects.size(), 2u);
  EXPECT_EQ(found->objects[0].kind, 1u);
  EXPECT_NEAR(found->objects[1].score, 0.5, 1e-6);
}

// Columns are anchors: the middle, the sides, and two classes.
TEST(FoundObjects, OfYoloAreAnchorsWithoutThoseThatOverlapABetterOne) {
  const std::vector<double> anchors = {50,  50.5, 20,  50,  0, 0, 0,   // x
                                       50,  50,   20,  50,  0, 0, 0,   // y
                                       20,  20,   10,  20,  0, 0, 0,   // width
                                       20,  20,   10,  20,  0, 0, 0,   // height
                                       0.9, 0.8,  0.5, 0,   0, 0, 0,   // class 0
                                       0,   0,    0,   0.7, 0, 0, 0};  // class 1
  const auto found = find_objects(outputs_of("y", {1, 6, 7}, anchors), picture, looking_at("y"));
  ASSERT_TRUE(found) << found.error().what;
  ASSERT_EQ(found->objects.size(), 3u);
  EXPECT_NEAR(found->objects[0].score, 0.9, 1e-6);
  expect_box(found->objects[0].box, 80, 40, 40, 20);
  EXPECT_EQ(found->objects[1].kind, 1u);
  EXPECT_NEAR(found->objects[2].score, 0.5, 1e-6);
  EXPECT_THAT(found->way, HasSubstr("0.7"));
}

TEST(FoundObjects, ThatTheGraphSortedOutAreTakenAsTheyAre) {
  const auto found =
      find_objects(outputs_of("y", {1, 2, 6}, {10, 20, 30, 60, 0.8, 3, 0, 0, 0, 0, 0, 0}), picture,
                   looking_at("y"));
  ASSERT_EQ(found->objects.size(), 1u);
  EXPECT_EQ(found->objects[0].kind, 3u);
  expect_box(found->objects[0].box, 20, 20, 40, 40);
}

TEST(FoundObjects, OfAnotherShapeAreRefused) {
  const auto found = find_objects(outputs_of("y", {1, 4}, {1, 2, 3, 4}), picture, looking_at("y"));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().what, "the output [1,4] holds no objects that hone can read");
}

TEST(FoundBodies, OfHeatmapsAreTheirHighestPlaces) {
  const auto found = find_bodies(outputs_of("y", {1, 2, 2, 2}, {0, 1, 0, 0, 0, 0, 0.5, 0}), picture,
                                 looking_at("y"));
  ASSERT_EQ(found->objects.size(), 1u);
  ASSERT_EQ(found->objects[0].keypoints.size(), 2u);
  EXPECT_NEAR(found->objects[0].keypoints[0].x, 150, 1e-6);
  EXPECT_NEAR(found->objects[0].keypoints[0].y, 25, 1e-6);
  EXPECT_NEAR(found->objects[0].keypoints[1].x, 50, 1e-6);
  EXPECT_NEAR(found->objects[0].score, 0.75, 1e-6);
}

TEST(Maps, AreScaledBetweenTheMiddlesOfPixels) {
  const Maps maps{1, 1, 2, {0, 4}};
  // As torch's interpolate with align_corners=False has it.
  EXPECT_THAT(scaled(maps, 1, 4).values, testing::ElementsAre(0, 1, 3, 4));
}

}  // namespace
}  // namespace hone
