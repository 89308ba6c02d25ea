#include "flow/search/noise_store.h"

#include <gtest/gtest.h>

#include "base/system_files.h"

namespace hone {
namespace {

SearchEnvironment one_machine() { return {.key = {}, .facts = {{"cpu", "A"}, {"cores", "2"}}}; }

NoiseCertificate of_searches(std::uint64_t trials) {
  NoiseCertificate certificate;
  certificate.machine = noise_key(one_machine(), {});
  certificate.trials = trials;
  return certificate;
}

// A cache of its own for each test.
class NoiseStore : public testing::Test {
 protected:
  NoiseStore() { host_.cache = folder_.path().string(); }

  std::optional<NoiseCertificate> load(const Target& target = {}) const {
    return load_certificate(host_, one_machine(), target);
  }
  std::uint64_t save(std::uint64_t trials, Replacing replacing = Replacing::what_is_weaker) const {
    const auto kept = save_certificate(host_, of_searches(trials), replacing);
    EXPECT_TRUE(kept) << kept.error().what;
    return kept ? kept->trials : 0;
  }

  Host host_;

 private:
  TemporaryFolder folder_ = TemporaryFolder::create("noise-store").value();
};

TEST_F(NoiseStore, QuotesACertificateForItsOwnTargetAlone) {
  save(59);
  EXPECT_EQ(load()->trials, 59U);
  EXPECT_EQ(load({.ep = "cpu", .device = "cpu", .options = {}})->trials, 59U);
  EXPECT_FALSE(load({.ep = "cuda", .device = "auto", .options = {}}));
  EXPECT_FALSE(load({.ep = "qnn", .device = "npu", .options = {}}));
}

TEST_F(NoiseStore, KeepsWhatRestsOnMoreSearchesUnlessAsked) {
  save(59);
  EXPECT_EQ(save(1), 59U);
  EXPECT_EQ(load()->trials, 59U);
  EXPECT_EQ(save(119), 119U);
  EXPECT_EQ(save(1, Replacing::anything), 1U);
  EXPECT_EQ(load()->trials, 1U);
}

TEST_F(NoiseStore, TakesAFileThatIsNoCertificateForNone) {
  const Path file = *certificate_path(host_, one_machine(), {});
  std::filesystem::create_directories(file.parent_path());
  ASSERT_TRUE(write_file(file, "no certificate"));
  EXPECT_FALSE(load());
  EXPECT_EQ(save(1), 1U);
}

TEST_F(NoiseStore, OfAHostWithoutACacheHasNoneAndKeepsNone) {
  host_.cache.clear();
  EXPECT_FALSE(load());
  const auto kept = save_certificate(host_, of_searches(59), Replacing::anything);
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().what, "there is no place for a noise certificate");
}

}  // namespace
}  // namespace hone
