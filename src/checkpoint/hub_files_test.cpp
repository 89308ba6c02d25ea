#include "checkpoint/hub_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checkpoint/hub.h"

namespace hone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

using Names = std::vector<std::string>;

std::string hub_refusal(const Names& names) {
  const auto wanted = hub::choose_files("org/tiny", names);
  return wanted ? "taken"
                : wanted.error().what + " | " + wanted.error().cause + " | " + wanted.error().hint;
}

TEST(HubId, IsAnOrganizationAModelAndARevision) {
  const auto id = parse_hub_id("org/name-1.5_b@refs/pr/1");
  ASSERT_TRUE(id);
  EXPECT_EQ(id->repository, "org/name-1.5_b");
  EXPECT_EQ(id->revision, "refs/pr/1");
  EXPECT_EQ(text_of(*id), "org/name-1.5_b@refs/pr/1");
  EXPECT_EQ(text_of(*parse_hub_id("gpt2")), "gpt2");
  EXPECT_EQ(parse_hub_id("gpt2")->revision, "main");
}

TEST(HubId, RefusesWhatIsNoNameOnAHub) {
  for (const char* text : {"",
                           "/",
                           "org/",
                           "/name",
                           "a/b/c",
                           "..",
                           "../name",
                           "org/..",
                           "org/a..b",
                           "org/a--b",
                           "org\\name",
                           "org/na me",
                           "org/name\n",
                           "org/\x1b[31m",
                           "org/-name",
                           "org/name.",
                           "org/name.git",
                           "org/n\xc3\xa4me",
                           "org/name@",
                           "org/name@..",
                           "org/name@a/../b",
                           "org/name@/a",
                           "org/name@a//b",
                           "org/name@.hidden",
                           "org/name@a\\b",
                           "org/name@a b",
                           "org/name@a\tb",
                           "org/name@main.lock",
                           "org/name@a:b",
                           "./name"}) {
    const auto id = parse_hub_id(text);
    ASSERT_FALSE(id) << text;
    EXPECT_EQ(id.error().fault, Fault::bad_input);
    EXPECT_EQ(id.error().what.find('\x1b'), std::string::npos);
  }
  EXPECT_FALSE(parse_hub_id("org/" + std::string(97, 'a')));
  EXPECT_FALSE(parse_hub_id("org/name@" + std::string(201, 'a')));
  EXPECT_FALSE(parse_hub_id(std::string_view("org/na\0me", 9)));
}

TEST(HubFiles, AreTheConfigurationTheTokenizerAndTheWeights) {
  const auto wanted = hub::choose_files(
      "org/tiny", Names{"README.md", "config.json", "merges.txt", "model.safetensors",
                        "onnx/model.onnx", "pytorch_model.bin", "special_tokens_map.json",
                        "spiece.model", "sub/config.json", "tf_model.h5", "vocab.json"});
  ASSERT_TRUE(wanted);
  EXPECT_FALSE(wanted->has_index);
  EXPECT_THAT(wanted->files,
              UnorderedElementsAre("config.json", "merges.txt", "special_tokens_map.json",
                                   "spiece.model", "vocab.json", "model.safetensors"));
}

TEST(HubFiles, AreAnIndexWhereTheWeightsAreSeveralFiles) {
  const auto wanted = hub::choose_files(
      "org/tiny", Names{"config.json", "model-00001-of-00002.safetensors",
                        "model-00002-of-00002.safetensors", "model.safetensors.index.json"});
  ASSERT_TRUE(wanted);
  EXPECT_TRUE(wanted->has_index);
  EXPECT_THAT(wanted->files, ElementsAre("config.json", "model.safetensors.index.json"));
}

