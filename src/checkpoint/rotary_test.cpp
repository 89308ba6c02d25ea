#include "checkpoint/rotary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;

RotaryFrequencies read(const char* text, const RotaryHead& head, Problems& problems) {
  return read_rotary(Config(Json::parse(text).value(), problems), head);
}

RotaryFrequencies read(const char* text, const RotaryHead& head = {.head_size = 8}) {
  Problems problems;
  RotaryFrequencies made = read(text, head, problems);
  EXPECT_EQ(problems.said(), std::vector<std::string>{});
  return made;
}

std::string problem_with(const char* text, const RotaryHead& head = {.head_size = 8}) {
  Problems problems;
  read(text, head, problems);
  return problems.any() ? problems.said().front() : "";
}

void expect_near(const std::vector<float>& made, const std::vector<double>& wanted) {
  ASSERT_EQ(made.size(), wanted.size());
  for (std::size_t i = 0; i < made.size(); ++i) EXPECT_NEAR(made[i] / wanted[i], 1, 1e-6) << i;
}

TEST(Rotary, HasFrequenciesOfBothSpellings) {
  const std::vector<double> of_ten_thousand = {1, 0.1, 0.01, 0.001};
  expect_near(read("{}").usual, of_ten_thousand);
  const std::vector<double> of_a_hundred = {1, 0.316227766, 0.1, 0.0316227766};
  expect_near(read(R"({"rope_theta": 100})").usual, of_a_hundred);
  expect_near(read(R"({"rope_parameters": {"rope_type": "default", "rope_theta": 100}})").usual,
              of_a_hundred);
  expect_near(read(R"({"rope_theta": 100, "rope_scaling": {"type": "linear", "factor": 4}})").usual,
              {0.25, 0.0790569415, 0.025, 0.00790569415});
  // What transformers takes where both are said, and where one of them is empty.
  expect_near(
      read(R"({"rope_theta": 7, "rope_scaling": {}, "rope_parameters": {"rope_theta": 100}})")
          .usual,
      of_a_hundred);
}

TEST(Rotary, ScalesAsYarn) {
  const RotaryHead head{.head_size = 16, .positions = 8192};
  const auto made = read(R"({"rope_scaling": {"rope_type": "yarn", "factor": 4.0,
                             "original_max_position_embeddings": 2048}})",
                         head);
  expect_near(made.usual,
              {1, 0.316227766, 0.1, 0.025693506, 0.00625, 0.00138349648, 0.00025, 7.90569415e-05});
  EXPECT_NEAR(made.scale, 1.138629436, 1e-8);
  const auto other = read(R"({"original_max_position_embeddings": 2048, "rope_scaling":
      {"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 64, "truncate": false,
       "mscale": 0.7, "mscale_all_dim": 1.5}})",
                          head);
  expect_near(other.usual, {1, 0.316227766, 0.1, 0.0238701923, 0.00505697152, 0.000811290382,
                            0.00025, 7.90569415e-05});
  EXPECT_NEAR(other.scale, 0.90818818, 1e-7);
}

TEST(Rotary, ScalesAsLlama3) {
  const auto made = read(R"({"rope_parameters": {"rope_type": "llama3", "rope_theta": 500000.0,
      "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
      "original_max_position_embeddings": 8192}})",
                         {.head_size = 16, .positions = 131072});
  expect_near(made.usual, {1, 0.193922745, 0.0376060309, 0.00729266474, 0.000524846161,
                           3.4281022e-05, 6.64786987e-06, 1.28917317e-06});
  EXPECT_TRUE(made.beyond.empty());
}

TEST(Rotary, HasOtherFrequenciesBeyondALimit) {
  const auto dynamic = read(R"({"rope_scaling": {"type": "dynamic", "factor": 2.0}})",
                            {.head_size = 8, .positions = 64});
  EXPECT_EQ(dynamic.limit, 64);
  EXPECT_EQ(dynamic.growth, 2.0);
  const auto longrope = read(R"({"rope_scaling": {"type": "su", "short_factor": [1, 2, 4, 8],
                                 "long_factor": [2, 2, 2, 2]}})",
                             {.head_size = 8, .positions = 131072, .is_phi = true});
  expect_near(longrope.usual, {1, 0.05, 0.0025, 0.000125});
  expect_near(longrope.beyond, {0.5, 0.05, 0.005, 0.0005});
  EXPECT_EQ(longrope.limit, 4096);
  EXPECT_NEAR(longrope.scale, 1.1902380714, 1e-8);
}

TEST(Rotary, TurnsAPartOfAHead) {
  const auto made = read(R"({"partial_rotary_factor": 0.5})", {.head_size = 8, .is_phi = true});
  EXPECT_EQ(made.size, 4);
  expect_near(made.usual, {1, 0.01});
}

TEST(Rotary, NamesWhatIsNotWritten) {
  EXPECT_THAT(problem_with(R"({"rope_scaling": {"rope_type": "mrope"}})"),
              HasSubstr("rope_scaling.rope_type is \"mrope\": known are default, linear"));
  EXPECT_THAT(problem_with(R"({"rope_scaling": {"type": "linear", "factor": 2}})",
                           {.head_size = 8, .is_phi = true}),
              HasSubstr("known are default, longrope, su, yarn"));
  EXPECT_THAT(problem_with(R"({"rope_scaling": {"type": "linear"}})"),
              HasSubstr("rope_scaling.factor is missing"));
  EXPECT_THAT(problem_with(R"({"rope_scaling": {"type": "longrope", "factor": 2,
                               "long_factor": [1, 2]}})"),
              HasSubstr("long_factor is [1,2]: it has to have 4 numbers"));
  EXPECT_THAT(problem_with("{}", {.head_size = 7}), HasSubstr("an even number"));
  EXPECT_THAT(problem_with("{}", {.head_size = 2'000'000'000}), HasSubstr("65,536"));
  EXPECT_THAT(problem_with(R"({"rope_theta": 0})"), HasSubstr("above 0"));
}

}  // namespace
}  // namespace hone
