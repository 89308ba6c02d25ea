// What a store does when its folder is not as it left it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/store_fixture.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr GcOptions at_once = {.grace = std::chrono::seconds(0)};

class HostileStore : public StoreTest {
 protected:
  Path list() const { return root() / "store.db"; }
  // Refused, and not a byte of store.db changed.
  Error refusal(const StoreOptions& options = {}) const {
    const std::string before = *read_file(list());
    const auto opened = ContentStore::open(root(), options);
    EXPECT_FALSE(opened);
    EXPECT_EQ(*read_file(list()), before);
    return opened ? Error() : opened.error();
  }
};

TEST_F(HostileStore, MendsADamagedBlobAndDoesNotDropTheGoodFile) {
  ContentStore store = open();
  ASSERT_TRUE(store.take_bytes("good bytes"));
  damage(blob_of("good bytes"), "evil bytes");
  const Path good = file("good", "good bytes");
  const auto taken = store.take(good);
  ASSERT_TRUE(taken) << taken.error().what;
  EXPECT_FALSE(taken->was_there);
  EXPECT_EQ(*read_file(good), "good bytes");
  EXPECT_EQ(*read_file(blob_of("good bytes")), "good bytes");
  EXPECT_TRUE(store.verify()->is_sound());
}

TEST_F(HostileStore, MendsTheDamagedOnesOfManyThatAreThereAlready) {
  ASSERT_TRUE(open().take_all({file("a", "good"), file("b", "bad"), file("c", "gone")}));
  damage(blob_of("bad"), "BAD");
  std::filesystem::remove(blob_of("gone"));
  const auto taken = open().take_all({file("d", "good"), file("e", "bad"), file("f", "gone")});
  ASSERT_TRUE(taken) << taken.error().what;
  EXPECT_TRUE((*taken)[0].was_there);
  EXPECT_FALSE((*taken)[1].was_there) << "a damaged blob is no blob";
  EXPECT_FALSE((*taken)[2].was_there);
  for (const char* bytes : {"good", "bad", "gone"}) EXPECT_EQ(*read_file(blob_of(bytes)), bytes);
}

TEST_F(HostileStore, SeesDamageThatKeepsSizeAndTime) {
  ASSERT_TRUE(open().take_bytes("good bytes"));
  const Path blob = blob_of("good bytes");
  const auto time = std::filesystem::last_write_time(blob);
  damage(blob, "evil bytes");
  std::filesystem::last_write_time(blob, time);
  ContentStore store = open();
  EXPECT_FALSE(store.take_bytes("good bytes")->was_there);
  EXPECT_EQ(*read_file(blob), "good bytes");
}

TEST_F(HostileStore, PutsTheBlobInThePlaceOfASymbolicLink) {
  ContentStore store = open();
  ASSERT_TRUE(store.take_bytes("model"));
  const Path blob = blob_of("model");
  const Path outside = file("outside", "model");
  std::filesystem::remove(blob);
  std::filesystem::create_symlink(outside, blob);
  EXPECT_FALSE(store.find(sha256("model").hex()));
  EXPECT_THAT(store.verify()->strangers, testing::ElementsAre(blob.string()));
  EXPECT_THAT(store.gc(at_once)->removed, IsEmpty());
  const auto taken = store.take(file("again", "model"));
  ASSERT_TRUE(taken) << taken.error().what;
  EXPECT_TRUE(facts(blob).is_regular);
  EXPECT_EQ(facts(outside).mode & 0200u, 0200u) << "what the link pointed to was touched";
}

TEST_F(HostileStore, DoesNotFollowAFolderThatIsALink) {
  ContentStore store = open();
  const Path elsewhere = folder() / "elsewhere";
  std::filesystem::create_directories(elsewhere);
  const std::string hash = sha256("model").hex();
  ASSERT_TRUE(write_file(elsewhere / hash, "model"));
  std::filesystem::create_directory_symlink(elsewhere, root() / "blobs/sha256" / hash.substr(0, 2));
  EXPECT_THAT(store.gc(at_once)->removed, IsEmpty());
  EXPECT_TRUE(std::filesystem::exists(elsewhere / hash));
  EXPECT_FALSE(store.find(hash));
  const auto taken = store.take_bytes("model");
  ASSERT_FALSE(taken);
  EXPECT_THAT(taken.error().what, HasSubstr("the store is damaged"));
}

TEST_F(HostileStore, RefusesAFolderUnderABlobsName) {
  ContentStore store = open();
  std::filesystem::create_directories(blob_of("model"));
  const Path source = file("source", "model");
  const auto taken = store.take(source);
  ASSERT_FALSE(taken);
  EXPECT_THAT(taken.error().what, HasSubstr("the store is damaged"));
  EXPECT_EQ(*read_file(source), "model");
  EXPECT_EQ(store.gc(at_once)->removed.size(), 0u);
}

