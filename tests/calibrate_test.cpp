// Calibration on the real ONNX Runtime: whatever way the work is cut, the ranges are the same.

#include "transform/quantize/calibrate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "model/npz/npz.h"
#include "model/text/text.h"
#include "real_runtime.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Optional;

// t holds what x holds, and y the squares.
const char* const squares = R"(<opset_import: ["": 17]> g (float[N] x) => (float[N] y) <float[N] t>
    { t = Identity(x) y = Mul(t, t) })";

// A folder of samples, each a file with the input x.
class Calibrating : public testing::Test {
 protected:
  void add_sample(const std::vector<float>& x) {
    const Path file = folder_.path() / (std::to_string(samples_.size()) + ".npz");
    ASSERT_TRUE(write_npz(file, {make_float_tensor("x", x)}));
    samples_.push_back(x);
  }
  // Of lengths that differ, around zero, with something far outside now and then.
  void add_random_samples(std::size_t count) {
    Random random(11);
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<float> x(500 + random.below(500));
      for (float& value : x) value = static_cast<float>(random.uniform() + random.uniform() - 1);
      x[7] = static_cast<float>(3 + i);
      add_sample(x);
    }
  }
  RealRange extremes() const {
    RealRange range{1e30F, -1e30F};
    for (const auto& x : samples_) {
      range.low = std::min(range.low, std::ranges::min(x));
      range.high = std::max(range.high, std::ranges::max(x));
    }
    return range;
  }
  SampleStream stream() const {
    return SampleStream::from_files(folder_.path(), input_ports(model_)).value();
  }
  Result<Calibration> calibrate_with(const CalibrationPlan& plan, const Path& file = {}) {
    SampleStream samples = stream();
    CalibrationFile state(file);
    runs_ = 0;
    return calibrate(onnxruntime(), model_, samples, plan, state,
                     [&](std::uint64_t, std::uint64_t) { ++runs_; });
  }

  Model model_ = parse_text(squares).value();
  TemporaryFolder folder_ = *TemporaryFolder::create("calibrate");
  std::vector<std::vector<float>> samples_;
  int runs_ = 0;
  CalibrationPlan plan_{.tensors = {"t", "y"}, .bins = 512};
};

TEST_F(Calibrating, FindsTheExtremesOfSamplesOfEveryLength) {
  add_random_samples(5);
  const Calibration found = calibrate_with(plan_).value();
  EXPECT_EQ(found.tensors.at("t").range, extremes());
  EXPECT_EQ(found.tensors.at("y").range.high, extremes().high * extremes().high);
  EXPECT_EQ(found.samples, 5U);
  EXPECT_EQ(runs_, 5);
}

TEST_F(Calibrating, KeepsWhatTheModelGaveForTheFirstSamples) {
  add_sample({1, 2});
  add_sample({3});
  const Calibration found = calibrate_with(plan_).value();
  EXPECT_EQ(to_doubles(*found.outputs.at(0).at("y")).value(), (std::vector<double>{1, 4}));
  EXPECT_EQ(to_doubles(*found.outputs.at(1).at("y")).value(), (std::vector<double>{9}));
}

TEST_F(Calibrating, CutsOffOutliersByEntropyAndPercentile) {
  add_random_samples(6);
  plan_.method = methods::entropy();
  const Calibration by_entropy = calibrate_with(plan_).value();
  EXPECT_LT(by_entropy.tensors.at("t").range.high, 4);
  plan_.method = methods::percentile();
  plan_.settings.percentile = 99;
  const Calibration by_percentile = calibrate_with(plan_).value();
  EXPECT_LT(by_percentile.tensors.at("t").range.high, 1.1F);
  EXPECT_GT(by_percentile.tensors.at("t").range.high, 0.7F);
}

TEST_F(Calibrating, IsTheSameHoweverFewTensorsAreLookedAtTogether) {
  add_random_samples(4);
  plan_.method = methods::entropy();
  const Calibration together = calibrate_with(plan_).value();
  EXPECT_EQ(runs_, 8);
  plan_.tap_bytes = 1;
  const Calibration alone = calibrate_with(plan_).value();
  EXPECT_EQ(runs_, 12);
  EXPECT_EQ(alone.tensors.at("t").range, together.tensors.at("t").range);
  EXPECT_EQ(alone.tensors.at("y").range, together.tensors.at("y").range);
}

TEST_F(Calibrating, SaysHowFarHalfOfTheSamplesWouldHaveGone) {
  add_sample({-1, 1});
  add_sample({-1, 1});
  add_sample({-1, 3});
  const Calibration found = calibrate_with(plan_).value();
  // The second sample alone has half of the width of all.
  EXPECT_THAT(found.tensors.at("t").movement, Optional(0.5));
}

