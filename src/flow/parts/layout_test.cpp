#include "flow/parts/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> parts_of(const std::vector<std::string>& files) {
  std::vector<std::string> parts;
  const auto composite = composite_of_names(files);
  for (const CompositePart& part : composite ? composite->parts : std::vector<CompositePart>())
    parts.push_back(part.part + " in " + part.file);
  return parts;
}

TEST(ALayout, OfAnEncoderAndDecodersIsInTheOrderInWhichTheyRun) {
  EXPECT_THAT(
      parts_of({"decoder_model.onnx", "decoder_with_past_model.onnx", "encoder_model.onnx"}),
      ElementsAre("encoder_model in encoder_model.onnx", "decoder_model in decoder_model.onnx",
                  "decoder_with_past_model in decoder_with_past_model.onnx"));
}

TEST(ALayout, OfTwoTowersIsOneThing) {
  EXPECT_THAT(parts_of({"text_model.onnx", "vision_model.onnx"}),
              ElementsAre("text_model in text_model.onnx", "vision_model in vision_model.onnx"));
}

TEST(ALayout, TakesAMergedDecoderWhereTheTwoItStandsForAreNot) {
  EXPECT_THAT(parts_of({"decoder_model_merged.onnx", "encoder_model.onnx"}),
              ElementsAre("encoder_model in encoder_model.onnx",
                          "decoder_model_merged in decoder_model_merged.onnx"));
  const auto all =
      composite_of_names({"decoder_model.onnx", "decoder_model_merged.onnx", "encoder_model.onnx"});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->parts.size(), 2U);
  EXPECT_THAT(all->variants, ElementsAre("decoder_model_merged.onnx"));
}

TEST(ALayout, TakesOtherFormsOfAPartForVariants) {
  const auto all = composite_of_names({"decoder_model.onnx", "decoder_model_quantized.onnx",
                                       "encoder_model.onnx", "encoder_model_fp16.onnx"});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->parts.size(), 2U);
  EXPECT_THAT(all->variants,
              ElementsAre("decoder_model_quantized.onnx", "encoder_model_fp16.onnx"));
}

TEST(ALayout, TakesTheOnlyFormOfAPartForThePart) {
  EXPECT_THAT(parts_of({"decoder_model_merged_q4.onnx", "encoder_model_quantized.onnx"}),
              ElementsAre("encoder_model in encoder_model_quantized.onnx",
                          "decoder_model_merged in decoder_model_merged_q4.onnx"));
}

TEST(ALayout, OfModelsThatNobodyCallsPartsIsNone) {
  EXPECT_THAT(parts_of({"another.onnx", "other.onnx"}), IsEmpty());
  EXPECT_THAT(parts_of({"encoder_model.onnx", "encoder_model_fp16.onnx"}), IsEmpty());
}

TEST(Parts, HandEachOtherWhatTheirNamesSay) {
  const auto feeds = feeds_between(
      {{"encoder_model", {"input_ids"}, {"last_hidden_state"}},
       {"decoder_model", {"input_ids", "encoder_hidden_states"}, {"logits", "present.0.key"}},
       {"decoder_with_past_model", {"input_ids", "past_key_values.0.key"}, {"present.0.key"}}});
  std::vector<std::string> told;
  for (const CompositeFeed& feed : feeds)
    told.push_back(feed.from + ":" + feed.output + ">" + feed.to + ":" + feed.input);
  EXPECT_THAT(
      told,
      ElementsAre("encoder_model:last_hidden_state>decoder_model:encoder_hidden_states",
                  "decoder_model:present.*>decoder_with_past_model:past_key_values.*",
                  "decoder_with_past_model:present.*>decoder_with_past_model:past_key_values.*"));
}

class AManifest : public testing::Test {
 protected:
  std::string refused(const std::string& parts) const {
    EXPECT_TRUE(write_file(folder_.path() / composite_name,
                           "{\"schema_version\": 1, \"parts\": [" + parts + "]}"));
    const auto read = read_composite(folder_.path());
    EXPECT_FALSE(read);
    return read ? std::string() : read.error().what;
  }
  TemporaryFolder folder_ = TemporaryFolder::create("parts").value();
};

TEST_F(AManifest, IsReadAsItWasWritten) {
  const Composite composite{.parts = {{"a", "a.onnx"}, {"b", "b/model.onnx"}},
                            .feeds = {{"a", "x", "b", "y"}}};
  ASSERT_TRUE(write_composite(folder_.path(), composite));
  const auto read = read_composite(folder_.path());
  ASSERT_TRUE(read) << read.error().what;
  ASSERT_TRUE(*read);
  EXPECT_EQ(to_json(**read), to_json(composite));
}

TEST_F(AManifest, ThatIsNotThereIsNone) {
  const auto read = read_composite(folder_.path());
  ASSERT_TRUE(read);
  EXPECT_FALSE(*read);
}

TEST_F(AManifest, NamesFilesOfItsFolderAlone) {
  EXPECT_THAT(refused(R"({"part": "a", "file": "../a.onnx"})"),
              HasSubstr("would leave the folder"));
  EXPECT_THAT(refused(R"({"part": "a", "file": "/a.onnx"})"), HasSubstr("would leave the folder"));
}

TEST_F(AManifest, HasPartsWithNamesOfTheirOwn) {
  EXPECT_THAT(refused(""), HasSubstr("it has no parts"));
  EXPECT_THAT(refused(R"({"part": "../a", "file": "a.onnx"})"), HasSubstr("can be no part"));
  EXPECT_THAT(refused(R"({"part": "..", "file": "a.onnx"})"), HasSubstr("can be no part"));
  EXPECT_THAT(refused(R"({"part": "a", "file": "a.onnx"}, {"part": "a", "file": "b.onnx"})"),
              HasSubstr("can be no part"));
}

}  // namespace
}  // namespace hone
