#include "generate/settings.h"

#include <gmock/gmock.h>

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

GenerationSettings read(const char* config, const char* generation) {
  auto settings = read_generation_settings(
      *Json::parse(config), generation == nullptr ? Json() : *Json::parse(generation));
  EXPECT_TRUE(settings) << settings.error().what;
  return *std::move(settings);
}

TEST(Settings, GoByGenerationConfigAndElseByTheConfigurationAndItsDecoder) {
  const char* config = R"({"eos_token_id": 3, "decoder": {"pad_token_id": 4},
                           "max_position_embeddings": 64})";
  const GenerationSettings both = read(config, R"({"eos_token_id": [1, 2]})");
  EXPECT_THAT(both.ends, ElementsAre(1, 2));
  EXPECT_EQ(both.padding, std::nullopt) << "a generation_config.json is all there is";
  EXPECT_EQ(both.context, 64);
  const GenerationSettings old = read(config, nullptr);
  EXPECT_THAT(old.ends, ElementsAre(3));
  EXPECT_EQ(old.padding, 4);
}

TEST(Settings, WhisperBeginsWithLanguageAndTask) {
  const GenerationSettings said =
      read("{}", R"({"decoder_start_token_id": 10, "forced_decoder_ids": [[1, null], [2, 30]],
                "lang_to_id": {"<|de|>": 22, "<|en|>": 21}, "no_timestamps_token_id": 40,
                "suppress_tokens": [5], "begin_suppress_tokens": [6]})");
  ASSERT_EQ(said.opening.size(), 4u);
  EXPECT_EQ(said.opening[0].id, 10);
  EXPECT_THAT(said.opening[1].among, ElementsAre(21, 22));
  EXPECT_EQ(said.opening[2].id, 30);
  EXPECT_EQ(said.opening[3].id, 40);
  EXPECT_THAT(said.never, ElementsAre(5));
  EXPECT_THAT(said.never_first, ElementsAre(6));
  const GenerationSettings newer =
      read("{}", R"({"decoder_start_token_id": 10, "lang_to_id": {"<|en|>": 21},
                     "task_to_id": {"transcribe": 30}, "no_timestamps_token_id": 40})");
  EXPECT_EQ(newer.opening.size(), 4u);
  const GenerationSettings english =
      read("{}", R"({"decoder_start_token_id": 10, "lang_to_id": {"<|en|>": 21},
                     "task_to_id": {"transcribe": 30}, "no_timestamps_token_id": 40,
                     "is_multilingual": false})");
  EXPECT_EQ(english.opening.size(), 2u);
}

TEST(Settings, OthersBeginWithOneToken) {
  EXPECT_EQ(read("{}", R"({"decoder_start_token_id": 2, "bos_token_id": 0})").opening[0].id, 2);
  EXPECT_EQ(read("{}", R"({"bos_token_id": 0})").opening[0].id, 0);
  EXPECT_THAT(read("{}", "{}").opening, IsEmpty());
}

TEST(Settings, SayWhatIsNotDone) {
  const GenerationSettings said =
      read("{}", R"({"do_sample": true, "bad_words_ids": [[7], [8, 9]]})");
  EXPECT_THAT(said.never, ElementsAre(7));
  EXPECT_THAT(said.notes, ElementsAre(HasSubstr("several tokens"), HasSubstr("do_sample")));
}

TEST(Settings, T5HasPlacesForAnyNumberOfTokens) {
  EXPECT_EQ(read(R"({"model_type": "t5", "n_positions": 512})", "{}").context, 0);
  EXPECT_EQ(read(R"({"model_type": "gpt2", "n_positions": 512})", "{}").context, 512);
}

TEST(Settings, BlipEndsWithTheSeparatorOfItsWords) {
  const char* config = R"({"model_type": "blip", "text_config": {"sep_token_id": 102}})";
  EXPECT_THAT(read(config, R"({"eos_token_id": 2})").ends, ElementsAre(102));
}

TEST(Settings, RefuseWhatIsNoTokenOrCannotBe) {
  const auto refused = [](const char* generation) {
    return read_generation_settings(Json::object(), *Json::parse(generation)).error().what;
  };
  EXPECT_THAT(refused(R"({"eos_token_id": "end"})"), HasSubstr("eos_token_id"));
  EXPECT_THAT(refused(R"({"num_beams": 0})"), HasSubstr("cannot be meant"));
  EXPECT_THAT(refused(R"({"bos_token_id": 0, "forced_decoder_ids": [[5, 1]]})"),
              HasSubstr("forced_decoder_ids"));
}

}  // namespace
}  // namespace hone
