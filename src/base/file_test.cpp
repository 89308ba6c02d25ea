#include "base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

namespace hone {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Path operator/(const Path& name) const { return folder_.path() / name; }
  const Path& path() const { return folder_.path(); }
  Path write(const Path& name, std::string_view bytes) const {
    fs::create_directories((folder_.path() / name).parent_path());
    std::ofstream(folder_.path() / name) << bytes;
    return folder_.path() / name;
  }

 private:
  TemporaryFolder folder_ = *TemporaryFolder::create("test");
};

TEST(MapFile, GivesTheBytesOfTheFile) {
  const Folder folder;
  EXPECT_EQ(map_file(folder.write("model.onnx", "weights"))->view(), "weights");
}

TEST(MapFile, KeepsTheBytesWhenTheNameIsGone) {
  const Folder folder;
  const Path path = folder.write("model.onnx", "weights");
  const Result<Blob> blob = map_file(path);
  fs::remove(path);
  EXPECT_EQ(blob->slice(0, 3).view(), "wei");
}

TEST(MapFile, HandsOutTheDescriptorForCopying) {
  const Folder folder;
  const Result<Blob> blob = map_file(folder.write("model.onnx", "weights"));
  char bytes[3] = {};
  ASSERT_EQ(::pread(blob->backing()->file_descriptor(), bytes, 3, 4), 3);
  EXPECT_EQ(std::string_view(bytes, 3), "hts");
}

TEST(MapFile, AnEmptyFileIsAnEmptyBlob) {
  const Folder folder;
  EXPECT_TRUE(map_file(folder.write("empty", ""))->empty());
}

TEST(MapFile, NamesAMissingFileAndQuotesTheSystem) {
  const Result<Blob> blob = map_file("no/such.onnx");
  ASSERT_FALSE(blob);
  EXPECT_EQ(blob.error().fault, Fault::not_found);
  EXPECT_EQ(blob.error().what, "cannot read 'no/such.onnx'");
  EXPECT_EQ(blob.error().cause, "No such file or directory");
}

TEST(MapFile, RefusesAFolder) {
  const Folder folder;
  const Result<Blob> blob = map_file(folder.path());
  ASSERT_FALSE(blob);
  EXPECT_EQ(blob.error().fault, Fault::bad_input);
  EXPECT_EQ(blob.error().what, "cannot read '" + folder.path().string() + "': it is a folder");
  EXPECT_EQ(blob.error().hint, "name a file inside it");
}

TEST(MapFile, RefusesAPipeWithoutWaitingForAWriter) {
  const Folder folder;
  const Path path = folder / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const Result<Blob> blob = map_file(path);
  ASSERT_FALSE(blob);
  EXPECT_EQ(blob.error().what, "cannot read '" + path.string() + "': it is a pipe");
  EXPECT_EQ(blob.error().hint, "save it as a file first");
}

TEST(MapFile, RefusesADevice) {
  EXPECT_EQ(map_file("/dev/zero").error().what, "cannot read '/dev/zero': it is a device");
}

TEST(MapFileInside, GivesAFileBelowTheFolder) {
  const Folder folder;
  folder.write("data/weights.bin", "weights");
  EXPECT_EQ(map_file_inside(folder.path(), "data/weights.bin")->view(), "weights");
}

TEST(MapFileInside, AnEmptyFolderMeansTheCurrentOne) {
  const Folder folder;
  folder.write("weights.bin", "weights");
  const Path before = fs::current_path();
  fs::current_path(folder.path());
  const Result<Blob> blob = map_file_inside("", "weights.bin");
  fs::current_path(before);
  EXPECT_EQ(blob->view(), "weights");
}

TEST(MapFileInside, RefusesToLeaveTheFolderByDots) {
  const Result<Blob> blob = map_file_inside("/models", "../x");
  ASSERT_FALSE(blob);
  EXPECT_EQ(blob.error().fault, Fault::bad_input);
  EXPECT_EQ(blob.error().what, "'../x' would leave the folder '/models'");
  EXPECT_EQ(blob.error().cause, "it contains '..'");
  EXPECT_EQ(blob.error().hint,
            "copy all files that belong together into one folder (cp -L), then try again");
}

