// Small tokenizers of each kind, and what the published library makes of texts with them
// (tools/tokenizers/fixtures.mjs wrote both).

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/json.h"
#include "tokenize/tokenizer.h"

namespace hone::tokenize {
namespace {

Path folder_of(const std::string& name) {
  return Path(HONE_SOURCE_DIR) / "tests/fixtures/tokenizers" / name;
}

Json numbers(const std::vector<std::uint32_t>& column) {
  Json list = Json::array();
  for (const std::uint32_t number : column) list.push(number);
  return list;
}

Json words(const Encoding& encoding) {
  Json list = Json::array();
  for (const std::int32_t word : encoding.words) list.push(word);
  return list;
}

Json spans(const std::vector<Span>& column) {
  Json list = Json::array();
  for (const Span& span : column) list.push(Json(Json::Array{Json(span.begin), Json(span.end)}));
  return list;
}

// One line that says what differs, or nothing.
std::string difference(const Json& wanted, const Encoding& made) {
  const auto check = [&](const char* name, const Json& column) {
    const Json& expected = *wanted.find(name);
    if (expected == column) return std::string();
    return std::string(name) + ": wanted " + expected.dump(-1) + ", made " + column.dump(-1) + "\n";
  };
  std::string text = check("ids", numbers(made.ids)) + check("offsets", spans(made.characters)) +
                     check("words", words(made)) + check("types", numbers(made.type_ids)) +
                     check("attention", numbers(made.attention_mask)) +
                     check("special", numbers(made.special_tokens_mask));
  const Json* further = wanted.find("overflowing");
  if (further == nullptr) return text;
  const Json::Array& windows = *further->as_array();
  if (windows.size() != made.overflowing.size()) return text + "another count of windows\n";
  for (std::size_t i = 0; i < windows.size(); ++i) {
    text += difference(windows[i], made.overflowing[i]);
  }
  return text;
}

std::string try_case(const Tokenizer& tokenizer, const Json& wanted) {
  EncodeOptions options;
  options.add_special_tokens = wanted.find("plain") == nullptr;
  const std::string& text = *wanted.find("text")->as_string();
  const Json* pair = wanted.find("pair");
  const auto made = pair ? tokenizer.encode_pair(text, *pair->as_string(), options)
                         : tokenizer.encode(text, options);
  if (!made) return made.error().what + ": " + made.error().cause;
  std::string differs = difference(wanted, *made);
  if (wanted.find("decoded") == nullptr) return differs;
  for (const bool skips : {true, false}) {
    const std::string decoded = tokenizer.decode(made->ids, skips);
    const std::string& expected = *wanted.find(skips ? "decoded" : "decoded_all")->as_string();
    if (decoded != expected) differs += "decoded '" + decoded + "', not '" + expected + "'\n";
  }
  return differs;
}

class Fixtures : public testing::TestWithParam<const char*> {};

TEST_P(Fixtures, AreTokenizedAsThePublishedLibraryDoes) {
  const auto tokenizer = load_tokenizer(folder_of(GetParam()));
  ASSERT_TRUE(tokenizer) << tokenizer.error().cause;
  const auto text = read_file(folder_of(GetParam()) / "expected.json");
  ASSERT_TRUE(text);
  const auto cases = Json::parse(*text);
  ASSERT_TRUE(cases);
  ASSERT_GT(cases->as_array()->size(), 80U);
  for (const Json& wanted : *cases->as_array()) {
    EXPECT_EQ(try_case(*tokenizer, wanted), "") << wanted.dump(-1).substr(0, 200);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Fixtures,
                         testing::Values("word-piece", "byte-pairs", "byte-pairs-modern",
                                         "byte-pairs-scripts", "piece-pairs", "unigram",
                                         "word-level"));

TEST(Tokenizer, CountsBytesOfWhatWasGivenWhereItWasNoUtf8) {
  const auto tokenizer = load_tokenizer(folder_of("word-piece"));
  ASSERT_TRUE(tokenizer);
  const auto made = tokenizer->encode("hello\xFF\xE4\xBD world", {.offsets = Offsets::both});
  ASSERT_TRUE(made);
  ASSERT_EQ(made->size(), 4U);
  EXPECT_EQ(made->bytes[1], (Span{0, 5}));
  EXPECT_EQ(made->bytes[2], (Span{9, 14}));
  EXPECT_EQ(made->characters[2], (Span{8, 13}));
}

TEST(Tokenizer, ReadsTheWordsOfSpecialTokensAsTextWhereThatIsWanted) {
  const auto tokenizer = load_tokenizer(folder_of("word-piece"));
  ASSERT_TRUE(tokenizer);
  const auto made =
      tokenizer->encode("[MASK]", {.add_special_tokens = false, .read_special_tokens = false});
  ASSERT_TRUE(made);
  EXPECT_GT(made->size(), 3U);
  EXPECT_EQ(tokenizer->encode("[MASK]", {.add_special_tokens = false})->ids,
            (std::vector<std::uint32_t>{4}));
}

TEST(Tokenizer, CountsWordsThatSomebodyElseSplit) {
  const auto tokenizer = load_tokenizer(folder_of("word-piece"));
  ASSERT_TRUE(tokenizer);
  const std::vector<std::string> given{"unaffable", "", "hello"};
  const auto made = tokenizer->encode_words(given);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->words, (std::vector<std::int32_t>{no_word, 0, 0, 0, 2, no_word}));
  EXPECT_EQ(made->characters[4], (Span{0, 5}));
}

TEST(Tokenizer, PadsABatchToItsLongestText) {
  const auto tokenizer = load_tokenizer(folder_of("word-piece"));
  ASSERT_TRUE(tokenizer);
  const Tokenizer padding = tokenizer->with_padding(Padding{.multiple_of = 4});
  const std::vector<std::string> texts{"hello", "hello world hello"};
  const auto made = padding.encode_batch(texts);
  ASSERT_TRUE(made);
  EXPECT_EQ((*made)[0].size(), 8U);
  EXPECT_EQ((*made)[0].attention_mask, (std::vector<std::uint32_t>{1, 1, 1, 0, 0, 0, 0, 0}));
}

TEST(Tokenizer, KnowsTokensByTheirRole) {
  const auto tokenizer = load_tokenizer(folder_of("word-piece"));
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ(tokenizer->role("mask_token"), 4U);
  EXPECT_EQ(tokenizer->role("bos_token"), std::nullopt);
}

TEST(Tokenizer, RefusesWindowsThatShareMoreThanTheyHold) {
  const auto tokenizer = load_tokenizer(folder_of("word-piece"));
  ASSERT_TRUE(tokenizer);
  const auto made = tokenizer->with_truncation(Truncation{.max_length = 8, .stride = 7});
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().cause.find("2 are added to each"), std::string::npos);
}

TEST(DecodeStream, HoldsBackBytesUntilTheyAreACharacter) {
  const auto tokenizer = load_tokenizer(folder_of("byte-pairs"));
  ASSERT_TRUE(tokenizer);
  const auto made = tokenizer->encode("hello 界é!");
  ASSERT_TRUE(made);
  DecodeStream stream(*tokenizer);
  std::string text;
  for (const std::uint32_t id : made->ids) {
    const std::string added = stream.step(id);
    EXPECT_EQ(added.find("\xEF\xBF\xBD"), std::string::npos);
    text += added;
  }
  EXPECT_EQ(text + stream.finish(), "hello 界é!");
}

}  // namespace
}  // namespace hone::tokenize
