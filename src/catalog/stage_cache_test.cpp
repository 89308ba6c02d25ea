#include "catalog/stage_cache.h"

#include <gtest/gtest.h>

#include "base/folder_cache.h"

namespace hone {
namespace {

using std::chrono::system_clock;

class StageCaches : public testing::Test {
 protected:
  Path put(const std::string& key) const {
    FolderCache cache(folder());
    return cache
        .put(key, [](const Path& made) { return write_file(made / "model.onnx", "weights"); })
        .value();
  }
  // As the store does it.
  void share(const std::string& key) const {
    std::filesystem::create_hard_link(folder() / key / "model.onnx", folder_.path() / key);
  }
  Path folder() const { return folder_.path() / "builds"; }
  StageCache cache() const { return StageCache(folder()); }
  bool has(const std::string& key) const { return std::filesystem::exists(folder() / key); }

 private:
  TemporaryFolder folder_ = TemporaryFolder::create("stages").value();
};

TEST_F(StageCaches, CountWhatNothingElseHas) {
  EXPECT_EQ(cache().unshared_bytes(), 0U) << "there is no folder yet";
  put("a");
  const std::uint64_t one = cache().unshared_bytes();
  EXPECT_GE(one, 7U);
  put("b");
  share("b");
  EXPECT_EQ(cache().unshared_bytes(), one);
}

TEST_F(StageCaches, DropWhatNothingElseHasAndNobodyIsUsing) {
  const auto before = system_clock::now() - std::chrono::hours(1);
  put("alone");
  put("shared");
  share("shared");
  std::filesystem::create_directories(folder() / "new.making-1-1");
  cache().drop_unshared(before);
  EXPECT_TRUE(has("alone")) << "a cell that began before may be using it";
  cache().drop_unshared(system_clock::now() + std::chrono::hours(1));
  EXPECT_FALSE(has("alone"));
  EXPECT_TRUE(has("shared"));
  EXPECT_TRUE(has("new.making-1-1")) << "it is not finished";
}

}  // namespace
}  // namespace hone
