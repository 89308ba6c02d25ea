#include "flow/store.h"

#include <gtest/gtest.h>

#include "catalog/store.h"

namespace hone {
namespace {

TEST(AStoreOfAFolder, IsMeasuredCheckedAndCleaned) {
  const TemporaryFolder folder = TemporaryFolder::create("store").value();
  ContentStore store = ContentStore::open(folder.path()).value();
  ASSERT_TRUE(store.take_bytes("held by nobody"));
  EXPECT_EQ(measure_store(folder.path())->bytes, 14u);
  bool is_told = false;
  Watch watch;
  watch.tell = [&](const FlowProgress&) { is_told = true; };
  EXPECT_TRUE(check_store(folder.path(), watch)->is_sound());
  EXPECT_TRUE(is_told);
  const StoreCleaning at_once{.grace = std::chrono::seconds(0), .is_dry_run = true};
  ASSERT_TRUE(clean_store(folder.path(), at_once));
  EXPECT_EQ(measure_store(folder.path())->bytes, 14u) << "a dry run removes nothing";
  ASSERT_TRUE(clean_store(folder.path(), {.grace = std::chrono::seconds(0)}));
  EXPECT_EQ(measure_store(folder.path())->bytes, 0u);
}

TEST(AStoreOfAFolder, IsNotMadeWhereThereIsNone) {
  const TemporaryFolder folder = TemporaryFolder::create("store").value();
  EXPECT_FALSE(measure_store(folder.path() / "none"));
  EXPECT_FALSE(check_store(folder.path() / "none", {}));
  EXPECT_FALSE(clean_store(folder.path() / "none", {}));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "none"));
}

}  // namespace
}  // namespace hone
