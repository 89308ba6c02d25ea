#include "inspect/eval/ctc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace hone {
namespace {

using testing::HasSubstr;

const Characters abc = {"", "a", "b", " "};

// Scores whose largest is at the given class of each step.
std::string decode(const std::vector<std::size_t>& classes, const Characters& characters = abc) {
  std::vector<double> scores(classes.size() * characters.size(), -1.0);
  for (std::size_t i = 0; i < classes.size(); ++i) scores[i * characters.size() + classes[i]] = 1;
  return decode_greedily(scores, characters);
}

TEST(GreedyDecoding, TakesARepeatedClassOnceAndLeavesBlanksOut) {
  EXPECT_EQ(decode({0, 1, 1, 0, 2, 2, 2}), "ab");
}

TEST(GreedyDecoding, TakesAClassTwiceWhenABlankIsBetween) { EXPECT_EQ(decode({1, 0, 1}), "aa"); }

TEST(GreedyDecoding, OfBlanksAloneIsNothing) {
  EXPECT_EQ(decode({0, 0, 0}), "");
  EXPECT_EQ(decode({}), "");
}

TEST(GreedyDecoding, FindsEveryTextThatWasSpelledWithBlanks) {
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::size_t> classes;
    std::string text;
    for (std::uint64_t i = random.below(12); i > 0; --i) {
      const std::size_t letter = 1 + random.below(3);
      text += abc[letter];
      classes.insert(classes.end(), 1 + random.below(3), letter);
      classes.insert(classes.end(), 1 + random.below(2), 0);
    }
    EXPECT_EQ(decode(classes), text);
  }
}

TEST(EnglishCharacters, AreTheNinetySevenClassesOfPpOcr) {
  const Characters characters = english_characters();
  ASSERT_EQ(characters.size(), 97u);
  EXPECT_EQ(characters[0], "");
  EXPECT_EQ(characters[1], "0");
  EXPECT_EQ(characters[79], "~");
  EXPECT_EQ(characters[80], "!");
  EXPECT_EQ(characters[94], "/");
  EXPECT_EQ(characters[95], " ");
  EXPECT_EQ(characters[96], " ");
}

class DictionaryFile : public testing::Test {
 protected:
  Result<Characters> read(std::string_view text) {
    EXPECT_TRUE(write_file(file_, text));
    return read_characters(file_);
  }
  TemporaryFolder folder_ = *TemporaryFolder::create("dictionary");
  Path file_ = folder_.path() / "keys.txt";
};

TEST_F(DictionaryFile, HasACharacterPerLineBetweenBlankAndSpace) {
  const Characters wanted = {"", "x", "\xE4\xB8\xAD", " "};
  EXPECT_EQ(*read("x\n\xE4\xB8\xAD\n"), wanted);
  EXPECT_EQ(*read("x\r\n\xE4\xB8\xAD"), wanted);
}

TEST_F(DictionaryFile, WithoutCharactersIsRefused) {
  const auto characters = read("");
  ASSERT_FALSE(characters);
  EXPECT_THAT(characters.error().what, HasSubstr("is no dictionary"));
}

TEST(CharacterAccuracy, CountsEditsByTheLengthOfTheExpectedText) {
  EXPECT_DOUBLE_EQ(character_accuracy("abcd", "abcd"), 1);
  EXPECT_DOUBLE_EQ(character_accuracy("abcd", "abxd"), 0.75);
  EXPECT_DOUBLE_EQ(character_accuracy("abcd", "abd"), 0.75);
  EXPECT_DOUBLE_EQ(character_accuracy("abcd", "abcde"), 0.75);
  EXPECT_DOUBLE_EQ(character_accuracy("", ""), 1);
  EXPECT_DOUBLE_EQ(character_accuracy("", "a"), 0);
}

TEST(CharacterAccuracy, IsNeverBelowZero) {
  EXPECT_DOUBLE_EQ(character_accuracy("a", "bcdefg"), 0);
}

TEST(CharacterAccuracy, CountsCharactersNotBytes) {
  EXPECT_DOUBLE_EQ(character_accuracy("\xE4\xB8\xAD\xE6\x96\x87", "\xE4\xB8\xAD\xE5\x9B\xBD"), 0.5);
}

}  // namespace
}  // namespace hone
