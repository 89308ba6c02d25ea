#include <gtest/gtest.h>

#include "base/file.h"
#include "tokenize/other_files.h"
#include "tokenize/pattern.h"
#include "tokenize/tokenizer.h"
#include "tokenize/trie.h"
#include "tokenize/utf8.h"

namespace hone::tokenize {
namespace {

std::string with_model(const std::string& model, const std::string& more = "") {
  return R"({"version":"1.0","model":)" + model + more + "}";
}
constexpr const char* level = R"({"type":"WordLevel","unk_token":"a","vocab":{"a":0}})";

std::string cause_of(const std::string& json) {
  const auto made = Tokenizer::parse(json);
  return made ? "" : made.error().cause;
}

TEST(Hostile, WhatIsNotKnownIsRefusedByName) {
  EXPECT_EQ(cause_of(with_model(R"({"type":"Markov"})")),
            "it has the model 'Markov', which hone does not know");
  EXPECT_EQ(cause_of(with_model(level, R"(,"normalizer":{"type":"Rot13"})")),
            "it has the normalizer 'Rot13', which hone does not know");
  EXPECT_EQ(cause_of(with_model(level, R"(,"pre_tokenizer":{"type":"Mecab"})")),
            "it has the pre-tokenizer 'Mecab', which hone does not know");
  EXPECT_EQ(cause_of(with_model(level, R"(,"decoder":{"type":"Beam"})")),
            "it has the decoder 'Beam', which hone does not know");
  EXPECT_EQ(cause_of(with_model(level, R"(,"post_processor":{"type":"X"})")),
            "it has the post-processor 'X', which hone does not know");
  EXPECT_EQ(cause_of(R"({"version":"2.0"})"), "it is of version '2.0', and hone knows 1.0");
}

TEST(Hostile, DropoutIsRefused) {
  const std::string model = R"({"type":"BPE","dropout":0.1,"vocab":{"a":0},"merges":[]})";
  EXPECT_NE(cause_of(with_model(model)).find("dropout"), std::string::npos);
}

TEST(Hostile, IdsThatAreTooLargeAreRefused) {
  const std::string model = R"({"type":"WordLevel","unk_token":"a","vocab":{"a":4294967295}})";
  EXPECT_EQ(cause_of(with_model(model)), "the token 'a' has the id 4294967295");
}

TEST(Hostile, MergesOfTokensThatAreNotThereAreRefused) {
  const std::string model = R"({"type":"BPE","vocab":{"a":0,"b":1},"merges":["a b"]})";
  EXPECT_EQ(cause_of(with_model(model)), "'ab' is no token of the vocabulary");
}

TEST(Hostile, DeepSequencesAreRefused) {
  std::string deep = R"({"type":"Lowercase"})";
  for (int i = 0; i < 40; ++i) deep = R"({"type":"Sequence","normalizers":[)" + deep + "]}";
  EXPECT_NE(cause_of(with_model(level, ",\"normalizer\":" + deep)).find("16 sequences deep"),
            std::string::npos);
}

TEST(Hostile, AMissingUnknownTokenIsAnErrorAndNoCrash) {
  const auto tokenizer =
      Tokenizer::parse(with_model(R"({"type":"WordLevel","unk_token":"x","vocab":{"a":0}})"));
  ASSERT_TRUE(tokenizer);
  const auto made = tokenizer->encode("b");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().cause, "the unknown token 'x' is not in the vocabulary");
}

TEST(Hostile, RulesThatAreCutShortAreRefused) {
  EXPECT_NE(
      cause_of(with_model(
          level, R"(,"normalizer":{"type":"Precompiled","precompiled_charsmap":"/////w=="})")),
      "");
}

std::vector<std::string> matches(std::string_view regex, std::string_view text) {
  const auto pattern = Pattern::compile(regex);
  EXPECT_TRUE(pattern) << pattern.error().cause;
  std::vector<std::string> found;
  std::vector<Aligned::Part> parts;
  if (!pattern || !pattern->find_all(text, parts)) return {"error"};
  for (const Aligned::Part& part : parts) {
    if (part.is_match) found.emplace_back(text.substr(part.begin, part.end - part.begin));
  }
  return found;
}

using Found = std::vector<std::string>;

TEST(Pattern, MatchesAsOnigurumaDoes) {
  EXPECT_EQ(matches(R"(\p{L}+|\p{N}{1,3}|\s+(?!\S)|\s+)", "ab12345  é"),
            (Found{"ab", "123", "45", " ", " ", "é"}));
  EXPECT_EQ(matches("(?i:'s|'LL)", "x'S y'll 'ſ"), (Found{"'S", "'ll", "'ſ"}));
  EXPECT_EQ(matches("a++b|a+?", "aaab aaa"), (Found{"aaab", "a", "a", "a"}));
  EXPECT_EQ(matches("(?<=a)b|(?<!a)c", "ab ac c"), (Found{"b", "c"}));
  EXPECT_EQ(matches(R"([\p{L}&&[^\p{Lu}]]+)", "aBc"), (Found{"a", "c"}));
  EXPECT_EQ(matches("(ab|a)(?>bc|b)c", "abcc abc"), (Found{"abcc"}));
  EXPECT_EQ(matches("^a|b$", "a\nb\na"), (Found{"a", "b", "a"}));
  EXPECT_EQ(matches(R"([^\r\n]+)", "a\nb"), (Found{"a", "b"}));
  EXPECT_EQ(matches(R"(\bé\b|\x41|\u00e9)", "é A é"), (Found{"é", "A", "é"}));
  EXPECT_EQ(matches("(?:a|b){2,3}?", "abab"), (Found{"ab", "ab"}));
  EXPECT_EQ(matches(R"(\p{Han}+|[[:punct:]])", "你好!"), (Found{"你好", "!"}));
  EXPECT_EQ(matches("x*", "ax"), (Found{"", "x"}));
}

TEST(Pattern, RefusesByNameWhatItDoesNotMatch) {
  for (const char* regex : {R"((a)\1)", R"(\X)", R"(\p{Nonsense})", "(a", "a)", "[a", "*a", R"(\K)",
                            "(?<=a+)b", "(?(1)a|b)", "[b-a]", "a{2000}"}) {
    const auto pattern = Pattern::compile(regex);
    EXPECT_FALSE(pattern) << regex;
  }
  const auto pattern = Pattern::compile(std::string(1000, '(') + std::string(1000, ')'));
  ASSERT_FALSE(pattern);
  EXPECT_EQ(pattern.error().cause, "it has groups more than 64 deep");
}

TEST(Pattern, EndsInAnErrorWhereItExplodes) {
  const auto pattern = Pattern::compile("(?:a|a)*b");
  ASSERT_TRUE(pattern);
  std::vector<Aligned::Part> parts;
  const Status status = pattern->find_all(std::string(40, 'a'), parts);
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().cause.find("a thousand steps"), std::string::npos);
}

TEST(Pattern, EndsWhereALoopReadsNothing) {
  EXPECT_EQ(matches("(?:a*)*b", "aab"), (Found{"aab"}));
  EXPECT_EQ(matches("(?:)*", "a"), (Found{"", ""}));
}

TEST(Utf8, IsRepairedAsBrowsersDo) {
  EXPECT_EQ(repaired("a\xFF"
                     "b"),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(repaired("\xE4\xBD"), "\xEF\xBF\xBD");
  EXPECT_EQ(repaired("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(repaired("\xF0\x9F\x98"
                     "x"),
            "\xEF\xBF\xBD"
            "x");
  EXPECT_EQ(valid_prefix("0123456789\xC3\xA9\xC0"), 12U);
}

TEST(Trie, FindsWhatItWasMadeOf) {
  const Trie trie({{"a", 1}, {"ab", 2}, {"b\xFF", 3}, {"ab", 4}, {"", 9}});
  EXPECT_EQ(trie.value(trie.walk("a")), 1U);
  EXPECT_EQ(trie.value(trie.walk("ab")), 4U);
  EXPECT_EQ(trie.value(trie.walk("b\xFF")), 3U);
  EXPECT_EQ(trie.value(trie.walk("b")), Trie::none);
  EXPECT_EQ(trie.walk("c"), Trie::none);
}

TEST(OtherFiles, AVocabularyIsABertTokenizer) {
  const auto json = word_piece_json("[PAD]\n[UNK]\n[CLS]\n[SEP]\nhello\n##s\n", Json::object());
  ASSERT_TRUE(json);
  const auto tokenizer = Tokenizer::parse(json->dump(-1));
  ASSERT_TRUE(tokenizer) << tokenizer.error().cause;
  const auto made = tokenizer->encode("Hellos");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->ids, (std::vector<std::uint32_t>{2, 4, 5, 3}));
}

TEST(OtherFiles, BrokenModelsAreRefused) {
  for (const char* bytes : {"", "\x0A", "\x0A\xFF\xFF\xFF\xFF\x0F", "\xFF\xFF\xFF"}) {
    EXPECT_FALSE(sentence_piece_json(bytes));
  }
}

// pieces {<unk>, a, b, ab}, of the type BPE.
TEST(OtherFiles, MergesOfASentencePieceModelFollowItsScores) {
  const std::string bytes(
      "\x0A\x09\x0A\x05<unk>\x18\x02"
      "\x0A\x0A\x0A\x03\xE2\x96\x81\x15\x00\x00\x80\xC0"
      "\x0A\x08\x0A\x01"
      "a\x15\x00\x00\x00\xC0"
      "\x0A\x09\x0A\x02"
      "aa\x15\x00\x00\x80\xBF"
      "\x12\x02\x18\x02",
      11 + 12 + 10 + 11 + 4);
  const auto json = sentence_piece_json(bytes);
  ASSERT_TRUE(json) << json.error().cause;
  const auto tokenizer = Tokenizer::parse(json->dump(-1));
  ASSERT_TRUE(tokenizer) << tokenizer.error().cause;
  const auto made = tokenizer->encode("aaa");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->ids, (std::vector<std::uint32_t>{1, 3, 2}));
}

}  // namespace
}  // namespace hone::tokenize
