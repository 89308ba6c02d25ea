#include "report/html/axis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace hone {
namespace {

using ::testing::ElementsAre;

Axis axis_of(AxisScale scale, std::vector<double> values) { return {scale, values}; }

std::vector<std::string> labels(const Axis& axis) {
  std::vector<std::string> texts;
  for (const double tick : axis.ticks()) texts.push_back(axis.label(tick));
  return texts;
}

TEST(Axis, HasRoomBesideItsValues) {
  const Axis axis = axis_of(AxisScale::linear, {2, 4});
  EXPECT_GT(axis.at(2), 0);
  EXPECT_LT(axis.at(4), 100);
  EXPECT_DOUBLE_EQ(axis.at(3), 50);
  EXPECT_EQ(axis.percent(3), "50.00%");
}

TEST(Axis, ALogarithmicOnePutsHalfAsFarAsTwice) {
  const Axis axis = axis_of(AxisScale::logarithmic, {0.5, 2});
  EXPECT_NEAR(axis.at(1), 50, 1e-9);
  EXPECT_NEAR(axis.at(1) - axis.at(0.5), axis.at(2) - axis.at(1), 1e-9);
}

TEST(Axis, TicksAreRoundNumbersThatCanBeToldApart) {
  EXPECT_THAT(labels(axis_of(AxisScale::logarithmic, {0.63, 1.02})),
              ElementsAre("0.7", "0.8", "0.9", "1.0"));
  EXPECT_THAT(labels(axis_of(AxisScale::logarithmic, {0.99, 1.01})),
              ElementsAre("0.98", "1.00", "1.02"));
  EXPECT_THAT(labels(axis_of(AxisScale::logarithmic, {0.25, 16})),
              ElementsAre("0.25", "1", "4", "16"));
  EXPECT_THAT(labels(axis_of(AxisScale::linear, {10, 35})), ElementsAre("10", "20", "30"));
}

// Of 160 pixels, which is what a plot has on a narrow window; a digit is seven wide.
bool do_labels_touch(const Axis& axis) {
  const std::vector<double> ticks = axis.ticks();
  for (std::size_t i = 1; i < ticks.size(); ++i) {
    const double apart = (axis.at(ticks[i]) - axis.at(ticks[i - 1])) * 1.6;
    const auto characters = axis.label(ticks[i]).size() + axis.label(ticks[i - 1]).size();
    if (apart < static_cast<double>(characters) * 3.5) return true;
  }
  return false;
}

TEST(Axis, LabelsOfALogarithmicOneDoNotTouch) {
  for (const double low : {0.004, 0.006, 0.11, 0.3, 0.61, 0.87, 0.955, 0.99}) {
    for (const double high : {1.0, 1.02, 1.3, 1.9, 5.0, 40.0}) {
      const Axis axis = axis_of(AxisScale::logarithmic, {low, high});
      EXPECT_FALSE(do_labels_touch(axis)) << low << " to " << high;
      EXPECT_FALSE(axis.ticks().empty()) << low << " to " << high;
    }
  }
}

TEST(Axis, WhatCannotBeDrawnDoesNotMoveTheOthers) {
  constexpr double endless = std::numeric_limits<double>::infinity();
  constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
  const Axis axis = axis_of(AxisScale::logarithmic, {not_a_number, 0.5, endless, 2, 0});
  EXPECT_NEAR(axis.at(1), 50, 1e-9);
}

TEST(Axis, WhatCannotBeDrawnStaysInsideAndEnds) {
  constexpr double endless = std::numeric_limits<double>::infinity();
  constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> values = {not_a_number, endless, -endless, -1,       0,
                                      1e-300,       1e300,   1e17,     1e17 + 16};
  for (const AxisScale scale : {AxisScale::linear, AxisScale::logarithmic}) {
    const Axis axis = axis_of(scale, values);
    EXPECT_LE(axis.ticks().size(), 6u);
    for (const double value : values) {
      EXPECT_GE(axis.at(value), 0) << value;
      EXPECT_LE(axis.at(value), 100) << value;
    }
    for (const std::string& label : labels(axis)) EXPECT_NE(label, "-");
  }
  EXPECT_LE(axis_of(AxisScale::linear, {1e11, 1e11 + 1e-5}).ticks().size(), 6u);
  EXPECT_LE(axis_of(AxisScale::linear, {}).ticks().size(), 6u);
}

}  // namespace
}  // namespace hone
