#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <set>

#include "base/file.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

TemporaryFolder temporary_folder() { return *TemporaryFolder::create("test"); }

std::set<std::string> names_in(const Path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

// Bytes in which every position looks different, so that a misplaced copy shows.
std::string pattern(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>((i * 2654435761u) >> 13);
  return bytes;
}

mode_t permissions(const Path& path) {
  struct stat facts {};
  EXPECT_EQ(::stat(path.c_str(), &facts), 0);
  return facts.st_mode & 0777;
}

TEST(AtomicFile, TakesItsNameOnlyAtCommit) {
  const TemporaryFolder folder = temporary_folder();
  const Path path = folder.path() / "out.onnx";
  Result<AtomicFile> file = AtomicFile::create(path);
  ASSERT_TRUE(file->append("weights"));
  EXPECT_FALSE(fs::exists(path));
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(*read_file(path), "weights");
  EXPECT_EQ(names_in(folder.path()), std::set<std::string>{"out.onnx"});
}

TEST(AtomicFile, LeavesNothingWhenItIsDroppedWithoutCommit) {
  const TemporaryFolder folder = temporary_folder();
  {
    Result<AtomicFile> file = AtomicFile::create(folder.path() / "out.onnx");
    ASSERT_TRUE(file->append("weights"));
    ASSERT_TRUE(file->flush());
  }
  EXPECT_TRUE(names_in(folder.path()).empty());
}

TEST(AtomicFile, WritesUnderADotNameInTheSameFolder) {
  const TemporaryFolder folder = temporary_folder();
  const Result<AtomicFile> file = AtomicFile::create(folder.path() / "out.onnx");
  const std::set<std::string> names = names_in(folder.path());
  ASSERT_EQ(names.size(), 1u);
  EXPECT_TRUE(names.begin()->starts_with(".out.onnx.hone-")) << *names.begin();
}

TEST(AtomicFile, AKilledWriterLeavesTheOldFileAndOneDotFile) {
  const TemporaryFolder folder = temporary_folder();
  const Path path = folder.path() / "out.onnx";
  ASSERT_TRUE(write_file(path, "old"));
  int written[2];
  ASSERT_EQ(::pipe(written), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    Result<AtomicFile> file = AtomicFile::create(path);
    const bool ok = file->append(std::string(8 << 20, 'x')) && file->flush();
    [[maybe_unused]] const ssize_t told = ::write(written[1], ok ? "y" : "n", 1);
    while (true) ::pause();
  }
  char ok = 0;
  ASSERT_EQ(::read(written[0], &ok, 1), 1);
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(ok, 'y');
  EXPECT_EQ(*read_file(path), "old");
  const std::set<std::string> names = names_in(folder.path());
  ASSERT_EQ(names.size(), 2u);
  EXPECT_TRUE(names.begin()->starts_with(".out.onnx.hone-"));
  ::close(written[0]);
  ::close(written[1]);
}

TEST(AtomicFile, AReaderOfTheOldFileKeepsIt) {
  const TemporaryFolder folder = temporary_folder();
  const Path path = folder.path() / "model.onnx";
  ASSERT_TRUE(write_file(path, "old"));
  const Result<Blob> before = map_file(path);
  ASSERT_TRUE(write_file(path, "new!"));
  EXPECT_EQ(before->view(), "old");
  EXPECT_EQ(*read_file(path), "new!");
}

TEST(AtomicFile, KeepsTheOrderOfSmallAndLargeAppends) {
  const TemporaryFolder folder = temporary_folder();
  const Path path = folder.path() / "out";
  std::string expected;
  Result<AtomicFile> file = AtomicFile::create(path);
  for (const std::size_t size : {1u, 3'000'000u, 7u, 1'048'575u, 1'048'576u, 2u}) {
    const std::string bytes = pattern(size);
    ASSERT_TRUE(file->append(bytes));
    expected += bytes;
  }
  EXPECT_EQ(file->size(), expected.size());
  ASSERT_TRUE(file->commit(Durability::disk));
  EXPECT_TRUE(*read_file(path) == expected);
}

TEST(AtomicFile, CopiesSlicesOfAMappedFileToTheirPlace) {
  const TemporaryFolder folder = temporary_folder();
  const std::string bytes = pattern(3 << 20);
  ASSERT_TRUE(write_file(folder.path() / "in", bytes));
  const Result<Blob> source = map_file(folder.path() / "in");
  Result<AtomicFile> file = AtomicFile::create(folder.path() / "out");
  ASSERT_TRUE(file->append("head"));
  ASSERT_TRUE(file->append(source->slice(4097, 1 << 20)));
  ASSERT_TRUE(file->append("middle"));
  ASSERT_TRUE(file->append(source->slice(11, 100)));
  ASSERT_TRUE(file->append("tail"));
  ASSERT_TRUE(file->commit());
  EXPECT_TRUE(*read_file(folder.path() / "out") ==
              "head" + bytes.substr(4097, 1 << 20) + "middle" + bytes.substr(11, 100) + "tail");
}

TEST(AtomicFile, CopiesAcrossFileSystems) {
  const Path other = "/dev/shm";
  if (!fs::is_directory(other)) GTEST_SKIP() << "skipped: no /dev/shm";
  const Path in = other / ("hone-test-" + std::to_string(::getpid()));
  const TemporaryFolder folder = temporary_folder();
  const std::string bytes = pattern(1 << 20);
  ASSERT_TRUE(write_file(in, bytes));
  EXPECT_TRUE(clone_file(in, folder.path() / "out"));
  fs::remove(in);
  EXPECT_TRUE(*read_file(folder.path() / "out") == bytes);
}

TEST(AtomicFile, AppendsFromMemoryWhereTheKernelDoesNotCopy) {
  const TemporaryFolder folder = temporary_folder();
  const std::string bytes = pattern(1 << 20);
  ASSERT_TRUE(write_file(folder.path() / "in", bytes));
  const Result<Blob> source = map_file(folder.path() / "in");
  Result<AtomicFile> file = AtomicFile::create(folder.path() / "out");
  // The kernel copies from no pipe (EINVAL): the descriptor becomes one, the mapping stays.
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_GE(::dup2(ends[0], source->backing()->file_descriptor()), 0);
  EXPECT_TRUE(file->append(*source));
  ASSERT_TRUE(file->commit());
  EXPECT_TRUE(*read_file(folder.path() / "out") == bytes);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(AtomicFile, SaysWhenASourceBecameShorter) {
  const TemporaryFolder folder = temporary_folder();
  const Path path = folder.path() / "out";
  ASSERT_TRUE(write_file(folder.path() / "in", pattern(1 << 20)));
  const Result<Blob> source = map_file(folder.path() / "in");
  Result<AtomicFile> file = AtomicFile::create(path);
  ASSERT_EQ(::truncate((folder.path() / "in").c_str(), 0), 0);
  const Status status = file->append(*source);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().what, "cannot write '" + path.string() + "'");
  EXPECT_EQ(status.error().cause, "a file it copies from became shorter meanwhile");
}

TEST(AtomicFile, PadsWithZeros) {
  const TemporaryFolder folder = temporary_folder();
  const Path path = folder.path() / "out";
  Result<AtomicFile> file = AtomicFile::create(path);
  ASSERT_TRUE(file->append("ab"));
  ASSERT_TRUE(file->pad_to(4096));
  ASSERT_TRUE(file->append("cd"));
  ASSERT_TRUE(file->pad_to(1 << 20));
  ASSERT_TRUE(file->append("ef"));
  ASSERT_TRUE(file->pad_to(2 << 20));
  EXPECT_EQ(file->size(), 2u << 20);
  ASSERT_TRUE(file->commit());
  std::string expected(2 << 20, '\0');
  expected.replace(0, 2, "ab").replace(4096, 2, "cd").replace(1 << 20, 2, "ef");
  EXPECT_TRUE(*read_file(path) == expected);
}

TEST(AtomicFile, LargeGapsTakeNoSpace) {
  const TemporaryFolder folder = temporary_folder();
  const Path path = folder.path() / "out";
  Result<AtomicFile> file = AtomicFile::create(path);
  ASSERT_TRUE(file->pad_to(std::uint64_t{1} << 30));
  ASSERT_TRUE(file->commit());
  struct stat facts {};
  ASSERT_EQ(::stat(path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_size, 1 << 30);
  EXPECT_LT(facts.st_blocks * 512, 1 << 20);
}

TEST(AtomicFile, SaysThatTheDiskIsFullAndWhatToDo) {
  const TemporaryFolder folder = temporary_folder();
  const Path path = folder.path() / "out";
  Result<AtomicFile> file = AtomicFile::create(path);
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(::dup2(full, file->file_descriptor()), 0);
  ASSERT_TRUE(file->append("weights"));
  const Status status = file->commit();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().fault, Fault::io);
  EXPECT_EQ(status.error().what, "cannot write '" + path.string() + "'");
  EXPECT_EQ(status.error().cause, "No space left on device");
  EXPECT_EQ(status.error().hint, "free some space there, or choose an output on another disk");
  EXPECT_FALSE(fs::exists(path));
  ::close(full);
}

TEST(AtomicFile, ANewFileHonoursTheUmask) {
  const TemporaryFolder folder = temporary_folder();
  const mode_t before = ::umask(027);
  ASSERT_TRUE(write_file(folder.path() / "out", "x"));
  ::umask(before);
  EXPECT_EQ(permissions(folder.path() / "out"), 0640u);
}

TEST(AtomicFile, AReplacedFileHandsOnItsPermissions) {
  const TemporaryFolder folder = temporary_folder();
  const Path path = folder.path() / "private.onnx";
  ASSERT_TRUE(write_file(path, "old"));
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  ASSERT_TRUE(write_file(path, "new"));
  EXPECT_EQ(permissions(path), 0600u);
}

TEST(AtomicFile, ReplacesALinkAndLeavesWhatItPointsTo) {
  const TemporaryFolder folder = temporary_folder();
  ASSERT_TRUE(write_file(folder.path() / "blob", "shared"));
  fs::create_symlink("blob", folder.path() / "model.onnx");
  ASSERT_TRUE(write_file(folder.path() / "model.onnx", "new"));
  EXPECT_EQ(*read_file(folder.path() / "blob"), "shared");
  EXPECT_FALSE(fs::is_symlink(folder.path() / "model.onnx"));
}

TEST(AtomicFile, RefusesToReplaceADevice) {
  const Status status = write_file("/dev/null", "x");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().what, "cannot write '/dev/null': it is not a regular file");
}

