// What keeps a store in order: du, gc, verify, make_room.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include "catalog/store_fixture.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr GcOptions at_once = {.grace = std::chrono::seconds(0)};

class Upkeep : public StoreTest {
 protected:
  // Two packages that share their weights.
  ContentStore with_two_packages() {
    ContentStore store = open();
    const StoredBlob weights = *store.take_bytes(std::string(1000, 'w'));
    const StoredBlob first = *store.take_bytes(std::string(10, '1'));
    const StoredBlob second = *store.take_bytes(std::string(20, '2'));
    EXPECT_TRUE(store.hold("first", {held("model.onnx", first), held("weights", weights),
                                     held("copy/weights", weights)}));
    EXPECT_TRUE(store.hold("second", {held("model.onnx", second), held("weights", weights)}));
    return store;
  }
};

TEST_F(Upkeep, CountsWhatIsOwnAndWhatIsShared) {
  ContentStore store = with_two_packages();
  ASSERT_TRUE(store.take_bytes("nobody's"));
  const auto usage = store.du();
  ASSERT_TRUE(usage);
  EXPECT_EQ(usage->blobs, 4u);
  EXPECT_EQ(usage->bytes, 1038u);
  EXPECT_EQ(usage->files, 5u);
  EXPECT_EQ(usage->referenced_bytes, 3030u);
  EXPECT_EQ(usage->unheld_blobs, 1u);
  EXPECT_EQ(usage->unheld_bytes, 8u);
  ASSERT_EQ(usage->owners.size(), 2u);
  EXPECT_EQ(usage->owners[0].owner, "first");
  EXPECT_EQ(usage->owners[0].files, 3u);
  EXPECT_EQ(usage->owners[0].bytes, 2010u);
  EXPECT_EQ(usage->owners[0].own_bytes, 10u);
  EXPECT_EQ(usage->owners[0].shared_bytes, 1000u);
  EXPECT_EQ(usage->owners[1].own_bytes, 20u);
}

TEST_F(Upkeep, CollectsOnlyWhatNobodyHolds) {
  ContentStore store = with_two_packages();
  ASSERT_TRUE(store.release("first"));
  const auto collection = store.gc(at_once);
  ASSERT_TRUE(collection);
  ASSERT_EQ(collection->removed.size(), 1u);
  EXPECT_EQ(collection->removed[0].bytes, 10u);
  EXPECT_EQ(collection->freed_bytes, 10u);
  EXPECT_EQ(collection->held_blobs, 2u);
  EXPECT_TRUE(store.verify()->is_sound());
  ASSERT_TRUE(store.release("second"));
  EXPECT_EQ(store.gc(at_once)->freed_bytes, 1020u);
  EXPECT_EQ(store.du()->blobs, 0u);
}

TEST_F(Upkeep, LeavesWhatWasUsedLately) {
  ContentStore store = open();
  ASSERT_TRUE(store.take_bytes("new"));
  // Its bytes are old, but it was taken just now.
  const Path old = file("old", "old");
  std::filesystem::last_write_time(
      old, std::filesystem::file_time_type::clock::now() - std::chrono::hours(48));
  ASSERT_TRUE(store.take(old));
  const auto collection = store.gc();
  EXPECT_EQ(collection->young_blobs, 2u);
  EXPECT_THAT(collection->removed, IsEmpty());
}

TEST_F(Upkeep, SaysWhatItWouldCollectAndLeavesIt) {
  ContentStore store = open();
  ASSERT_TRUE(store.take_bytes("nobody's"));
  const auto planned = store.gc({.grace = std::chrono::seconds(0), .is_dry_run = true});
  ASSERT_EQ(planned->removed.size(), 1u);
  EXPECT_EQ(planned->freed_bytes, 8u);
  EXPECT_EQ(store.du()->blobs, 1u);
}

TEST_F(Upkeep, DoesNotClaimBytesThatAFileElsewhereStillHas) {
  ContentStore store = open();
  ASSERT_TRUE(store.take(file("package", "model")));
  const auto collection = store.gc(at_once);
  ASSERT_EQ(collection->removed.size(), 1u);
  EXPECT_FALSE(collection->removed[0].is_freed);
  EXPECT_EQ(collection->freed_bytes, 0u);
  EXPECT_EQ(*read_file(folder() / "package"), "model");
  EXPECT_FALSE(store.take(folder() / "package")->was_there) << "and it can be taken again";
}

