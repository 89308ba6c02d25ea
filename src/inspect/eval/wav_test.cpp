#include "inspect/eval/wav.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string number(std::uint32_t value, std::size_t bytes) {
  return std::string(reinterpret_cast<const char*>(&value), bytes);
}

std::string wav(const std::string& samples, std::uint32_t claimed, std::uint32_t bits = 16) {
  return "RIFF" + number(0x7FFFFFFF, 4) + "WAVE" + "fmt " + number(16, 4) + number(1, 2) +
         number(1, 2) + number(8000, 4) + number(16000, 4) + number(2, 2) + number(bits, 2) +
         "LIST" + number(3, 4) + "abc" + std::string(1, '\0') + "data" + number(claimed, 4) +
         samples;
}

TEST(Wav, IsReadPastChunksItDoesNotKnow) {
  const auto sound = read_wav(wav(number(0x4000, 2) + number(0xC000, 2), 4));
  ASSERT_TRUE(sound);
  EXPECT_EQ(sound->rate, 8000);
  EXPECT_THAT(sound->samples, ElementsAre(0.5, -0.5));
}

TEST(Wav, ThatClaimsMoreThanThereIsGoesToItsEnd) {
  EXPECT_THAT(read_wav(wav(number(0x4000, 2), 0x7FFFFFFF))->samples, ElementsAre(0.5));
}

TEST(Wav, CutAtAnyPlaceIsReadOrRefusedAndNeverOverrun) {
  const std::string whole = wav(number(0x4000, 2) + number(0xC000, 2), 4);
  for (std::size_t length = 0; length < whole.size() - 4; ++length)
    EXPECT_TRUE(!read_wav(whole.substr(0, length)) || length >= whole.size() - 4) << length;
}

TEST(Wav, OfEightBitsIsRefused) {
  const auto sound = read_wav(wav("", 0, 8));
  ASSERT_FALSE(sound);
  EXPECT_THAT(sound.error().cause, HasSubstr("not PCM of 16 bits"));
}

TEST(Resampling, OfALineIsTheLine) {
  const Sound sound{8, {0, 1, 2, 3, 4}};
  EXPECT_THAT(resample(sound, 16).samples, ElementsAre(0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4));
  EXPECT_THAT(resample(sound, 4).samples, ElementsAre(0, 2, 4));
}

}  // namespace
}  // namespace hone
