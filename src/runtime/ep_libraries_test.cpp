#include "runtime/ep_libraries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/fake_system.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::Pair;

const Ep& cuda() { return *find_ep("cuda"); }

class TheLibraryOfAnEp : public testing::Test {
 protected:
  TheLibraryOfAnEp() { files_.with("ort/libonnxruntime.so", "").with("own/empty", ""); }
  Path beside() const { return files_.path() / "ort/libonnxruntime_providers_cuda.so"; }
  Path own() const { return files_.path() / "own"; }
  std::vector<Path> folders(const std::vector<std::string>& said = {}) const {
    return library_folders(said, files_.path() / "ort/libonnxruntime.so");
  }
  FakeSystem files_;
};

TEST_F(TheLibraryOfAnEp, IsFoundBesideOnnxRuntime) {
  EXPECT_FALSE(find_ep_library(cuda(), {}, folders()));
  files_.with("ort/libonnxruntime_providers_cuda.so", "");
  EXPECT_EQ(find_ep_library(cuda(), {}, folders()), beside().string());
  EXPECT_THAT(with_found_libraries({}, folders()), ElementsAre(Pair("cuda", beside().string())));
}

TEST_F(TheLibraryOfAnEp, IsTakenFromAFolderThatWasSaidFirst) {
  files_.with("ort/libonnxruntime_providers_cuda.so", "")
      .with("own/libonnxruntime_providers_cuda.so", "");
  EXPECT_EQ(find_ep_library(cuda(), {}, folders({own().string()})),
            (own() / "libonnxruntime_providers_cuda.so").string());
}

TEST_F(TheLibraryOfAnEp, IsFoundBesideTheFileThatALinkLeadsTo) {
  files_.with("real/libonnxruntime.so.1", "").with("real/libonnxruntime_providers_cuda.so", "");
  std::filesystem::create_symlink(files_.path() / "real/libonnxruntime.so.1",
                                  files_.path() / "own/libonnxruntime.so");
  EXPECT_TRUE(find_ep_library(cuda(), {}, library_folders({}, own() / "libonnxruntime.so")));
}

TEST_F(TheLibraryOfAnEp, IsNotLookedForWhereOneWasGivenByItsNameOrItsFile) {
  files_.with("ort/libonnxruntime_providers_cuda.so", "");
  EXPECT_FALSE(find_ep_library(cuda(), {{"CUDA", "/mine.so"}}, folders()));
  EXPECT_FALSE(
      find_ep_library(cuda(), {{"mine", "/x/libonnxruntime_providers_cuda.so"}}, folders()));
  EXPECT_TRUE(find_ep_library(cuda(), {{"qnn", "/mine.so"}}, folders()));
}

TEST_F(TheLibraryOfAnEp, TellsItsVersionWhereItHoldsOne) {
  files_.with("one.so", std::string("ELF\0cudnn 1.2.3\0001.29.0\0more", 27));
  EXPECT_EQ(version_in_library(files_.path() / "one.so"), "1.29.0");
  files_.with("two.so", std::string("\0001.29.0\0001.30.1\0", 15));
  EXPECT_FALSE(version_in_library(files_.path() / "two.so"));
  EXPECT_FALSE(version_in_library(files_.path() / "none.so"));
}

TEST(PluginFiles, BelongToOneEpEach) {
  std::set<std::string_view> names;
  for (const Ep& ep : all_eps())
    for (const std::string_view file : plugin_files(ep))
      EXPECT_TRUE(names.insert(file).second) << file;
  EXPECT_TRUE(plugin_files(*find_ep("cpu")).empty());
}

}  // namespace
}  // namespace hone
