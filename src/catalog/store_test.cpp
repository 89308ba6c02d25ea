#include "catalog/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "catalog/store_fixture.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Store : public StoreTest {};

TEST_F(Store, MakesTheFirstFileTheBlobItself) {
  ContentStore store = open();
  const Path first = file("first", "weights");
  const auto inode = facts(first).inode;
  const auto taken = store.take(first);
  ASSERT_TRUE(taken) << taken.error().what;
  EXPECT_EQ(taken->sha256, sha256("weights").hex());
  EXPECT_EQ(taken->bytes, 7u);
  EXPECT_FALSE(taken->was_there);
  EXPECT_EQ(facts(blob_of("weights")).inode, inode);
  EXPECT_EQ(facts(first).inode, inode);
  EXPECT_EQ(facts(first).mode, 0444u);
  EXPECT_EQ(files_in(root() / "staging"), 0u);
}

TEST_F(Store, ReplacesASecondFileOfTheSameBytesByALink) {
  ContentStore store = open();
  ASSERT_TRUE(store.take(file("first", "weights")));
  const Path second = file("second", "weights");
  const auto taken = store.take(second);
  ASSERT_TRUE(taken) << taken.error().what;
  EXPECT_TRUE(taken->was_there);
  EXPECT_TRUE(facts(second).is_same_file(facts(blob_of("weights"))));
  EXPECT_EQ(*read_file(second), "weights");
  EXPECT_EQ(files_in(root() / "staging"), 0u);
  EXPECT_TRUE(store.take(second)->was_there) << "and once more";
}

TEST_F(Store, KeepsFilesApartThatDifferUnderOneName) {
  ContentStore store = open();
  const auto a = store.take(file("a", "one"));
  const auto b = store.take(file("b", "two"));
  ASSERT_TRUE(a && b);
  EXPECT_NE(a->sha256, b->sha256);
  EXPECT_EQ(*read_file(folder() / "b"), "two");
}

TEST_F(Store, CopiesAFileThatHasOtherNames) {
  ContentStore store = open();
  const Path shared = file("shared", "weights");
  const Path other = folder() / "other";
  std::filesystem::create_hard_link(shared, other);
  ASSERT_TRUE(store.take(shared));
  EXPECT_FALSE(facts(other).is_same_file(facts(blob_of("weights"))));
  EXPECT_NE(facts(other).mode, 0444u) << "a file nobody gave us was changed";
  EXPECT_TRUE(facts(shared).is_same_file(facts(blob_of("weights"))));
}

TEST_F(Store, CopiesAFileOfAnotherDisk) {
  const Path elsewhere = "/dev/shm/hone-store-test-" + std::to_string(::getpid());
  if (!write_file(elsewhere, "weights") || facts(elsewhere).device == facts(folder()).device) {
    GTEST_SKIP() << "there is no second file system at /dev/shm";
  }
  ContentStore store = open();
  const auto taken = store.take(elsewhere);
  const auto again = store.take(elsewhere);
  const std::string bytes = *read_file(elsewhere);
  ASSERT_TRUE(taken) << taken.error().what;
  EXPECT_TRUE(store.place(taken->sha256, elsewhere));
  EXPECT_EQ(*read_file(elsewhere), "weights");
  EXPECT_EQ(facts(elsewhere).mode, 0444u);
  std::filesystem::remove(elsewhere);
  EXPECT_EQ(bytes, "weights");
  EXPECT_EQ(*read_file(blob_of("weights")), "weights");
  EXPECT_TRUE(again && again->was_there);
}

TEST_F(Store, TakesBytesAndManyFiles) {
  ContentStore store = open();
  EXPECT_FALSE(store.take_bytes("config")->was_there);
  EXPECT_TRUE(store.take_bytes("config")->was_there);
  EXPECT_EQ(facts(blob_of("config")).mode, 0444u);
  EXPECT_EQ(store.take_bytes("")->sha256, sha256("").hex());
  const auto taken =
      store.take_all({file("a", "config"), file("b", "model"), file("c", "model"), file("d", "")});
  ASSERT_TRUE(taken) << taken.error().what;
  ASSERT_EQ(taken->size(), 4u);
  EXPECT_TRUE((*taken)[0].was_there);
  EXPECT_FALSE((*taken)[1].was_there);
  EXPECT_TRUE((*taken)[2].was_there);
  EXPECT_TRUE(facts(folder() / "b").is_same_file(facts(folder() / "c")));
}

TEST_F(Store, HoldsOtherFilesInsteadInOneStep) {
  ContentStore store = open();
  const StoredBlob old = *store.take_bytes("old");
  const StoredBlob fresh = *store.take_bytes("new");
  ASSERT_TRUE(store.hold("cell", {held("stage/model.onnx", old)}));
  ASSERT_FALSE(store.hold_instead("cell", {{"model.onnx", sha256("absent").hex(), 6}}));
  EXPECT_EQ(store.held_by("cell")->size(), 1u) << "what cannot be held changes nothing";
  ASSERT_TRUE(store.hold_instead("cell", {held("model.onnx", fresh)}));
  const auto now = store.held_by("cell");
  ASSERT_EQ(now->size(), 1u);
  EXPECT_EQ(now->front().sha256, fresh.sha256);
}