TEST(AtomicFile, RefusesToReplaceAFolder) {
  const TemporaryFolder folder = temporary_folder();
  EXPECT_EQ(write_file(folder.path(), "x").error().hint, "name a file inside it");
}

TEST(AtomicFile, NamesTheFolderThatIsMissing) {
  const TemporaryFolder folder = temporary_folder();
  const Path missing = folder.path() / "no" / "such";
  const Status status = write_file(missing / "out", "x");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().fault, Fault::not_found);
  EXPECT_EQ(status.error().hint, "create the folder '" + missing.string() + "' first");
  EXPECT_EQ(refuse_existing(missing / "x", true).error().hint, status.error().hint);
}

TEST(AtomicFile, AcceptsTheLongestName) {
  const TemporaryFolder folder = temporary_folder();
  const Path path = folder.path() / std::string(255, 'n');
  EXPECT_TRUE(write_file(path, "x"));
  EXPECT_EQ(*read_file(path), "x");
}

TEST(AtomicFile, MovesWithItsPendingBytes) {
  const TemporaryFolder folder = temporary_folder();
  Result<AtomicFile> first = AtomicFile::create(folder.path() / "first");
  Result<AtomicFile> second = AtomicFile::create(folder.path() / "second");
  ASSERT_TRUE(first->append("pending"));
  *second = std::move(*first);
  ASSERT_TRUE(second->commit());
  EXPECT_EQ(*read_file(folder.path() / "first"), "pending");
  EXPECT_EQ(names_in(folder.path()), std::set<std::string>{"first"});
}