TEST_F(Upkeep, RemovesWhatKilledProcessesLeft) {
  ContentStore store = open();
  ASSERT_TRUE(write_file(root() / "staging/12-34-5", "half"));
  {
    const Descriptor busy(::open((root() / "staging").c_str(), O_RDONLY | O_DIRECTORY));
    ASSERT_EQ(::flock(busy.get(), LOCK_SH), 0);
    EXPECT_EQ(store.gc(at_once)->temporary_files, 0u) << "some process may be writing it";
  }
  const auto collection = store.gc();
  EXPECT_EQ(collection->temporary_files, 1u);
  EXPECT_EQ(collection->temporary_bytes, 4u);
  EXPECT_EQ(files_in(root() / "staging"), 0u);
}

TEST_F(Upkeep, FindsWhatIsDamagedMissingAndStrange) {
  ContentStore store = with_two_packages();
  EXPECT_TRUE(store.verify()->is_sound());
  damage(blob_of(std::string(10, '1')), "1111x11111");
  std::filesystem::remove(blob_of(std::string(20, '2')));
  ::chmod(blob_of(std::string(1000, 'w')).c_str(), 0644);
  ASSERT_TRUE(write_file(root() / "blobs/sha256/note.txt", "hello"));
  const auto check = store.verify();
  ASSERT_TRUE(check);
  EXPECT_FALSE(check->is_sound());
  EXPECT_EQ(check->blobs, 2u);
  EXPECT_EQ(check->bytes, 1010u);
  ASSERT_EQ(check->damaged.size(), 1u);
  EXPECT_EQ(check->damaged[0].sha256, sha256(std::string(10, '1')).hex());
  EXPECT_EQ(check->damaged[0].found, sha256("1111x11111").hex());
  ASSERT_EQ(check->missing.size(), 1u);
  EXPECT_EQ(check->missing[0].owner, "second");
  EXPECT_EQ(check->missing[0].path, "model.onnx");
  EXPECT_THAT(check->writable, ElementsAre(sha256(std::string(1000, 'w')).hex()));
  EXPECT_THAT(check->strangers, ElementsAre((root() / "blobs/sha256/note.txt").string()));
  EXPECT_EQ(*read_file(blob_of(std::string(10, '1'))), "1111x11111") << "nothing is set right";
}

TEST_F(Upkeep, TellsHowFarTheCheckIs) {
  const ContentStore store = with_two_packages();
  std::uint64_t last = 0;
  ASSERT_TRUE(store.verify([&](std::uint64_t done, std::uint64_t total) {
    EXPECT_EQ(total, 1030u);
    last = done;
  }));
  EXPECT_EQ(last, 1030u);
}

TEST_F(Upkeep, MakesRoomByEvictingInTheGivenOrder) {
  ContentStore store = with_two_packages();
  const auto nothing = store.make_room(1030, {"first", "second"});
  ASSERT_TRUE(nothing);
  EXPECT_THAT(nothing->removed, IsEmpty()) << "there is room already";
  const auto room = store.make_room(1020, {"first", "second"});
  ASSERT_TRUE(room) << room.error().what;
  ASSERT_EQ(room->removed.size(), 1u);
  EXPECT_EQ(room->freed_bytes, 10u);
  EXPECT_THAT(*store.owners(), ElementsAre("second")) << "no more than was needed";
  EXPECT_TRUE(store.verify()->is_sound());
}

TEST_F(Upkeep, RefusesWhenOnlyWhatMustStayIsLeft) {
  ContentStore store = with_two_packages();
  const auto room = store.make_room(100, {"first", "unknown"});
  ASSERT_FALSE(room);
  EXPECT_EQ(room.error().what,
            "cannot bring the store '" + root().string() + "' down to 100 bytes");
  EXPECT_THAT(room.error().cause, HasSubstr("held by 1 owners that may not be evicted"));
  EXPECT_THAT(*store.owners(), ElementsAre("second"));
  EXPECT_TRUE(store.verify()->is_sound());
}

}  // namespace
}  // namespace hone
