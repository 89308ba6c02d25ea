#include "inspect/eval/wav.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string number(std::uint32_t value, std::size_t bytes) {
  return std::string(reinterpret_cast<const char*>(&value), bytes);
}

struct Kind {
  std::uint32_t code = 1;
  std::uint32_t bits = 16;
  std::uint32_t channels = 1;
};

std::string wav(const std::string& samples, std::uint32_t claimed, Kind kind = {}) {
  const std::uint32_t frame = kind.channels * kind.bits / 8;
  return "RIFF" + number(0x7FFFFFFF, 4) + "WAVE" + "fmt " + number(16, 4) + number(kind.code, 2) +
         number(kind.channels, 2) + number(8000, 4) + number(8000 * frame, 4) + number(frame, 2) +
         number(kind.bits, 2) + "LIST" + number(3, 4) + "abc" + std::string(1, '\0') + "data" +
         number(claimed, 4) + samples;
}

std::string real(float value) { return {reinterpret_cast<const char*>(&value), sizeof value}; }
std::string real(double value) { return {reinterpret_cast<const char*>(&value), sizeof value}; }

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

TEST(Wav, OfEveryDepthIsBetweenMinusOneAndOne) {
  const auto samples = [](const std::string& bytes, Kind kind) {
    return read_wav(wav(bytes, static_cast<std::uint32_t>(bytes.size()), kind))->samples;
  };
  EXPECT_THAT(samples(std::string("\x00\x80\xC0", 3), {1, 8}), ElementsAre(-1, 0, 0.5));
  EXPECT_THAT(samples(number(0x8000, 2) + number(0x4000, 2), {1, 16}), ElementsAre(-1, 0.5));
  EXPECT_THAT(samples(number(0x800000, 3) + number(0x400000, 3), {1, 24}), ElementsAre(-1, 0.5));
  EXPECT_THAT(samples(number(0x80000000, 4) + number(0x40000000, 4), {1, 32}),
              ElementsAre(-1, 0.5));
  EXPECT_THAT(samples(real(-0.25F) + real(1.5F), {3, 32}), ElementsAre(-0.25, 1.5));
  EXPECT_THAT(samples(real(-0.25) + real(0.125), {3, 64}), ElementsAre(-0.25, 0.125));
}

TEST(Wav, OfSeveralChannelsIsTheirMean) {
  const std::string two = number(0x4000, 2) + number(0x2000, 2) + number(0, 2) + number(0, 2);
  const auto sound = read_wav(wav(two, 8, {1, 16, 2}));
  ASSERT_TRUE(sound);
  EXPECT_EQ(sound->channels, 2u);
  EXPECT_THAT(sound->samples, ElementsAre(0.375, 0));
}

TEST(Wav, InTheLongerFormIsReadByTheKindItNames) {
  const std::string format = number(0xFFFE, 2) + number(1, 2) + number(16000, 4) +
                             number(64000, 4) + number(4, 2) + number(32, 2) + number(22, 2) +
                             number(32, 2) + number(4, 4) + number(3, 2) + std::string(14, '\0');
  const auto sound = read_wav("RIFF" + number(0, 4) + "WAVE" + "fmt " + number(40, 4) + format +
                              "data" + number(4, 4) + real(0.5F));
  ASSERT_TRUE(sound) << sound.error().cause;
  EXPECT_EQ(sound->rate, 16000);
  EXPECT_THAT(sound->samples, ElementsAre(0.5));
}

TEST(Wav, SaysWhetherItIsCutOrCouldNotKnowItsSize) {
  EXPECT_TRUE(read_wav(wav(number(0x4000, 2), 1000))->is_cut);
  EXPECT_FALSE(read_wav(wav(number(0x4000, 2), 0x7FFFF000))->is_cut);
  EXPECT_FALSE(read_wav(wav(number(0x4000, 2), 2))->is_cut);
}

TEST(Wav, ThatCannotBeIsRefusedWithTheReason) {
  const auto cause = [](const std::string& bytes, Kind kind) {
    const auto sound = read_wav(wav(bytes, static_cast<std::uint32_t>(bytes.size()), kind));
    return sound ? "read" : sound.error().cause;
  };
  EXPECT_THAT(cause("", {85, 16}), HasSubstr("it is of kind 85 with 16 bits"));
  EXPECT_THAT(cause("", {1, 12}), HasSubstr("with 12 bits"));
  EXPECT_THAT(cause("", {1, 16, 0}), HasSubstr("do not fit"));
  EXPECT_THAT(cause(real(std::numeric_limits<float>::quiet_NaN()), {3, 32}),
              HasSubstr("no numbers"));
}

TEST(Resampling, OfALineIsTheLine) {
  const Sound sound{8, {0, 1, 2, 3, 4}};
  EXPECT_THAT(resample(sound, 16).samples, ElementsAre(0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4));
  EXPECT_THAT(resample(sound, 4).samples, ElementsAre(0, 2, 4));
}

}  // namespace
}  // namespace hone