TEST(MapFileInside, RefusesAnAbsolutePath) {
  const Result<Blob> blob = map_file_inside("/etc", "/etc/passwd");
  ASSERT_FALSE(blob);
  EXPECT_EQ(blob.error().what, "'/etc/passwd' would leave the folder '/etc'");
  EXPECT_EQ(blob.error().cause, "it is an absolute path");
}

TEST(MapFileInside, RefusesALinkThatLeadsOutside) {
  const Folder folder;
  const Path secret = folder.write("secret", "secret");
  fs::create_directory(folder / "models");
  fs::create_symlink("../secret", folder / "models/weights.bin");
  const Result<Blob> blob = map_file_inside(folder / "models", "weights.bin");
  ASSERT_FALSE(blob);
  EXPECT_EQ(blob.error().what,
            "'weights.bin' would leave the folder '" + (folder / "models").string() + "'");
  EXPECT_EQ(blob.error().cause,
            "a symbolic link leads to '" + fs::canonical(secret).string() + "'");
}

TEST(MapFileInside, RefusesALinkedFolderThatLeadsOutside) {
  const Folder folder;
  folder.write("outside/weights.bin", "secret");
  fs::create_directory(folder / "models");
  fs::create_directory_symlink(folder / "outside", folder / "models/data");
  EXPECT_FALSE(map_file_inside(folder / "models", "data/weights.bin"));
}

TEST(MapFileInside, IsNotFooledByAFolderWhoseNameBeginsTheSame) {
  const Folder folder;
  folder.write("models-secret/weights.bin", "secret");
  fs::create_directory(folder / "models");
  fs::create_symlink(folder / "models-secret/weights.bin", folder / "models/weights.bin");
  EXPECT_FALSE(map_file_inside(folder / "models", "weights.bin"));
}

TEST(MapFileInside, FollowsLinksThatStayInside) {
  const Folder folder;
  folder.write("blobs/one", "weights");
  fs::create_symlink("blobs/one", folder / "relative");
  fs::create_symlink(folder / "blobs/one", folder / "absolute");
  EXPECT_EQ(map_file_inside(folder.path(), "relative")->view(), "weights");
  EXPECT_EQ(map_file_inside(folder.path(), "absolute")->view(), "weights");
}

TEST(MapFileInside, AcceptsAFolderThatIsItselfALink) {
  const Folder folder;
  folder.write("real/weights.bin", "weights");
  fs::create_directory_symlink("real", folder / "link");
  EXPECT_EQ(map_file_inside(folder / "link", "weights.bin")->view(), "weights");
}

TEST(MapFileInside, NamesAMissingFileWithItsFolder) {
  const Result<Blob> blob = map_file_inside("/dev", "weights.bin");
  EXPECT_EQ(blob.error().fault, Fault::not_found);
  EXPECT_EQ(blob.error().what, "cannot read '/dev/weights.bin'");
}

TEST(CheckStaysInside, AcceptsNamesBelowTheFolder) {
  EXPECT_TRUE(check_stays_inside("weights.bin"));
  EXPECT_TRUE(check_stays_inside("./data/..weights"));
}

TEST(CheckStaysInside, RefusesWhatTheTextGivesAway) {
  EXPECT_EQ(check_stays_inside("").error().cause, "the path is empty");
  EXPECT_EQ(check_stays_inside("/x").error().cause, "it is an absolute path");
  EXPECT_EQ(check_stays_inside("a/../../x").error().cause, "it contains '..'");
  EXPECT_EQ(check_stays_inside(std::string("a\0b", 3)).error().cause, "it contains a zero byte");
}

TEST(CheckStaysInside, SaysWhatToDo) {
  const Status status = check_stays_inside("../x");
  EXPECT_EQ(status.error().what, "'../x' would leave the folder it belongs to");
  EXPECT_EQ(status.error().hint, "name a file inside the folder, without '..'");
}