TEST_F(Store, RefusesAFileThatIsBeingWritten) {
  ContentStore store = open();
  const Path growing = file("growing", "half of it");
  const int writer = ::open(growing.c_str(), O_WRONLY | O_APPEND);
  const auto taken = store.take(growing);
  ::close(writer);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().what, "cannot take '" + growing.string() + "' into the store");
  EXPECT_EQ(taken.error().cause, "a process has it open for writing");
  EXPECT_EQ(facts(growing).mode & 0200u, 0200u) << "it must be left as it was";
  EXPECT_FALSE(store.find(sha256("half of it").hex()));
  EXPECT_TRUE(store.take(growing)) << "now that it is finished";
}

// Writes over the file as it is, and makes a new one where it may not.
void overwrite(const Path& path, char letter) {
  const std::string bytes(1 << 20, letter);
  const int descriptor = ::open(path.c_str(), O_WRONLY);
  if (descriptor < 0) {
    (void)write_file(path, bytes);
    ::chmod(path.c_str(), 0644);
    return;
  }
  EXPECT_EQ(::write(descriptor, bytes.data(), bytes.size()), 1 << 20);
  ::close(descriptor);
}

TEST_F(Store, IsNotPoisonedByAFileThatKeepsChanging) {
  ASSERT_EQ(::chmod(folder().c_str(), 0777), 0);
  const AsNobody unprivileged;
  ContentStore store = open();
  const Path changing = file("changing", std::string(1 << 20, 'a'));
  int taken = 0;
  {
    std::jthread writer([&](const std::stop_token& stop) {
      for (int i = 0; !stop.stop_requested(); ++i) {
        overwrite(changing, static_cast<char>('a' + i % 26));
        if (i % 3 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(8));
      }
    });
    for (int i = 0; i < 300; ++i) taken += store.take(changing) ? 1 : 0;
  }
  RecordProperty("taken", taken);
  const auto check = store.verify();
  ASSERT_TRUE(check);
  EXPECT_THAT(check->damaged, IsEmpty());
  EXPECT_THAT(check->writable, IsEmpty());
}

TEST_F(Store, PlacesABlobWhereItIsWanted) {
  ContentStore store = open();
  const StoredBlob blob = *store.take_bytes("model");
  const Path to = folder() / "package.onnx";
  ASSERT_TRUE(store.place(blob.sha256, to));
  EXPECT_TRUE(facts(to).is_same_file(facts(blob_of("model"))));
  EXPECT_EQ(facts(to).mode, 0444u);
  ASSERT_TRUE(store.place(store.take_bytes("another")->sha256, to)) << "over what is there";
  EXPECT_EQ(*read_file(to), "another");
  EXPECT_EQ(*read_file(blob_of("model")), "model");
  EXPECT_EQ(files_in(root() / "staging"), 0u);
  const Status nowhere = store.place(blob.sha256, folder() / "none" / "x");
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().fault, Fault::not_found);
}

TEST_F(Store, SaysWhatItDoesNotHave) {
  const ContentStore store = open();
  const std::string hash = sha256("never seen").hex();
  const auto found = store.find(hash);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().fault, Fault::not_found);
  EXPECT_EQ(found.error().what, "the store has no blob " + hash);
  EXPECT_EQ(store.find("../../etc/passwd").error().fault, Fault::bad_input);
  EXPECT_EQ(store.find(std::string(64, 'A')).error().fault, Fault::bad_input);
}

TEST_F(Store, RemembersWhoHoldsWhat) {
  {
    ContentStore store = open();
    const StoredBlob model = *store.take_bytes("model");
    const StoredBlob weights = *store.take_bytes("weights");
    ASSERT_TRUE(store.hold("bert@cpu", {held("model.onnx", model), held("w", weights)}));
    ASSERT_TRUE(store.hold("bert@npu", {held("model.onnx", weights)}));
    ASSERT_TRUE(store.hold("bert@npu", {held("model.onnx", model)})) << "the same path again";
  }
  ContentStore store = open();
  EXPECT_THAT(*store.owners(), ElementsAre("bert@cpu", "bert@npu"));
  const auto files = store.held_by("bert@npu");
  ASSERT_EQ(files->size(), 1u);
  EXPECT_EQ((*files)[0].path, "model.onnx");
  EXPECT_EQ((*files)[0].sha256, sha256("model").hex());
  EXPECT_EQ((*files)[0].bytes, 5u);
  ASSERT_TRUE(store.release("bert@cpu"));
  ASSERT_TRUE(store.release("nobody"));
  EXPECT_THAT(*store.owners(), ElementsAre("bert@npu"));
  EXPECT_THAT(*store.held_by("bert@cpu"), IsEmpty());
}

TEST_F(Store, LetsNobodyHoldWhatIsNotThere) {
  ContentStore store = open();
  const StoredBlob model = *store.take_bytes("model");
  const auto refused = [&](const HeldFile& bad) {
    const Status status = store.hold("cell", {held("model.onnx", model), bad});
    EXPECT_FALSE(status);
    EXPECT_THAT(*store.owners(), IsEmpty()) << "all of it or nothing";
    return status ? Error() : status.error();
  };
  EXPECT_EQ(refused({"x", sha256("none").hex(), 4}).fault, Fault::not_found);
  EXPECT_THAT(refused({"x", model.sha256, 6}).what, HasSubstr("has another size"));
  EXPECT_EQ(refused({"../x", model.sha256, 5}).fault, Fault::bad_input);
  EXPECT_EQ(refused({"x", "model", 5}).fault, Fault::bad_input);
  EXPECT_FALSE(store.hold("", {held("model.onnx", model)}));
}

}  // namespace
}  // namespace hone
