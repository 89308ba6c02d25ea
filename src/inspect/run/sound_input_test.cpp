#include "inspect/run/sound_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace hone {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

// 400 frames of two channels at 8 kHz.
const Path tone = Path(HONE_SOURCE_DIR) / "tests/fixtures/run/tone.wav";

Port input(ElementType type, Shape shape) {
  return {"audio", Type::tensor(type, std::move(shape))};
}

Shape one_by(std::optional<std::int64_t> length) { return {Dim{1}, Dim{length}}; }

TEST(SoundInput, IsTheWholeSoundWhereTheLengthIsOpen) {
  const auto sound = load_sound(tone, input(ElementType::float32, one_by({})), {});
  ASSERT_TRUE(sound) << sound.error().cause;
  ASSERT_THAT(sound->pieces, SizeIs(1));
  EXPECT_THAT(sound->pieces[0]->dims, ElementsAre(1, 400));
  EXPECT_THAT(sound->notes, ElementsAre("audio: 8000 Hz as in the file, the mean of 2 channels; "
                                        "--sample-rate takes another"));
}

TEST(SoundInput, IsOfTheRateThatIsAskedFor) {
  const auto sound = load_sound(tone, input(ElementType::float32, {Dim{}}), 16000);
  ASSERT_TRUE(sound);
  EXPECT_THAT(sound->pieces[0]->dims, ElementsAre(799));
  EXPECT_THAT(sound->notes, ElementsAre("audio: 16000 Hz, the mean of 2 channels"));
}

TEST(SoundInput, IsCutIntoPiecesOfTheLengthTheInputHas) {
  const auto sound = load_sound(tone, input(ElementType::float32, one_by(150)), {});
  ASSERT_TRUE(sound);
  ASSERT_THAT(sound->pieces, SizeIs(3));
  const std::vector<double> last = *to_doubles(*sound->pieces[2]);
  EXPECT_NE(last[99], 0);
  EXPECT_EQ(last[100], 0);
  EXPECT_THAT(sound->notes,
              Contains("audio: 3 pieces of 150 samples, the last one filled up with zeros"));
}

TEST(SoundInput, IsWholeNumbersForAnInputOfThem) {
  const auto sound = load_sound(tone, input(ElementType::int16, one_by({})), {});
  ASSERT_TRUE(sound);
  const std::vector<std::int64_t> samples = *to_ints(*sound->pieces[0]);
  EXPECT_GT(*std::max_element(samples.begin(), samples.end()), 7000);
}

TEST(SoundInput, DoesNotFitFeatures) {
  const auto sound =
      load_sound(tone, input(ElementType::float32, {Dim{1}, Dim{80}, Dim{3000}}), {});
  ASSERT_FALSE(sound);
  EXPECT_THAT(sound.error().cause, HasSubstr("it takes float[1,80,3000]"));
  EXPECT_THAT(sound.error().hint, HasSubstr("spectrogram"));
}

TEST(SoundInput, ThatIsDamagedOrTooLongIsRefused) {
  const TemporaryFolder folder = *TemporaryFolder::create("sound");
  const Path file = folder.path() / "a.wav";
  const Port port = input(ElementType::float32, one_by({}));
  const std::string whole = *read_file(tone);
  for (std::size_t length = 0; length < 45; ++length) {
    ASSERT_TRUE(write_file(file, whole.substr(0, length)));
    EXPECT_FALSE(load_sound(file, port, {})) << length;
  }
  ASSERT_TRUE(write_file(file, whole.substr(0, 1000)));
  EXPECT_THAT(load_sound(file, port, {})->notes, Contains(HasSubstr("is cut short")));
  // One sample a second, and a million are wanted.
  std::string slow = whole;
  slow.replace(24, 4, std::string("\x01\0\0\0", 4));
  ASSERT_TRUE(write_file(file, slow));
  EXPECT_THAT(load_sound(file, port, 768'000).error().what, HasSubstr("would be too long"));
  EXPECT_FALSE(load_sound(tone, input(ElementType::float32, one_by(std::int64_t{1} << 40)), {}));
}

Processor processor(const std::string& config) {
  Result<Json> json = Json::parse(config);
  HONE_CHECK(json.has_value());
  auto read = read_processor(*json, {.file = "p.json", .model_type = "wav2vec2", .pictures = {}});
  HONE_CHECK(read.has_value());
  return *std::move(read);
}

TEST(ProcessedSounds, HaveToBeOfTheRateThatTheProcessorIsFor) {
  const Port port = input(ElementType::float32, one_by({}));
  const auto other = process_sound(tone, port, processor("{}"), {});
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().what, HasSubstr("is of 8000 Hz, and p.json asks for 16000 Hz"));
  const auto brought = process_sound(tone, port, processor("{}"), 16000);
  ASSERT_TRUE(brought);
  EXPECT_THAT(brought->sound->dims, ElementsAre(1, 799));
}

TEST(ProcessedSounds, AreFilledUpAndMaskedWhereTheInputIsLonger) {
  const Processor masked = processor(R"({"sampling_rate": 8000, "return_attention_mask": true})");
  const auto sound = process_sound(tone, input(ElementType::float32, one_by(500)), masked, {});
  ASSERT_TRUE(sound) << sound.error().cause;
  EXPECT_THAT(sound->sound->dims, ElementsAre(1, 500));
  ASSERT_NE(sound->mask, nullptr);
  EXPECT_EQ(std::ranges::count(*to_ints(*sound->mask), 1), 400);
  EXPECT_FALSE(process_sound(tone, input(ElementType::float32, one_by(399)), masked, {}));
  EXPECT_FALSE(process_sound(tone, input(ElementType::int64, one_by({})), masked, {}));
}

}  // namespace
}  // namespace hone
