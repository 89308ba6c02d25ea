// What a file or a picture may be and should not: nothing of it takes more memory than it may.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "processor/processor.h"
#include "processor/samples_for_tests.h"

namespace hone {
namespace {

using testing::HasSubstr;

Processor read(const std::string& text) {
  Result<Json> json = Json::parse(text);
  HONE_CHECK(json.has_value());
  Result<Processor> processor =
      read_processor(*json, {.file = "p.json", .model_type = {}, .pictures = {}});
  HONE_CHECK(processor.has_value());
  return *std::move(processor);
}

std::string outcome(const std::string& text, const Image& picture) {
  const auto made = prepare_picture(*read(text).picture(), picture);
  return made ? to_string(made->size) : made.error().what + ": " + made.error().cause;
}

TEST(HostilePictures, OfOnePixelAreTakenByEveryKind) {
  for (const ProcessorKind& kind : all_processors()) {
    if (!kind.picture) continue;
    const std::string text = R"({"image_processor_type": ")" + std::string(kind.name) + "\"}";
    EXPECT_THAT(outcome(text, sample_picture(1, 1)), testing::MatchesRegex("[0-9]+x[0-9]+"))
        << kind.name;
  }
}

TEST(HostilePictures, ThatWouldBecomeHugeAreRefused) {
  const Image line = sample_picture(1, 4000);
  EXPECT_THAT(outcome(R"({"image_processor_type": "CLIPImageProcessor"})", line),
              HasSubstr("the picture would be 896000x224 after it is resized"));
  EXPECT_THAT(outcome(R"({"image_processor_type": "CLIPImageProcessor", "do_resize": false,
                          "crop_size": 16384})",
                      line),
              HasSubstr("the picture would be 16384x16384 after it is cropped"));
  EXPECT_THAT(outcome(R"({"image_processor_type": "DPTImageProcessor", "do_resize": false,
                          "do_pad": true, "size_divisor": 16384})",
                      sample_picture(16384, 1)),
              HasSubstr("the picture would be 16384x16384 after it is padded"));
}

TEST(HostilePictures, ThatWouldBecomeNothingAreRefused) {
  EXPECT_THAT(outcome(R"({"image_processor_type": "YolosImageProcessor",
                          "size": {"shortest_edge": 8, "longest_edge": 8}})",
                      sample_picture(9, 9)),
              HasSubstr("it would have no pixels"));
  EXPECT_THAT(outcome(R"({"image_processor_type": "DetrImageProcessor",
                          "size": {"max_height": 1, "max_width": 1}})",
                      sample_picture(3, 400)),
              HasSubstr("would be 1x0"));
}

TEST(HostilePictures, LargerThanWhatTheyArePaddedToAreRefused) {
  EXPECT_THAT(outcome(R"({"image_processor_type": "DetrImageProcessor", "do_resize": false,
                          "pad_size": {"height": 5, "width": 50}})",
                      sample_picture(9, 9)),
              HasSubstr("a picture of 9x9 cannot be padded to 5x50"));
}

TEST(HostileSounds, OfOneSampleAreTakenOrRefused) {
  const std::vector<double> one = {0.5};
  for (const ProcessorKind& kind : all_processors()) {
    if (kind.sound == nullptr) continue;
    const Processor processor =
        read(R"({"feature_extractor_type": ")" + std::string(kind.name) + "\"}");
    const auto made = processor.sound()->prepare(one, std::nullopt);
    if (kind.name == "ASTFeatureExtractor") {
      ASSERT_FALSE(made);
      EXPECT_THAT(made.error().what, HasSubstr("1 samples, and a frame has 400"));
    } else {
      EXPECT_TRUE(made) << kind.name;
    }
  }
}

TEST(HostileSounds, OfSilenceHaveNoInfinities) {
  const std::vector<double> silence(800, 0.0);
  for (const ProcessorKind& kind : all_processors()) {
    if (kind.sound == nullptr) continue;
    const auto made = read(R"({"feature_extractor_type": ")" + std::string(kind.name) + "\"}")
                          .sound()
                          ->prepare(silence, std::nullopt);
    ASSERT_TRUE(made) << kind.name;
    EXPECT_THAT(made->values,
                testing::Each(testing::Truly([](float value) { return std::isfinite(value); })))
        << kind.name;
  }
}

TEST(Waveforms, AreFilledUpAsTheMaskSays) {
  const std::vector<double> samples = {1, 3};
  const auto with_mask =
      read(
          R"({"feature_extractor_type": "Wav2Vec2FeatureExtractor", "return_attention_mask": true})")
          .sound()
          ->prepare(samples, 4);
  ASSERT_TRUE(with_mask);
  EXPECT_THAT(with_mask->mask, testing::ElementsAre(1, 1, 0, 0));
  EXPECT_THAT(with_mask->values, testing::Pointwise(testing::FloatNear(1e-6F), {-1, 1, 0, 0}));
  // Without one, what fills up counts for the mean.
  const auto without = read(R"({"feature_extractor_type": "Wav2Vec2FeatureExtractor"})")
                           .sound()
                           ->prepare(samples, 4);
  ASSERT_TRUE(without);
  EXPECT_THAT(without->values,
              testing::Pointwise(testing::FloatNear(1e-5F), {0.0, 1.632993, -0.816497, -0.816497}));
  EXPECT_FALSE(read(R"({"feature_extractor_type": "Wav2Vec2FeatureExtractor"})")
                   .sound()
                   ->prepare(samples, 1));
}

}  // namespace
}  // namespace hone
