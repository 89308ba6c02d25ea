// What a family cannot take is said by the name of the switch.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checkpoint/family.h"

namespace hone {
namespace {

using testing::Contains;
using testing::StartsWith;

struct Refusal {
  const char* config;
  const char* task;
  const char* problem;  // how one of them begins
};

constexpr Refusal refusals[] = {
    {R"({"model_type": "clip", "text_config": {"is_causal": false}, "vision_config": {}})",
     "feature-extraction", "config.json: text_config.is_causal is false: "},
    {R"({"model_type": "clip", "text_config": {"eos_token_id": [2, 3]}, "vision_config": {}})",
     "feature-extraction", "config.json: text_config.eos_token_id is [2,3]: "},
    {R"({"model_type": "clip", "text_config": {}, "vision_config": {"patch_size": 225}})",
     "feature-extraction", "config.json: vision_config.patch_size is 225: "},
    {R"({"model_type": "clip_text_model"})", "image-classification",
     "config.json: model_type is \"clip_text_model\": "},
    {R"({"model_type": "siglip", "text_config": {}, "vision_config": {"vision_use_head": false}})",
     "feature-extraction", "config.json: vision_config.vision_use_head is false: "},
    {R"({"model_type": "siglip", "text_config": {"projection_size": 9}, "vision_config": {}})",
     "feature-extraction", "config.json: text_config.projection_size is 9: "},
    {R"({"model_type": "owlvit", "projection_dim": 9, "text_config": {}, "vision_config": {}})",
     "zero-shot-object-detection", "config.json: projection_dim is 9: "},
    {R"({"model_type": "blip", "text_config": {"is_decoder": false}, "vision_config": {}})",
     "image-to-text", "config.json: text_config.is_decoder is false: "},
    {R"({"model_type": "blip", "text_config": {}, "vision_config": {"num_channels": 1}})",
     "image-to-text", "config.json: vision_config.num_channels is 1: "},
    {R"({"model_type": "wav2vec2", "conv_stride": [5, 2]})", "feature-extraction",
     "config.json: conv_dim, conv_stride and conv_kernel have to be as many sizes"},
    {R"({"model_type": "wav2vec2", "num_feat_extract_layers": 4})", "feature-extraction",
     "config.json: num_feat_extract_layers is 4: "},
    {R"({"model_type": "wav2vec2", "tdnn_kernel": [5, -3]})", "audio-xvector",
     "config.json: tdnn_dim, tdnn_kernel and tdnn_dilation have to be as many sizes"},
    {R"({"model_type": "wav2vec2", "add_adapter": true})", "audio-classification",
     "config.json: add_adapter is true: "},
    {R"({"model_type": "hubert", "add_adapter": true})", "feature-extraction",
     "config.json: add_adapter is true: "},
    {R"({"model_type": "hubert"})", "audio-xvector", "config.json: model_type is \"hubert\": "},
    {R"({"model_type": "audio-spectrogram-transformer", "head_dim": 4})", "feature-extraction",
     "config.json: head_dim is 4: "},
    {R"({"model_type": "audio-spectrogram-transformer", "max_length": 8})", "feature-extraction",
     "config.json: max_length is 8: "},
};

TEST(Families, NameTheSwitchThatTheyCannotTake) {
  for (const Refusal& refusal : refusals) {
    Problems problems;
    const Config config(Json::parse(refusal.config).value(), problems);
    const Family* family = find_family(config.word("model_type"));
    ASSERT_NE(family, nullptr) << refusal.config;
    Weights weights({});
    Net net({}, weights, problems);
    const std::string part = family->parts ? family->parts(config, refusal.task).front() : "model";
    family->write(net, config, {.task = refusal.task, .part = part});
    EXPECT_THAT(problems.said(), Contains(StartsWith(refusal.problem)));
  }
}

}  // namespace
}  // namespace hone
