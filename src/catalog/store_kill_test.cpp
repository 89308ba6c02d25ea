// A store that is used by several processes, each of which may be killed at any moment.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "base/random.h"
#include "catalog/store_fixture.h"

namespace hone {
namespace {

using testing::IsEmpty;

constexpr int kinds = 12;

// A few sizes, below and above what is read in one piece.
std::string bytes_of_kind(std::uint64_t kind) {
  return std::string(1 + kind * 131072, static_cast<char>('a' + kind));
}

class KilledStore : public StoreTest {
 protected:
  // What a process does with a store, again and again. Fails only where the store does: that
  // another process collected without a grace period what was taken a moment ago is no failure.
  Status work_once(ContentStore& store, Random& random, const std::string& owner) const {
    const std::uint64_t kind = random.below(kinds);
    const Path made = folder() / (owner + "-" + std::to_string(kind));
    HONE_TRY_DO(write_file(made, bytes_of_kind(kind)));
    const bool as_file = random.below(2) == 0;
    HONE_TRY(const StoredBlob taken,
             as_file ? store.take(made) : store.take_bytes(bytes_of_kind(kind)));
    const Status held = store.hold(owner, {{std::to_string(kind), taken.sha256, taken.bytes}});
    if (!held && held.error().fault != Fault::not_found) return held;
    if (held) HONE_TRY_DO(store.place(taken.sha256, made));
    if (random.below(3) == 0) HONE_TRY_DO(store.release(owner));
    if (random.below(3) == 0) HONE_TRY_DO(store.gc({.grace = std::chrono::seconds(0)}));
    return done();
  }

  Status work_for_ever(std::uint64_t seed) const {
    Random random(seed);
    HONE_TRY(ContentStore store, ContentStore::open(root()));
    while (true) HONE_TRY_DO(work_once(store, random, "worker-" + std::to_string(seed % 4)));
  }

  pid_t start_worker(std::uint64_t seed) const {
    const pid_t child = fork();
    if (child != 0) return child;
    const Status failed = work_for_ever(seed);
    std::fprintf(stderr, "%s: %s\n", failed.error().what.c_str(), failed.error().cause.c_str());
    _exit(7);
  }

  static void kill_worker(pid_t child) {
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status)) << "it ended by itself: something failed";
  }

  void expect_sound() const {
    const ContentStore store = open();
    const auto check = store.verify();
    ASSERT_TRUE(check) << check.error().what << ": " << check.error().cause;
    EXPECT_THAT(check->damaged, IsEmpty());
    EXPECT_THAT(check->missing, IsEmpty());
    EXPECT_THAT(check->unreadable, IsEmpty());
    EXPECT_THAT(check->writable, IsEmpty());
    EXPECT_THAT(check->strangers, IsEmpty());
  }
};

TEST_F(KilledStore, IsFoundGoodWheneverItsProcessesAreKilled) {
  Random random(20261);
  for (std::uint64_t round = 0; round < 30; ++round) {
    const pid_t first = start_worker(2 * round);
    const pid_t second = start_worker(2 * round + 1);
    std::this_thread::sleep_for(std::chrono::microseconds(20'000 + random.below(150'000)));
    kill_worker(first);
    kill_worker(second);
    expect_sound();
    if (HasFailure()) return;
  }
  ContentStore store = open();
  ASSERT_TRUE(store.gc({.grace = std::chrono::seconds(0)}));
  EXPECT_EQ(files_in(root() / "staging"), 0u);
}

TEST_F(KilledStore, GivesManyProcessesThatTakeTheSameBytesOneBlob) {
  std::vector<pid_t> children;
  for (int i = 0; i < 6; ++i) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    auto store = ContentStore::open(root());
    const std::string owner = "cell-" + std::to_string(i);
    bool is_good = static_cast<bool>(store);
    for (std::uint64_t kind = 0; is_good && kind < kinds; ++kind) {
      const auto taken = store->take(file(owner + std::to_string(kind), bytes_of_kind(kind)));
      is_good = taken && store->hold(owner, {{std::to_string(kind), taken->sha256, taken->bytes}});
    }
    _exit(is_good ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  expect_sound();
  const auto usage = open().du();
  EXPECT_EQ(usage->blobs, static_cast<std::uint64_t>(kinds));
  EXPECT_EQ(usage->files, 6u * kinds);
  EXPECT_EQ(usage->referenced_bytes, 6 * usage->bytes);
}

}  // namespace
}  // namespace hone