TEST(ReadFile, GivesAllBytes) {
  const Folder folder;
  const std::string bytes(200'000, 'x');
  EXPECT_EQ(*read_file(folder.write("text", bytes)), bytes);
  EXPECT_EQ(*read_file(folder.write("empty", "")), "");
}

TEST(ReadFile, AcceptsExactlyItsLimit) {
  const Folder folder;
  EXPECT_EQ(*read_file(folder.write("text", "12345"), 5), "12345");
}

TEST(ReadFile, RefusesMoreThanItsLimit) {
  const Folder folder;
  const Path path = folder.write("text", std::string(2049, 'x'));
  const Result<std::string> bytes = read_file(path, 2048);
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().fault, Fault::bad_input);
  EXPECT_EQ(bytes.error().what, "cannot read '" + path.string() + "': it is larger than 2.00 KiB");
}

TEST(ReadFile, RefusesAStreamWithoutEnd) { EXPECT_FALSE(read_file("/dev/zero", 1 << 20)); }

TEST(ReadFile, ReadsFilesThatDoNotKnowTheirSize) {
  EXPECT_NE(read_file("/proc/self/status")->find("Pid:"), std::string::npos);
}

TEST(ReadFile, RefusesAPipeAmongFilesAndDoesNotWaitForIt) {
  const Folder folder;
  const Path path = folder / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  ::alarm(60);  // waiting for a writer would be forever
  const Result<std::string> bytes = read_file(path);
  ::alarm(0);
  ASSERT_FALSE(bytes);
  EXPECT_NE(bytes.error().what.find("it is a pipe"), std::string::npos) << bytes.error().what;
}

TEST(ReadFile, WaitsForWhatComesThroughADescriptor) {
  int ends[2] = {};
  ASSERT_EQ(::pipe(ends), 0);
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(::write(ends[1], "late", 4), 4);
    ::close(ends[1]);
  });
  const Result<std::string> bytes = read_file("/dev/fd/" + std::to_string(ends[0]));
  writer.join();
  ::close(ends[0]);
  ASSERT_TRUE(bytes) << bytes.error().what;
  EXPECT_EQ(*bytes, "late");
}

TEST(ReadFile, RefusesAFolder) {
  const Folder folder;
  EXPECT_EQ(read_file(folder.path()).error().cause, "Is a directory");
}

TEST(SizeOfFile, IsTheSizeOfARegularFile) {
  const Folder folder;
  EXPECT_EQ(*size_of_file(folder.write("text", "12345")), 5u);
  EXPECT_FALSE(size_of_file(folder.path()));
  EXPECT_EQ(size_of_file("no/such").error().fault, Fault::not_found);
}

TEST(TemporaryFolder, IsRemovedWithAllItHolds) {
  Path path;
  {
    const Folder folder;
    path = folder.path();
    folder.write("deep/down/file", "x");
    EXPECT_TRUE(path.filename().string().starts_with("hone-test-"));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryFolder, SaysWhereItCannotBeMade) {
  const Result<TemporaryFolder> folder = TemporaryFolder::create("no/such");
  ASSERT_FALSE(folder);
  EXPECT_TRUE(folder.error().what.starts_with("cannot create a temporary folder in '"));
  EXPECT_EQ(folder.error().hint, "set TMPDIR to a folder that can be written");
}

TEST(StampOfFile, ChangesWithTheFile) {
  const TemporaryFolder folder = *TemporaryFolder::create("stamp");
  const Path file = folder.path() / "a";
  EXPECT_EQ(stamp_of_file(file), file.string() + " absent");
  ASSERT_TRUE(write_file(file, "one"));
  const std::string before = stamp_of_file(file);
  EXPECT_EQ(stamp_of_file(file), before);
  ASSERT_TRUE(write_file(file, "three"));
  EXPECT_NE(stamp_of_file(file), before);
}

}  // namespace
}  // namespace hone
