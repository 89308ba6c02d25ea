#include "processor/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "processor/processor.h"

namespace hone {
namespace {

using testing::HasSubstr;

Result<Processor> read(const std::string& text, const std::string& model_type = "") {
  Result<Json> json = Json::parse(text);
  EXPECT_TRUE(json) << text;
  return read_processor(
      *json, {.file = "preprocessor_config.json", .model_type = model_type, .pictures = {}});
}

std::string refusal(const std::string& text) {
  const auto read_one = read(text);
  return read_one ? "it was taken" : read_one.error().what + ": " + read_one.error().cause;
}

std::string vit(const std::string& more) {
  return R"({"image_processor_type": "ViTImageProcessor", )" + more + "}";
}

TEST(ProcessorSettings, AreSaidInOneLine) {
  const auto processor = read(
      R"({"feature_extractor_type": "ConvNextFeatureExtractor", "crop_pct": 0.875, "resample": 3, "size": 224})");
  ASSERT_TRUE(processor);
  EXPECT_EQ(
      processor->describe(),
      "as preprocessor_config.json says (ConvNextFeatureExtractor): shortest edge 256 bicubic, "
      "crop 224x224, / 255, mean and std");
}

TEST(ProcessorSettings, OfClassesThatAreNotKnownAreRefusedByName) {
  EXPECT_THAT(refusal(R"({"image_processor_type": "VitPoseImageProcessor"})"),
              HasSubstr("is for VitPoseImageProcessor, which is not known"));
  EXPECT_THAT(refusal(R"({"size": 224})"), HasSubstr("does not say its class"));
  const auto other = read(R"({"size": 224})", "sam");
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().what, HasSubstr("what 'sam' has is not known"));
  EXPECT_TRUE(read(R"({"size": 224})", "vit"));
}

TEST(ProcessorSettings, AreTakenFromClassesThatOnlyTheLibraryTellsApart) {
  EXPECT_TRUE(read(R"({"image_processor_type": "ViTImageProcessorFast"})"));
  EXPECT_TRUE(read(R"({"image_processor_type": "CLIPImageProcessorPil"})"));
  EXPECT_TRUE(read(R"({"feature_extractor_type": "DetrFeatureExtractor"})"));
}

TEST(ProcessorSettings, ThatAreNotKnownAreRefusedByName) {
  EXPECT_THAT(refusal(vit(R"("do_sharpen": true)")), HasSubstr("says do_sharpen: true of ViT"));
  EXPECT_THAT(refusal(vit(R"("gamma": 2.2)")), HasSubstr("gamma: 2.2"));
  EXPECT_THAT(refusal(vit(R"("do_center_crop": true, "crop_size": 224)")),
              HasSubstr("do_center_crop: true"));
  EXPECT_TRUE(read(vit(R"("do_sharpen": false, "gamma": null, "crop_size": 224)")));
}

TEST(ProcessorSettings, OfValuesThatAreNotKnownAreRefusedByName) {
  for (const std::string bad :
       {R"("resample": 6)", R"("resample": "bicubic")", R"("size": 0)", R"("size": 99999999)",
        R"("size": -5)", R"("size": {"shortest_edge": 224})", R"("size": {"depth": 3})",
        R"("size": [1, 2, 3])", R"("size": "224")", R"("image_std": [1, 0, 1])",
        R"("image_mean": [0.5])", R"("image_mean": [0.5, "a", 0.5])",
        R"("rescale_factor": "1/255")", R"("rescale_factor": 1e300)", R"("do_resize": 1)",
        R"("do_resize": null)", R"("do_rescale": "yes")"}) {
    EXPECT_THAT(refusal(vit(bad)), HasSubstr(bad.substr(1, bad.find('"', 1) - 1))) << bad;
  }
}

TEST(ProcessorSettings, OfSoundsAreHeldToWhatIsKnown) {
  const auto whisper = [](const std::string& more) {
    return refusal(R"({"feature_extractor_type": "WhisperFeatureExtractor", )" + more + "}");
  };
  for (const std::string bad :
       {R"("dither": 0.1)", R"("padding_side": "left")", R"("n_fft": 1000000)", R"("n_fft": 1)",
        R"("hop_length": 0)", R"("hop_length": 1)", R"("chunk_length": 1e9)",
        R"("feature_size": 0)", R"("sampling_rate": 0)", R"("sampling_rate": 16000.5)",
        R"("power": 1.0)"}) {
    EXPECT_THAT(whisper(bad), HasSubstr("'preprocessor_config.json' says ")) << bad;
  }
  EXPECT_THAT(
      refusal(R"({"feature_extractor_type": "ASTFeatureExtractor", "sampling_rate": 8000})"),
      HasSubstr("sampling_rate: 8000"));
}

}  // namespace
}  // namespace hone
