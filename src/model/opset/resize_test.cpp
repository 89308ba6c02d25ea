#include "model/opset/testing.h"

namespace hone::opset {
namespace {

constexpr std::string_view upsample =
    R"(g (float[1,1,2,2] x) => (float[1,1,4,4] y) <float[4] s = {1, 1, 2, 2}> {
  [up] y = Upsample <mode = "nearest"> (x, s)
})";

TEST(Resize, IsUpsampleUnderANewNameInOpset10) {
  EXPECT_EQ(converted(upsample, 9, 10),
            same(R"(g (float[1,1,2,2] x) => (float[1,1,4,4] y) <float[4] s = {1, 1, 2, 2}> {
    [up] y = Resize <mode = "nearest"> (x, s)
  })",
                 10));
}

TEST(Resize, SaysFromOpset11OnWhatWasTheOneWayBefore) {
  EXPECT_EQ(converted(upsample, 9, 11), same(R"(g (float[1,1,2,2] x) => (float[1,1,4,4] y)
      <float[4] s = {1, 1, 2, 2}, float[0] up_roi = {}> {
    [up] y = Resize <coordinate_transformation_mode = "asymmetric", mode = "nearest", nearest_mode = "floor">
      (x, up_roi, s)
  })",
                                             11));
  for (const int to : {10, 11, 12, 13, 17, 18, 19, 21}) expect_round_trip(upsample, 9, to);
}

TEST(Resize, OfOpset10RoundsUpWhereItMakesSmaller) {
  constexpr std::string_view shrink =
      R"(g (float[1,1,4,4] x) => (float[1,1,2,2] y) <float[4] s = {1, 1, 0.5, 0.5}> {
    [down] y = Resize <mode = "nearest"> (x, s)
  })";
  EXPECT_NE(converted(shrink, 10, 11).find("nearest_mode = \"ceil\""), std::string::npos);
  expect_round_trip(shrink, 10, 17);
  EXPECT_EQ(converted(shrink, 10, 9),
            "refused: node 'down' (Resize): it makes its input smaller, which Upsample of opset 9 "
            "cannot");
}

TEST(Resize, OfOpset10IsRefusedWhereItsRoundingIsLeftOpen) {
  EXPECT_EQ(converted(R"(g (float[1,1,4,4] x) => (float[1,1,8,2] y) <float[4] s = {1, 1, 2, 0.5}> {
    [both] y = Resize(x, s)
  })",
                      10, 11),
            "refused: node 'both' (Resize): it enlarges one dimension and shrinks another, where "
            "opset 10 leaves the "
            "rounding open");
}

TEST(Resize, NotesHowScalesOfRunTimeWereRead) {
  Model model =
      model_of(10, "g (float[1,1,4,4] x, float[4] s) => (float y) { [r] y = Resize(x, s) }");
  const auto report = convert_opset(model, 11);
  ASSERT_TRUE(report.has_value());
  ASSERT_EQ(report->notes.size(), 1U);
  EXPECT_EQ(report->notes[0],
            "node 'r' (Resize): its scales are computed at run time; read as enlarging "
            "(nearest_mode floor)");
}

TEST(Resize, LeavesOutFromOpset13OnWhatWasEmptyBefore) {
  constexpr std::string_view graph = R"(g (float[1,1,4,4] x) => (float[1,1,8,8] y)
      <float[0] r_roi = {}, float[0] r_scales = {}, int64[4] sizes = {1, 1, 8, 8}> {
    [r] y = Resize <mode = "linear"> (x, r_roi, r_scales, sizes)
  })";
  EXPECT_EQ(converted(graph, 11, 13), same(R"(g (float[1,1,4,4] x) => (float[1,1,8,8] y)
      <int64[4] sizes = {1, 1, 8, 8}> {
    [r] y = Resize <mode = "linear"> (x, , , sizes)
  })",
                                           13));
  Model model = model_of(11, graph);
  const Digest before = *content_fingerprint(model);
  ASSERT_TRUE(convert_opset(model, 17).has_value());
  ASSERT_TRUE(convert_opset(model, 11).has_value());
  EXPECT_EQ(before, *content_fingerprint(model));
}

TEST(Resize, IsRefusedDownwardsForWhatTheOlderOneCannot) {
  const auto resize = [](std::string_view attributes) {
    return R"(g (float[1,1,4,4] x) => (float[1,1,8,8] y) <float[4] s = {1, 1, 2, 2}> { [r] y = Resize <)" +
           std::string(attributes) + "> (x, , s) }";
  };
  EXPECT_EQ(converted(resize("antialias = 1"), 18, 17),
            "refused: node 'r' (Resize): opset 17 has no 'antialias', and here it matters");
  EXPECT_EQ(converted(resize("coordinate_transformation_mode = \"half_pixel_symmetric\""), 19, 18),
            "refused: node 'r' (Resize): its coordinate_transformation_mode is "
            "'half_pixel_symmetric', which opset 18 "
            "does not have");
  EXPECT_EQ(converted(resize("mode = \"cubic\""), 13, 10),
            "refused: node 'r' (Resize): its mode is 'cubic', which opset 10 does not have");
  EXPECT_EQ(converted(resize("mode = \"linear\""), 13, 10),
            "refused: node 'r' (Resize): its coordinate_transformation_mode is 'half_pixel', which "
            "opset 10 does not have");
  EXPECT_EQ(converted(resize("coordinate_transformation_mode = \"asymmetric\""), 13, 10),
            "refused: node 'r' (Resize): its nearest_mode is 'round_prefer_floor', which opset 10 "
            "does not have");
}

TEST(Resize, IsRefusedUpwardsForTheModeThatOpset13Ended) {
  EXPECT_EQ(
      converted(
          R"(g (float[1,1,4,4] x) => (float y) <float[0] roi = {}, float[4] s = {1, 1, 2, 2}> {
    [r] y = Resize <coordinate_transformation_mode = "tf_half_pixel_for_nn"> (x, roi, s)
  })",
          11, 13),
      "refused: node 'r' (Resize): its coordinate_transformation_mode is 'tf_half_pixel_for_nn', "
      "which opset 13 "
      "does not have");
}

TEST(Resize, OfSomeAxesHasScalesForAllOfThemBelowOpset18) {
  EXPECT_EQ(converted(R"(g (float[1,1,4,4] x) => (float[1,1,8,4] y) <float[1] s = {2}> {
    [r] y = Resize <axes = [-2], keep_aspect_ratio_policy = "not_larger"> (x, , s)
  })",
                      18, 17),
            same(R"(g (float[1,1,4,4] x) => (float[1,1,8,4] y) <float[4] r_scales = {1, 1, 2, 1}> {
    [r] y = Resize(x, , r_scales)
  })",
                 17));
}

}  // namespace
}  // namespace hone::opset
