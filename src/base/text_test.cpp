#include "base/text.h"

#include <gtest/gtest.h>

#include "base/join_some.h"

namespace hone {
namespace {

using Words = std::vector<std::string>;

TEST(Text, JoinsWithASeparatorBetweenParts) {
  EXPECT_EQ(join(Words{"a", "b", "c"}, ", "), "a, b, c");
  EXPECT_EQ(join(Words{}, ", "), "");
}

TEST(Text, ALongListHasItsFirstPartsAndTheNumberOfTheOthers) {
  EXPECT_EQ(join_some(Words{"a", "b", "c", "d"}, 2), "a, b and 2 more");
  EXPECT_EQ(join_some(Words{"a", "b", "c"}, 2), "a, b, c") << "'and 1 more' is as long as it is";
  EXPECT_EQ(join_some(Words{}, 2), "");
}

TEST(Text, SplitKeepsEmptyParts) {
  EXPECT_EQ(split("a,,b,", ','), (Words{"a", "", "b", ""}));
  EXPECT_EQ(split("", ','), (Words{""}));
}

TEST(Text, LowercaseLeavesOtherBytesAlone) { EXPECT_EQ(lowercase("QNN-\xC3\x84"), "qnn-\xC3\x84"); }

TEST(Text, BytesHaveThreeDigitsAndABinaryUnit) {
  EXPECT_EQ(format_bytes(0), "0 bytes");
  EXPECT_EQ(format_bytes(1), "1 byte");
  EXPECT_EQ(format_bytes(812), "812 bytes");
  EXPECT_EQ(format_bytes(1024), "1.00 KiB");
  EXPECT_EQ(format_bytes(10'905'190), "10.4 MiB");
  EXPECT_EQ(format_bytes(498'073'600), "475 MiB");
  EXPECT_EQ(format_bytes(UINT64_MAX), "16.0 EiB");
}

TEST(Text, BytesNeverReadAs1024OfAUnit) {
  EXPECT_EQ(format_bytes(1'048'575), "1.00 MiB");
  EXPECT_EQ(format_bytes(1'047'552), "1023 KiB");
  EXPECT_EQ(format_bytes(10'240 - 1), "10.0 KiB");
}

TEST(Text, CountsHaveCommas) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1234567), "1,234,567");
}

TEST(Text, EditDistanceCountsSlips) {
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("opset", "opset"), 0);
}

TEST(Text, SwappedNeighboursAreOneSlip) { EXPECT_EQ(edit_distance("opest", "opset"), 1); }

TEST(Text, NearestFindsWhatWasMeant) {
  const Words commands = {"inspect", "convert", "compare", "compile"};
  EXPECT_EQ(nearest("inspcet", commands), "inspect");
  EXPECT_EQ(nearest("COMPAER", commands), "compare");
}

TEST(Text, NearestTakesAnAbbreviation) {
  EXPECT_EQ(nearest("opt", Words{"inspect", "optimize"}), "optimize");
}

TEST(Text, NearestIsEmptyWhenNothingIsNear) {
  EXPECT_EQ(nearest("frobnicate", Words{"inspect", "convert"}), "");
  EXPECT_EQ(nearest("x", Words{}), "");
}

TEST(Text, NearestIsCheapForAHostileWord) {
  EXPECT_EQ(nearest(std::string(1'000'000, 'a'), Words{"inspect"}), "");
}

TEST(Text, ValidUtf8StaysAsItIs) {
  const std::string text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";
  EXPECT_EQ(to_utf8(text), text);
}

TEST(Text, EveryInvalidByteBecomesAReplacementCharacter) {
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(to_utf8("a\xFFz"), "a" + bad + "z");
  EXPECT_EQ(to_utf8("\xC3"), bad) << "cut short";
  EXPECT_EQ(to_utf8("\xC0\xAF"), bad + bad) << "longer than needed";
  EXPECT_EQ(to_utf8("\xE0\x80\xAF"), bad + bad + bad) << "longer than needed";
  EXPECT_EQ(to_utf8("\xED\xA0\x80"), bad + bad + bad) << "half of a UTF-16 pair";
  EXPECT_EQ(to_utf8("\xF4\x90\x80\x80"), bad + bad + bad + bad) << "beyond Unicode";
  EXPECT_EQ(to_utf8("\xE2\x82z"), bad + bad + "z") << "not continued";
}

TEST(Text, PrintableMakesEscapeSequencesVisible) {
  EXPECT_EQ(printable("conv\x1B[2J"), "conv\\x1b[2J");
  EXPECT_EQ(printable("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(printable(std::string("\0\x7F", 2)), "\\x00\\x7f");
  EXPECT_EQ(printable("\xC2\x9B"), "\\u009b") << "the one-byte form of ESC [";
}

TEST(Text, PrintableShowsCharactersThatReverseTheReadingDirection) {
  EXPECT_EQ(printable("a\xE2\x80\xAE"
                      "b"),
            "a\\u202eb");
}

TEST(Text, PrintableLeavesLettersOfAllLanguagesAlone) {
  EXPECT_EQ(printable("\xC3\xA9\xE4\xB8\xAD"), "\xC3\xA9\xE4\xB8\xAD");
}

TEST(ToShell, QuotesOnlyWhatAShellWouldTakeApart) {
  EXPECT_EQ(to_shell(std::vector<std::string>{"hone", "perf", "a/b.onnx", "--ep-options", "k=v"}),
            "hone perf a/b.onnx --ep-options k=v");
  EXPECT_EQ(to_shell(std::vector<std::string>{"my model.onnx", "it's", "", "$(x)"}),
            R"('my model.onnx' 'it'\''s' '' '$(x)')");
}

}  // namespace
}  // namespace hone
