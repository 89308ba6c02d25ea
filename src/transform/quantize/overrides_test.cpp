#include "transform/quantize/overrides.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<Overrides> read(std::string_view text) {
  const TemporaryFolder folder = *TemporaryFolder::create("overrides");
  const Path file = folder.path() / "overrides.json";
  EXPECT_TRUE(write_file(file, text));
  return read_overrides(file);
}

std::string refusal(std::string_view entry) {
  const auto overrides = read(R"({"tensors": {"x": )" + std::string(entry) + "}}");
  return overrides ? "accepted" : overrides.error().cause;
}

TEST(Overrides, SayTypeRangeAndScaleOfATensor) {
  const auto overrides = read(R"({"tensors": {
      "a": {"quant_type": "uint16", "rmin": -1, "rmax": 2.5, "symmetric": true},
      "b": {"scale": 0.5, "zero_point": 7},
      "w": {"axis": 0, "scale": [0.5, 0.25], "zero_point": [0, 0]}},
      "float_nodes": ["head*"]})");
  ASSERT_TRUE(overrides) << overrides.error().cause;
  const TensorOverride& a = overrides->tensors.at("a");
  EXPECT_EQ(a.type, ElementType::uint16);
  EXPECT_EQ(a.range, (RealRange{-1, 2.5}));
  EXPECT_EQ(a.symmetric, true);
  EXPECT_THAT(overrides->tensors.at("b").scales, ElementsAre(Scale{0.5, 7}));
  EXPECT_THAT(overrides->tensors.at("w").scales, ElementsAre(Scale{0.5, 0}, Scale{0.25, 0}));
  EXPECT_THAT(overrides->float_nodes, ElementsAre("head*"));
}

TEST(Overrides, AreRefusedWhereTheyContradictThemselves) {
  EXPECT_EQ(refusal(R"({"scale": 1})"),
            "tensor 'x': scale and zero_point go together, as many of the one as of the other");
  EXPECT_EQ(refusal(R"({"rmin": 1})"), "tensor 'x': rmin and rmax go together");
  EXPECT_EQ(refusal(R"({"rmin": 2, "rmax": 1})"),
            "tensor 'x': rmin is above rmax, or one of them does not fit a float");
  EXPECT_EQ(refusal(R"({"scale": 1, "zero_point": 0, "symmetric": true})"),
            "tensor 'x': with scale, nothing is left for rmin, rmax, symmetric and reduce_range "
            "to decide");
  EXPECT_EQ(refusal(R"({"scale": [1, 1], "zero_point": [0, 0]})"),
            "tensor 'x': several scales need the axis they stand along");
  EXPECT_EQ(refusal(R"({"scale": -1, "zero_point": 0})"),
            "tensor 'x': a scale is a number above 0, not -1");
  EXPECT_EQ(refusal(R"({"scale": 1, "zero_point": 70000})"), "tensor 'x': 70000 is no zero point");
  EXPECT_EQ(refusal(R"({"quant_type": "float"})"), "tensor 'x': 'float' is no quant_type");
}

TEST(Overrides, WithAWordNobodyKnowsAreRefused) {
  EXPECT_THAT(refusal(R"({"quanttype": "uint8"})"), HasSubstr("quanttype"));
  const auto overrides = read("{\"tensors\": [");
  ASSERT_FALSE(overrides);
  EXPECT_THAT(overrides.error().what, HasSubstr("cannot use the overrides in"));
}

}  // namespace
}  // namespace hone
