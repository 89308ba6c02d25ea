#include "base/hash.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(Sha256, GivesThePublishedAnswers) {
  EXPECT_EQ(sha256("").hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc").hex(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, IsAlsoWrittenAsPagesNameTheirScripts) {
  EXPECT_EQ(sha256("abc").base64(), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
}

TEST(Sha256, DoesNotDependOnHowTheBytesArrive) {
  EXPECT_EQ(Sha256().add("a").add("").add("bc").finish(), sha256("abc"));
}

TEST(Sha256, FieldsKeepTheirBorders) {
  EXPECT_NE(Sha256().add_field("ab").add_field("c").finish(),
            Sha256().add_field("a").add_field("bc").finish());
}

TEST(Sha256, NumbersAreEightBytesLowestFirst) {
  EXPECT_EQ(Sha256().add_number(0x0102).finish(), sha256(std::string("\x02\x01\0\0\0\0\0\0", 8)));
}

TEST(Sha256, AFieldIsItsLengthAndItsBytes) {
  EXPECT_EQ(Sha256().add_field("ab").finish(), Sha256().add_number(2).add("ab").finish());
}

TEST(Sha256, StartsANewDigestAfterFinish) {
  Sha256 hash;
  hash.add("something else").finish();
  EXPECT_EQ(hash.add("abc").finish(), sha256("abc"));
}

}  // namespace
}  // namespace hone
