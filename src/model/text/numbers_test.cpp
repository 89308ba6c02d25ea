// Every bit of a number survives the text, for every element type and for random patterns.

#include "model/text/numbers.h"

#include <gtest/gtest.h>

#include <bit>

#include "base/random.h"
#include "model/text/elements.h"

namespace hone::syntax {
namespace {

template <class T, class Bits>
void expect_same_bits(Bits bits) {
  std::string text;
  append_real(text, std::bit_cast<T>(bits));
  Cursor cursor(text);
  const auto read = read_real<T>(cursor);
  ASSERT_TRUE(read) << text << ": " << read.error().what;
  EXPECT_EQ(std::bit_cast<Bits>(*read), bits) << text;
  EXPECT_TRUE(cursor.at(Token::Kind::end)) << text;
}

TEST(TextNumbers, ReadBackAnyPatternOfAFloatAndADouble) {
  Random random(7);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t bits = random.next();
    expect_same_bits<double>(bits);
    expect_same_bits<float>(static_cast<std::uint32_t>(bits));
    // Exponents of all ones (inf, NaN) and of zero (subnormal) are rare among random bits.
    expect_same_bits<float>(static_cast<std::uint32_t>(bits) | 0x7F800000u);
    expect_same_bits<float>(static_cast<std::uint32_t>(bits) & 0x807FFFFFu);
    expect_same_bits<double>(bits | 0x7FF0000000000000u);
    expect_same_bits<double>(bits & 0x800FFFFFFFFFFFFFu);
  }
}

TEST(TextNumbers, ReadBackAFloatWithItsPointToo) {
  Random random(8);
  for (int i = 0; i < 20'000; ++i) {
    const auto bits = static_cast<std::uint32_t>(random.next());
    std::string text;
    append_real_with_point(text, std::bit_cast<float>(bits));
    Cursor cursor(text);
    ASSERT_TRUE(at_real(cursor)) << text;
    EXPECT_EQ(std::bit_cast<std::uint32_t>(*read_real<float>(cursor)), bits) << text;
  }
}

TEST(TextNumbers, ReadBackAnyBytesAsElementsOfAnyType) {
  Random random(9);
  for (int number = 1; number <= 26; ++number) {
    const auto type = static_cast<ElementType>(number);
    if (bits_of(type) == 0) continue;
    for (const bool half_values : {false, true}) {
      constexpr std::uint64_t count = 64;
      std::string bytes;
      while (bytes.size() < *bytes_of(type, count)) bytes += static_cast<char>(random.next());
      std::string text;
      for (std::uint64_t i = 0; i < count; ++i) {
        append_element(text, type, bytes, i, half_values);
        text += ' ';
      }
      Cursor cursor(text);
      std::string dense;
      for (std::uint64_t i = 0; i < count; ++i) {
        const auto status = read_element(cursor, type, i, dense);
        ASSERT_TRUE(status) << name_of(type) << " " << text << ": " << status.error().what;
      }
      EXPECT_EQ(dense, bytes) << name_of(type) << " " << text;
    }
  }
}

}  // namespace
}  // namespace hone::syntax