TEST_F(HostileStore, TakesNoLinkPipeOrFolder) {
  ContentStore store = open();
  std::filesystem::create_symlink(file("target", "model"), folder() / "link");
  ASSERT_EQ(::mkfifo((folder() / "pipe").c_str(), 0600), 0);
  for (const char* name : {"link", "pipe", "."}) {
    const auto taken = store.take(folder() / name);
    ASSERT_FALSE(taken) << name;
    EXPECT_EQ(taken.error().fault, Fault::bad_input);
    EXPECT_EQ(taken.error().cause, "it is not a regular file");
  }
  EXPECT_EQ(store.take(folder() / "none").error().fault, Fault::not_found);
  EXPECT_EQ(store.du()->blobs, 0u);
}

TEST_F(HostileStore, NeitherTakesNorRemovesWhatCannotBeRead) {
  ContentStore store = open();
  const auto taken = store.take("/proc/self/mem");
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().what, "cannot read '/proc/self/mem'");
  EXPECT_EQ(taken.error().cause, "Input/output error");
}

TEST_F(HostileStore, SaysWhichBlobCannotBeReadAndLeavesIt) {
  {
    ContentStore store = open();
    ASSERT_TRUE(store.hold("cell", {held("model", *store.take_bytes("model"))}));
  }
  const Path blob = blob_of("model");
  ASSERT_EQ(::chmod(blob.c_str(), 0000), 0);
  for (const Path& path : {folder(), root(), list(), root() / "staging"}) {
    ASSERT_EQ(::chmod(path.c_str(), 0777), 0);
  }
  {
    const AsNobody unprivileged;
    ContentStore store = open();
    const auto check = store.verify();
    ASSERT_TRUE(check) << check.error().what << check.error().cause;
    EXPECT_FALSE(check->is_sound());
    ASSERT_EQ(check->unreadable.size(), 1u);
    EXPECT_EQ(check->unreadable[0].cause, "Permission denied");
  }
  EXPECT_TRUE(std::filesystem::exists(blob));
  ContentStore store = open();
  const auto taken = store.take(file("again", "model"));
  ASSERT_TRUE(taken) << taken.error().what;
  EXPECT_TRUE(taken->was_there) << "its owner gives the right to read back";
  EXPECT_EQ(facts(blob).mode, 0444u);
}

TEST_F(HostileStore, RefusesAListThatIsNoDatabase) {
  { open(); }
  ASSERT_TRUE(write_file(list(), std::string(200, 'x')));
  const Error error = refusal();
  EXPECT_EQ(error.fault, Fault::bad_input);
  EXPECT_EQ(error.what, "cannot open the store's list '" + list().string() + "'");
  EXPECT_EQ(error.cause, "file is not a database");
  EXPECT_THAT(error.hint, HasSubstr("it was left as it is"));
}

TEST_F(HostileStore, RefusesAListOfAnotherVersionOrProgram) {
  { open(); }
  std::string bytes = *read_file(list());
  constexpr std::size_t user_version = 60;    // where SQLite's format has it, big endian
  constexpr std::size_t application_id = 68;  // likewise
  bytes[user_version + 3] = 9;
  ASSERT_TRUE(write_file(list(), bytes));
  EXPECT_EQ(refusal().cause, "it has version 9, and this program reads version 1");
  bytes[application_id] = 0;
  ASSERT_TRUE(write_file(list(), bytes));
  EXPECT_THAT(refusal().what, HasSubstr("is not a list of a content store"));
}

TEST_F(HostileStore, SaysWhoKeepsItWaiting) {
  { open(); }
  const DatabaseKind locker = {
      .name = "it", .application_id = 0x686f6373, .version = 1, .is_exclusive = true};
  const auto locked = Database::open(list().string(), locker);
  ASSERT_TRUE(locked) << locked.error().what;
  const auto opened = ContentStore::open(root(), {.patience = std::chrono::milliseconds(20)});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().cause, "another process is using it");
  EXPECT_EQ(opened.error().hint, "wait for it, or stop it");
}

TEST_F(HostileStore, RefusesARootThatIsAFile) {
  ASSERT_TRUE(write_file(root(), "a letter"));
  const auto opened = ContentStore::open(root());
  ASSERT_FALSE(opened);
  EXPECT_EQ(*read_file(root()), "a letter");
  EXPECT_EQ(ContentStore::open_existing(folder() / "none").error().what,
            "there is no store at '" + (folder() / "none").string() + "'");
  EXPECT_FALSE(std::filesystem::exists(folder() / "none"));
}

}  // namespace
}  // namespace hone