TEST_F(Calibrating, CannotTellFromOneSample) {
  add_sample({-1, 1});
  EXPECT_EQ(calibrate_with(plan_).value().tensors.at("t").movement, std::nullopt);
}

TEST_F(Calibrating, GoesOnWhereItWasInterrupted) {
  add_random_samples(6);
  plan_.method = methods::percentile();
  plan_.between_saves = std::chrono::seconds(0);
  const Calibration undisturbed = calibrate_with(plan_).value();
  // The fourth file cannot be read the first time; nothing else about it changes.
  const Path broken = folder_.path() / "3.npz";
  const Path state = folder_.path() / "state";
  const std::string good = read_file(broken).value();
  const auto time = std::filesystem::last_write_time(broken);
  const auto put = [&](const std::string& bytes) {
    ASSERT_TRUE(write_file(broken, bytes));
    std::filesystem::last_write_time(broken, time);
  };
  put(std::string(good.size(), 'x'));
  EXPECT_FALSE(calibrate_with(plan_, state));
  EXPECT_EQ(runs_, 3);
  put(good);
  const Calibration resumed = calibrate_with(plan_, state).value();
  EXPECT_EQ(runs_, 9);
  EXPECT_EQ(resumed.tensors.at("t").range, undisturbed.tensors.at("t").range);
  EXPECT_EQ(resumed.tensors.at("y").movement, undisturbed.tensors.at("y").movement);
  // And a third time there is nothing left to do.
  const Calibration again = calibrate_with(plan_, state).value();
  EXPECT_EQ(runs_, 0);
  EXPECT_EQ(again.tensors.at("t").range, undisturbed.tensors.at("t").range);
}

TEST_F(Calibrating, TakesNothingFromTheFileOfOtherSamples) {
  add_random_samples(3);
  const Path state = folder_.path() / "state";
  ASSERT_TRUE(calibrate_with(plan_, state));
  add_sample({100});
  EXPECT_EQ(calibrate_with(plan_, state).value().tensors.at("t").range.high, 100);
  EXPECT_EQ(runs_, 4);
}

TEST_F(Calibrating, TakesFewerTensorsFromAFileThatKnowsMore) {
  add_random_samples(3);
  const Path state = folder_.path() / "state";
  const auto all = calibrate_with(plan_, state).value();
  plan_.tensors = {"t"};
  const auto one = calibrate_with(plan_, state).value();
  EXPECT_EQ(runs_, 0);
  EXPECT_EQ(one.tensors.size(), 1U);
  EXPECT_EQ(one.tensors.at("t").range.high, all.tensors.at("t").range.high);
}

TEST_F(Calibrating, AddsWhatAFileDoesNotKnowToIt) {
  for (const auto method : {methods::minmax(), methods::entropy()}) {
    plan_.method = method;
    const Path state = folder_.path() / ("state" + std::string(method.name));
    if (samples_.empty()) add_random_samples(3);
    const auto all = calibrate_with(plan_).value();
    CalibrationPlan one = plan_;
    one.tensors = {"t"};
    ASSERT_TRUE(calibrate_with(one, state));
    one.tensors = {"y"};
    const auto other = calibrate_with(one, state).value();
    EXPECT_EQ(other.tensors.at("y").range.high, all.tensors.at("y").range.high);
    const auto both = calibrate_with(plan_, state).value();
    EXPECT_EQ(runs_, 0);
    EXPECT_EQ(both.tensors.at("t").range.high, all.tensors.at("t").range.high);
    EXPECT_EQ(both.tensors.at("y").range.low, all.tensors.at("y").range.low);
    EXPECT_EQ(both.samples, 3U);
  }
}

TEST_F(Calibrating, TakesNothingFromAFileThatMakesNoSense) {
  add_random_samples(3);
  const Path state = folder_.path() / "state";
  plan_.method = methods::entropy();
  ASSERT_TRUE(calibrate_with(plan_, state));
  std::string text = read_file(state).value();
  const std::size_t counts = text.find("\"counts\":[");
  ASSERT_NE(counts, std::string::npos);
  text.insert(counts + 10, "1,2,3,");
  ASSERT_TRUE(write_file(state, text));
  ASSERT_TRUE(calibrate_with(plan_, state));
  EXPECT_EQ(runs_, 6);
}

TEST_F(Calibrating, NamesATensorThatIsNotFinite) {
  add_sample({1});
  add_sample({1e30F});
  const auto found = calibrate_with(plan_);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().what,
            "the tensor 'y' holds NaN or infinity for sample 1, which no scale represents");
}

TEST_F(Calibrating, PassesOverTensorsThatAreEmpty) {
  add_sample({});
  add_sample({2});
  EXPECT_EQ(calibrate_with(plan_).value().tensors.at("t").range, (RealRange{2, 2}));
}

}  // namespace
}  // namespace hone
