#include "app/noise_store.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/system_files.h"

namespace hone::app {
namespace {

// A cache of its own for each test.
class NoiseStore : public testing::Test {
 protected:
  void SetUp() override { setenv("HONE_CACHE", folder_.path().c_str(), 1); }
  void TearDown() override { unsetenv("HONE_CACHE"); }

  static SearchEnvironment here() { return {.key = {}, .facts = {{"cpu", "A"}, {"cores", "2"}}}; }
  static NoiseCertificate of_searches(std::uint64_t trials) {
    NoiseCertificate certificate;
    certificate.machine = noise_key(here(), {});
    certificate.trials = trials;
    return certificate;
  }

 private:
  TemporaryFolder folder_ = TemporaryFolder::create("noise-store").value();
};

TEST_F(NoiseStore, QuotesACertificateForItsOwnTargetAlone) {
  ASSERT_TRUE(save_certificate(of_searches(59), Replacing::what_is_weaker));
  EXPECT_EQ((*load_certificate(here(), {}))->trials, 59U);
  EXPECT_EQ((*load_certificate(here(), {.ep = "cpu", .device = "cpu", .options = {}}))->trials,
            59U);
  EXPECT_FALSE(*load_certificate(here(), {.ep = "cuda", .device = "auto", .options = {}}));
  EXPECT_FALSE(*load_certificate(here(), {.ep = "qnn", .device = "npu", .options = {}}));
}

TEST_F(NoiseStore, KeepsWhatRestsOnMoreSearchesUnlessAsked) {
  ASSERT_TRUE(save_certificate(of_searches(59), Replacing::what_is_weaker));
  EXPECT_EQ(save_certificate(of_searches(1), Replacing::what_is_weaker)->trials, 59U);
  EXPECT_EQ((*load_certificate(here(), {}))->trials, 59U);
  EXPECT_EQ(save_certificate(of_searches(119), Replacing::what_is_weaker)->trials, 119U);
  EXPECT_EQ(save_certificate(of_searches(1), Replacing::anything)->trials, 1U);
  EXPECT_EQ((*load_certificate(here(), {}))->trials, 1U);
}

TEST_F(NoiseStore, TakesAFileThatIsNoCertificateForNone) {
  const Path file =
      Path(std::getenv("HONE_CACHE")) / "noise" / (of_searches(1).machine.substr(0, 16) + ".json");
  std::filesystem::create_directories(file.parent_path());
  ASSERT_TRUE(write_file(file, "no certificate"));
  EXPECT_FALSE(*load_certificate(here(), {}));
  EXPECT_EQ(save_certificate(of_searches(1), Replacing::what_is_weaker)->trials, 1U);
}

}  // namespace
}  // namespace hone::app