TEST(RefuseExisting, NamesTheFileAndTheWayOut) {
  const TemporaryFolder folder = temporary_folder();
  const Path path = folder.path() / "out.onnx";
  ASSERT_TRUE(write_file(path, "x"));
  const Status status = refuse_existing(path, false);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().fault, Fault::io);
  EXPECT_EQ(status.error().what, "'" + path.string() + "' exists already");
  EXPECT_EQ(status.error().hint, "choose another name, or --overwrite");
}

TEST(RefuseExisting, AcceptsAFreeNameAndWhoWantsToOverwrite) {
  const TemporaryFolder folder = temporary_folder();
  ASSERT_TRUE(write_file(folder.path() / "out", "x"));
  EXPECT_TRUE(refuse_existing(folder.path() / "out", true));
  EXPECT_TRUE(refuse_existing(folder.path() / "free", false));
}

TEST(RefuseExisting, AFileIsNoFolder) {
  const TemporaryFolder folder = temporary_folder();
  ASSERT_TRUE(write_file(folder.path() / "file", "x"));
  fs::permissions(folder.path() / "file", fs::perms::all);
  const Status status = refuse_existing(folder.path() / "file/out", true);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().cause, "Not a directory");
}

TEST(RefuseExisting, AFolderThatCannotBeWrittenIsSeenBeforeWorkIsPutIn) {
  if (::geteuid() == 0) GTEST_SKIP() << "skipped: root may write everywhere";
  const TemporaryFolder folder = temporary_folder();
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  const Status status = refuse_existing(folder.path() / "out", false);
  fs::permissions(folder.path(), fs::perms::owner_all);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().cause, "Permission denied");
}