TEST(HubFiles, AreOnnxModelsWithTheirDataWhereThereIsNothingElse) {
  const auto usual = hub::choose_files(
      "org/tiny", Names{"config.json", "onnx/model.onnx", "onnx/model.onnx_data",
                        "onnx/model.onnx_data_1", "onnx/model_fp16.onnx",
                        "onnx/model_fp16.onnx_data", "onnx/model_q4.onnx", "pytorch_model.bin"});
  ASSERT_TRUE(usual);
  EXPECT_THAT(usual->files, ElementsAre("config.json", "onnx/model.onnx", "onnx/model.onnx_data",
                                        "onnx/model.onnx_data_1"));
  const auto parts = hub::choose_files(
      "org/tiny", Names{"onnx/decoder_model.onnx", "onnx/decoder_model_int8.onnx",
                        "onnx/encoder_model.onnx", "onnx/encoder_model_quantized.onnx"});
  ASSERT_TRUE(parts);
  EXPECT_THAT(parts->files, ElementsAre("onnx/decoder_model.onnx", "onnx/encoder_model.onnx"));
  const auto alone = hub::choose_files("org/tiny", Names{"deep/net.data", "deep/net.onnx"});
  ASSERT_TRUE(alone);
  EXPECT_THAT(alone->files, ElementsAre("deep/net.onnx", "deep/net.data"));
}

TEST(HubFiles, AreRefusedByNameWhereThereAreOnlyPickles) {
  const std::string said = hub_refusal({"config.json", "pytorch_model.bin"});
  EXPECT_THAT(said, HasSubstr("'org/tiny' has no weights that can be read"));
  EXPECT_THAT(said, HasSubstr("pytorch_model.bin"));
  EXPECT_THAT(said, HasSubstr("reading a pickle runs what is written in it"));
  EXPECT_THAT(said, HasSubstr("save_pretrained"));
}

TEST(HubFiles, AreRefusedWithWhatThereIsInstead) {
  EXPECT_THAT(hub_refusal({"adapter_model.safetensors"}), HasSubstr("it is an adapter"));
  EXPECT_THAT(hub_refusal({"model-q4.gguf"}), HasSubstr("GGUF"));
  EXPECT_THAT(hub_refusal({}), HasSubstr("it is empty"));
  EXPECT_THAT(hub_refusal({"README.md"}), HasSubstr("it has README.md"));
  EXPECT_THAT(hub_refusal({"unet/diffusion.safetensors"}), HasSubstr("unet/diffusion.safetensors"));
  EXPECT_THAT(hub_refusal({"model.safetensors"}), HasSubstr("no config.json"));
}

TEST(HubFiles, HaveNamesThatStayBelowTheirFolder) {
  for (const char* name : {"a", "a/b.c", "a..b/..c", "ä/ö", "a b"})
    EXPECT_TRUE(hub::is_file_name(name)) << name;
  for (const char* name : {"", "/a", "a/", "a//b", "..", "../a", "a/../b", "./a", "a/.", "a\\b",
                           "a\nb", "\x1b[2J", "\xff"})
    EXPECT_FALSE(hub::is_file_name(name)) << name;
  EXPECT_FALSE(hub::is_file_name(std::string_view("a\0b", 3)));
  EXPECT_FALSE(hub::is_file_name(std::string(256, 'a')));
}

TEST(HubFiles, OfAnIndexAreOnTheListAndBelowItsFolder) {
  const Names there = {"a.safetensors", "b.safetensors"};
  EXPECT_THAT(*hub::shards_of_index(
                  R"({"weight_map": {"x": "b.safetensors", "y": "a.safetensors",
                                     "z": "b.safetensors"}})",
                  there),
              ElementsAre("a.safetensors", "b.safetensors"));
  for (const char* index :
       {"", "[]", "{}", R"({"weight_map": {}})", R"({"weight_map": {"x": 1}})",
        R"({"weight_map": {"x": "../a.safetensors"}})", R"({"weight_map": {"x": "c.safetensors"}})",
        R"({"weight_map": {"x": "a.bin"}})"})
    EXPECT_FALSE(hub::shards_of_index(index, there)) << index;
}

}  // namespace
}  // namespace hone
