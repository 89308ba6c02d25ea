#include "model/npz/npz.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "model/npz/zip.h"
#include "model/string_tensor.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Npz : public testing::Test {
 protected:
  Path at(const std::string& name) const { return folder_.path() / name; }
  TemporaryFolder folder_ = *TemporaryFolder::create("npz-test");
};

TEST_F(Npz, WhatIsWrittenIsRead) {
  const float numbers[] = {1.5f, -2.0f, 3.0f};
  const std::int64_t ids[] = {7, 9};
  ASSERT_TRUE(
      write_npz(at("a.npz"), {make_float_tensor("0/x", numbers), make_int64_tensor("1/ids", ids)}));
  const auto arrays = read_npz(at("a.npz"));
  ASSERT_TRUE(arrays) << arrays.error().cause;
  ASSERT_EQ(arrays->size(), 2u);
  EXPECT_EQ((*arrays)[0]->name, "0/x");
  EXPECT_THAT((*arrays)[0]->dims, ElementsAre(3));
  EXPECT_THAT(*to_doubles(*(*arrays)[0]), ElementsAre(1.5, -2.0, 3.0));
  EXPECT_THAT(*to_ints(*(*arrays)[1]), ElementsAre(7, 9));
}

TEST_F(Npz, ScalarsKeepTheirRank) {
  const float one[] = {1};
  ASSERT_TRUE(write_npz(at("a.npz"), {make_float_tensor("s", one, true)}));
  EXPECT_TRUE((*read_npz(at("a.npz")))[0]->dims.empty());
}

// What np.savez_compressed(file, x=np.arange(3, dtype=np.float32)) holds: one deflated entry.
TEST_F(Npz, ReadsDeflatedArrays) {
  const auto arrays = read_npz(Path(HONE_SOURCE_DIR) / "tests/fixtures/npz/compressed.npz");
  ASSERT_TRUE(arrays) << arrays.error().what;
  ASSERT_EQ(arrays->size(), 1u);
  EXPECT_EQ((*arrays)[0]->name, "x");
  EXPECT_THAT(*to_doubles(*(*arrays)[0]), ElementsAre(0.0, 1.0, 2.0));
}

// What NumPy writes, header and data.
std::string npy(const std::string& descr, const std::string& shape, const std::string& data) {
  const std::string header =
      "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header +
         data;
}

TEST_F(Npz, TextIsWrittenAndReadInAnyScript) {
  const std::vector<std::string> words = {"", "na\xC3\xAFve", "\xE2\x82\xAC", "\xF0\x9F\x90\x88"};
  ASSERT_TRUE(write_npz(at("a.npz"), {make_string_tensor("words", {2, 2}, words)}));
  const auto arrays = read_npz(at("a.npz"));
  ASSERT_TRUE(arrays) << arrays.error().cause;
  EXPECT_EQ((*arrays)[0]->type, ElementType::string);
  EXPECT_THAT((*arrays)[0]->dims, ElementsAre(2, 2));
  EXPECT_EQ((*arrays)[0]->strings, words);
}

TEST_F(Npz, TextOfBytesIsReadAndWhatIsNoCharacterIsReplaced) {
  ASSERT_TRUE(write_file(at("s.npy"), npy("|S3", "(2,)", std::string("ab\0xyz", 6))));
  EXPECT_THAT((*read_npy(at("s.npy")))->strings, ElementsAre("ab", "xyz"));
  ASSERT_TRUE(write_file(at("u.npy"), npy("<U1", "()", "\xFF\xFF\xFF\xFF")));
  EXPECT_THAT((*read_npy(at("u.npy")))->strings, ElementsAre("\xEF\xBF\xBD"));
  ASSERT_TRUE(write_file(at("none.npy"), npy("<U5", "(0, 3)", "")));
  EXPECT_TRUE((*read_npy(at("none.npy")))->strings.empty());
}

TEST_F(Npz, TextThatClaimsMoreThanThereIsGetsNoMemory) {
  for (const auto& [descr, shape] :
       {std::pair("<U0", "(1000000000000,)"), std::pair("<U4611686018427387904", "(1,)"),
        std::pair("|S1", "(5,)"), std::pair("<U1", "(1,)"),
        std::pair("<U99999999999999999999", "(1,)")}) {
    ASSERT_TRUE(write_file(at("x.npy"), npy(descr, shape, "abcdefg")));
    EXPECT_FALSE(read_npy(at("x.npy"))) << descr << shape;
  }
}

