#include "base/hash_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace hone {
namespace {

class HashFile : public testing::Test {
 protected:
  Path file(const std::string& name, const std::string& bytes) {
    const Path path = folder_.path() / name;
    EXPECT_TRUE(write_file(path, bytes));
    return path;
  }
  const Path& folder() const { return folder_.path(); }

 private:
  TemporaryFolder folder_ = *TemporaryFolder::create("hash-file");
};

TEST_F(HashFile, IsTheHashOfTheBytes) {
  // Nothing, less than one piece, exactly one, and more.
  for (const std::size_t size : {0, 3, 1 << 20, (3 << 20) + 17}) {
    const std::string bytes(size, 'x');
    const auto digest = hash_of_file(file("bytes", bytes));
    ASSERT_TRUE(digest) << digest.error().what;
    EXPECT_EQ(*digest, sha256(bytes)) << size;
  }
}

TEST_F(HashFile, SaysWhatItCannotRead) {
  const auto missing = hash_of_file(folder() / "none");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().fault, Fault::not_found);
  EXPECT_EQ(missing.error().what, "cannot read '" + (folder() / "none").string() + "'");
  const auto not_a_file = hash_of_file(folder());
  ASSERT_FALSE(not_a_file);
  EXPECT_EQ(not_a_file.error().fault, Fault::bad_input);
  ASSERT_EQ(::mkfifo((folder() / "pipe").c_str(), 0600), 0);
  EXPECT_FALSE(hash_of_file(folder() / "pipe"));
  // Can be opened and not be read from its start.
  const auto unreadable = hash_of_file("/proc/self/mem");
  ASSERT_FALSE(unreadable);
  EXPECT_EQ(unreadable.error().cause, "Input/output error");
}

TEST_F(HashFile, HashesManyInTheirOrderAndTellsHowFarItIs) {
  std::vector<Path> paths;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < 20; ++i) {
    paths.push_back(file(std::to_string(i), std::string(1000 * i, 'y')));
    total += 1000 * i;
  }
  paths.push_back(folder() / "none");
  std::uint64_t last = 0;
  const auto digests = hash_of_files(paths, [&](std::uint64_t done, std::uint64_t all) {
    EXPECT_GT(done, last);
    EXPECT_EQ(all, total);
    last = done;
  });
  ASSERT_EQ(digests.size(), paths.size());
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(*digests[i], sha256(std::string(1000 * i, 'y')));
  EXPECT_FALSE(digests.back());
  EXPECT_EQ(last, total);
  EXPECT_TRUE(hash_of_files({}).empty());
}

TEST_F(HashFile, StaysInsideAFolder) {
  file("outside", "secret");
  std::filesystem::create_directory(folder() / "in");
  file("in/file", "abc");
  std::filesystem::create_symlink("../outside", folder() / "in/link");
  EXPECT_EQ(*hash_of_file_inside(folder() / "in", "file"), sha256("abc"));
  for (const char* name : {"../outside", "link", "", "/etc/passwd"})
    EXPECT_FALSE(hash_of_file_inside(folder() / "in", name)) << name;
}

std::string key_of(const std::vector<Path>& files) {
  Sha256 hash;
  EXPECT_TRUE(add_files(hash, files));
  return hash.finish().hex();
}

TEST_F(HashFile, OfSeveralIsOfTheirBytesInTheirOrder) {
  const Path a = file("a", "1");
  const Path b = file("b", "2");
  const Path same = file("same", "1");
  EXPECT_EQ(key_of({a, b}), key_of({same, b}));
  EXPECT_NE(key_of({a, b}), key_of({b, a}));
  EXPECT_NE(key_of({a}), key_of({a, a}));
  Sha256 hash;
  EXPECT_FALSE(add_files(hash, {a, folder() / "none"}));
}

std::string contents_of(const Path& path) {
  Sha256 hash;
  EXPECT_TRUE(add_contents(hash, path));
  return hash.finish().hex();
}

TEST_F(HashFile, OfAFolderIsOfNamesAndBytesWhereverItLies) {
  std::filesystem::create_directories(folder() / "one/deep");
  file("one/deep/file", "x");
  file("one/other", "y");
  std::filesystem::copy(folder() / "one", folder() / "two",
                        std::filesystem::copy_options::recursive);
  EXPECT_EQ(contents_of(folder() / "one"), contents_of(folder() / "two"));
  std::filesystem::rename(folder() / "two/other", folder() / "two/another");
  EXPECT_NE(contents_of(folder() / "one"), contents_of(folder() / "two"));
  EXPECT_EQ(contents_of(folder() / "one/other"), key_of({folder() / "one/other"}));
  Sha256 hash;
  EXPECT_FALSE(add_contents(hash, folder() / "none"));
}

}  // namespace
}  // namespace hone