TEST(RefuseExisting, ALinkThatLeadsNowhereExists) {
  const TemporaryFolder folder = temporary_folder();
  fs::create_symlink("nowhere", folder.path() / "out");
  EXPECT_FALSE(refuse_existing(folder.path() / "out", false));
}

TEST(CloneFile, CopiesEveryByteOverAnOldFile) {
  const TemporaryFolder folder = temporary_folder();
  const std::string bytes = pattern(1'500'001);
  ASSERT_TRUE(write_file(folder.path() / "in", bytes));
  ASSERT_TRUE(write_file(folder.path() / "out", "old"));
  ASSERT_TRUE(clone_file(folder.path() / "in", folder.path() / "out"));
  EXPECT_TRUE(*read_file(folder.path() / "out") == bytes);
}

TEST(CloneFile, CopiesAnEmptyFile) {
  const TemporaryFolder folder = temporary_folder();
  ASSERT_TRUE(write_file(folder.path() / "in", ""));
  ASSERT_TRUE(clone_file(folder.path() / "in", folder.path() / "out"));
  EXPECT_EQ(*size_of_file(folder.path() / "out"), 0u);
}

TEST(CloneFile, CopiesAFileOntoItself) {
  const TemporaryFolder folder = temporary_folder();
  ASSERT_TRUE(write_file(folder.path() / "in", "same"));
  ASSERT_TRUE(clone_file(folder.path() / "in", folder.path() / "in"));
  EXPECT_EQ(*read_file(folder.path() / "in"), "same");
}

}  // namespace
}  // namespace hone