TEST_F(Npz, ASingleNpyIsOneArray) {
  ASSERT_TRUE(write_file(at("x.npy"), npy("|u1", "(3, 1)", "\x01\x02\x03")));
  const auto array = read_npy(at("x.npy"));
  ASSERT_TRUE(array) << array.error().cause;
  EXPECT_THAT((*array)->dims, ElementsAre(3, 1));
  EXPECT_THAT(*to_ints(**array), ElementsAre(1, 2, 3));
}

TEST_F(Npz, EveryCutOfASingleNpyIsRefused) {
  const std::string whole = npy("<f4", "(1, 2)", std::string(8, '\0'));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    ASSERT_TRUE(write_file(at("cut.npy"), whole.substr(0, length)));
    const auto array = read_npy(at("cut.npy"));
    ASSERT_FALSE(array) << length;
    EXPECT_THAT(array.error().what, HasSubstr("cut.npy"));
  }
}

TEST_F(Npz, ASingleNpyIsRefusedWithTheHint) {
  ASSERT_TRUE(write_file(at("x.npy"), std::string("\x93NUMPY\x01\x00", 8) + std::string(200, ' ')));
  const auto arrays = read_npz(at("x.npy"));
  ASSERT_FALSE(arrays);
  EXPECT_THAT(arrays.error().hint, HasSubstr("np.savez(file, name=array)"));
}

TEST_F(Npz, EveryCutOfAFileIsRefused) {
  const float numbers[] = {1, 2};
  ASSERT_TRUE(write_npz(at("a.npz"), {make_float_tensor("x", numbers)}));
  const std::string whole = *read_file(at("a.npz"));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    ASSERT_TRUE(write_file(at("cut.npz"), whole.substr(0, length)));
    EXPECT_FALSE(read_npz(at("cut.npz"))) << length;
  }
}

TEST_F(Npz, EveryDamagedByteIsRefusedOrReadWithoutHarm) {
  const float numbers[] = {1, 2};
  ASSERT_TRUE(write_npz(at("a.npz"), {make_float_tensor("x", numbers)}));
  const std::string whole = *read_file(at("a.npz"));
  int refused = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0xFF);
    ASSERT_TRUE(write_file(at("damaged.npz"), damaged));
    refused += !read_npz(at("damaged.npz"));
  }
  EXPECT_GT(refused, 20);
}

TEST_F(Npz, AnEntryMayNotClaimASizeThatDeflateCannotReach) {
  std::string bomb = *read_file(Path(HONE_SOURCE_DIR) / "tests/fixtures/npz/compressed.npz");
  const std::size_t directory = bomb.find("PK\x01\x02");
  ASSERT_NE(directory, std::string::npos);
  const std::uint32_t claim = 0x7FFFFFFF;
  std::memcpy(bomb.data() + directory + 24, &claim, sizeof claim);
  const auto entries = read_zip(Blob::own(bomb));
  ASSERT_FALSE(entries);
  EXPECT_THAT(entries.error().cause, HasSubstr("claims an impossible size"));
}

// np.asfortranarray([[1, 2, 3], [4, 5, 6]]) as np.save writes it: what transposing leaves.
TEST_F(Npz, ReadsArraysWhoseFirstIndexRunsFastest) {
  const auto fortran = [](std::string text) {
    text.replace(text.find("False"), 5, "True ");
    return text;
  };
  ASSERT_TRUE(write_file(
      at("f.npy"), fortran(npy("|u1", "(2, 3)", std::string("\x01\x04\x02\x05\x03\x06", 6)))));
  const auto array = read_npy(at("f.npy"));
  ASSERT_TRUE(array) << array.error().cause;
  EXPECT_THAT(*to_ints(**array), ElementsAre(1, 2, 3, 4, 5, 6));
  ASSERT_TRUE(write_file(at("one.npy"), fortran(npy("|u1", "(3,)", "\x01\x02\x03"))));
  EXPECT_THAT(*to_ints(**read_npy(at("one.npy"))), ElementsAre(1, 2, 3));
  ASSERT_TRUE(write_file(at("t.npy"), fortran(npy("|S1", "(2, 2)", "abcd"))));
  EXPECT_FALSE(read_npy(at("t.npy")));
}

}  // namespace
}  // namespace hone
