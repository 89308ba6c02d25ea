#include "report/search/noise_text.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(NoiseText, SaysHowManyWereKeptAndWhatThatBounds) {
  NoiseCertificate certificate;
  certificate.trials = 59;
  certificate.false_keep_bound = 0.0495;
  certificate.noise_floor = 0.012;
  certificate.power = {{.effect = 0.05, .trials = 20, .found = 19, .sign_errors = 0}};
  const std::string text = describe_certificate(certificate);
  EXPECT_NE(
      text.find("identical candidates on cpu/cpu: 0 kept of 59 searches; where nothing is faster, "
                "at most 5.0 % of searches keep something (95 % confidence)"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("found in 19 of 20, 0 with the wrong sign"), std::string::npos) << text;
}

}  // namespace
}  // namespace hone
