#include "report/perf/denormals_text.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

PerfResult not_tried() {
  PerfResult result;
  result.benchmark_info.running_model_path = "m.onnx";
  result.denormals.weights = 1'234;
  result.denormals.of = 5'000;
  return result;
}

PerfResult tried(double as_is_ms, double as_zero_ms, bool is_beyond_noise) {
  PerfResult result = not_tried();
  result.denormals.p50_as_is_ms = as_is_ms;
  result.denormals.p50_as_zero_ms = as_zero_ms;
  result.denormals.is_beyond_noise = is_beyond_noise;
  return result;
}

constexpr const char* undecided =
    "1,234 of 5,000 weights are denormal: --session-options session.set_denormal_as_zero=1 may "
    "help, and may change answers; `hone compare --arm as-is:model=m.onnx --arm "
    "as-zero:model=m.onnx,session.session.set_denormal_as_zero=1` tells";

TEST(DenormalsText, ClaimsWhatIsBeyondNoise) {
  EXPECT_EQ(denormals_note(tried(24, 0.46, true)),
            "1,234 of 5,000 weights are denormal: with --session-options "
            "session.set_denormal_as_zero=1 a run takes 460 us instead of 24.0 ms; answers that "
            "rest on such numbers change");
}

TEST(DenormalsText, ClaimsNothingElseAndSaysHowToFindOut) {
  EXPECT_EQ(denormals_note(tried(1.07, 0.583, false)), undecided);
  EXPECT_EQ(denormals_note(tried(1.01, 1, true)), undecided);
  EXPECT_EQ(denormals_note(not_tried()), undecided);
}

TEST(DenormalsText, SpeaksOfNumbersOnTheWayWhereNoWeightIsOne) {
  PerfResult result = tried(24, 0.46, true);
  result.denormals.weights = 0;
  EXPECT_EQ(denormals_note(result).find("it computes with denormal numbers: with "), 0U);
  result.denormals.is_beyond_noise = false;
  EXPECT_EQ(denormals_note(result), "");
}

TEST(DenormalsText, SaysNothingToWhoHasSetTheOption) {
  PerfResult result = not_tried();
  result.benchmark_info.session_options["session.set_denormal_as_zero"] = "1";
  EXPECT_EQ(denormals_note(result), "");
}

}  // namespace
}  // namespace hone
