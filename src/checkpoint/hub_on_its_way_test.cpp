// A checkpoint comes whole, whatever happens on its way.

#include <sys/resource.h>

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <thread>

#include "base/killed_for_tests.h"
#include "checkpoint/hub_for_tests.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using testing::asks_for;
using ::testing::Contains;
using ::testing::EndsWith;
using testing::files_of;
using ::testing::HasSubstr;
using testing::HubAnswer;
using testing::HubVisitor;
using ::testing::Not;
using testing::response;
using testing::ScriptedHub;
using testing::ServedRequest;

// The first answer with the weights ends after so many bytes of them.
ScriptedHub::Script cut_once_after(std::size_t bytes, const std::string& weights) {
  return [=, is_cut = std::make_shared<std::atomic<bool>>(false)](
             const ServedRequest& request) -> std::optional<HubAnswer> {
    if (!asks_for(request, "GET", "?signed=yes") || is_cut->exchange(true)) return std::nullopt;
    const std::string whole = ScriptedHub::part_of(weights, request);
    return HubAnswer{whole.substr(0, whole.find("\r\n\r\n") + 4 + bytes), true};
  };
}

TEST(HubOnItsWay, GoesOnWhereTheConnectionWasCut) {
  ScriptedHub plain;
  const std::string weights = plain.files["model.safetensors"];
  const ScriptedHub hub(cut_once_after(100'000, weights));
  HubVisitor visitor(hub.endpoint());
  const auto snapshot = visitor.fetch();
  ASSERT_TRUE(snapshot) << snapshot.error().what << snapshot.error().cause;
  EXPECT_EQ(*read_file(*snapshot / "model.safetensors"), weights);
  const auto stored = hub.stored();
  ASSERT_EQ(stored.size(), 2U);
  EXPECT_FALSE(stored[0].headers.contains("range"));
  EXPECT_EQ(stored[1].headers.at("range"), "bytes=100000-");
}

TEST(HubOnItsWay, GoesOnLaterWhereItWasLeft) {
  ScriptedHub plain;
  const std::string weights = plain.files["model.safetensors"];
  const ScriptedHub hub(cut_once_after(120'000, weights));
  HubVisitor visitor(hub.endpoint());
  visitor.settings.attempts = 1;
  EXPECT_THAT(visitor.failure(), HasSubstr("120,000 of its 300,000 bytes are kept"));
  EXPECT_THAT(files_of(visitor.model() / "blobs"), Contains(EndsWith(".incomplete")));
  EXPECT_FALSE(fs::exists(visitor.model() / "refs/main"));
  const auto snapshot = visitor.fetch();
  ASSERT_TRUE(snapshot);
  EXPECT_EQ(hub.stored().back().headers.at("range"), "bytes=120000-");
  EXPECT_EQ(*read_file(*snapshot / "model.safetensors"), weights);
  EXPECT_THAT(files_of(visitor.model() / "blobs"), Not(Contains(EndsWith(".incomplete"))));
}

TEST(HubOnItsWay, StartsOverWhereTheServerKnowsNoRanges) {
  ScriptedHub plain;
  const std::string weights = plain.files["model.safetensors"];
  const auto cut = cut_once_after(100'000, weights);
  const ScriptedHub hub([&](const ServedRequest& request) -> std::optional<HubAnswer> {
    if (auto answer = cut(request)) return answer;
    if (!asks_for(request, "GET", "?signed=yes")) return std::nullopt;
    return HubAnswer{response(200, weights)};
  });
  HubVisitor visitor(hub.endpoint());
  const auto snapshot = visitor.fetch();
  ASSERT_TRUE(snapshot) << snapshot.error().what << snapshot.error().cause;
  EXPECT_EQ(*read_file(*snapshot / "model.safetensors"), weights);
}

TEST(HubOnItsWay, StartsOverWhereWhatWasLeftIsSomethingElse) {
  const ScriptedHub hub;
  for (const std::size_t bytes : {1'000U, 300'000U, 400'000U}) {
    HubVisitor visitor(hub.endpoint());
    fs::create_directories(visitor.model() / "blobs");
    const std::string name = hub.digest_of("model.safetensors") + ".incomplete";
    ASSERT_TRUE(write_file(visitor.model() / "blobs" / name, std::string(bytes, 'x')));
    const auto snapshot = visitor.fetch();
    ASSERT_TRUE(snapshot) << bytes << snapshot.error().what << snapshot.error().cause;
    EXPECT_EQ(*read_file(*snapshot / "model.safetensors"), hub.files.at("model.safetensors"));
  }
}

TEST(HubOnItsWay, StopsWhereItIsToldToAndGoesOnFromThere) {
  std::atomic<bool> stop = false;
  const ScriptedHub hub([&](const ServedRequest& request) -> std::optional<HubAnswer> {
    if (asks_for(request, "GET", "?signed=yes")) stop = true;
    return std::nullopt;
  });
  HubVisitor visitor(hub.endpoint());
  visitor.stop = &stop;
  EXPECT_THAT(visitor.failure(), HasSubstr("fetching 'model.safetensors' was stopped"));
  visitor.stop = nullptr;
  EXPECT_TRUE(visitor.fetch());
}

// No file may become larger while it lives, as on a disk that is full.
class SmallFiles {
 public:
  explicit SmallFiles(rlim_t bytes) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  SmallFiles(const SmallFiles&) = delete;
  ~SmallFiles() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  sighandler_t handler_;
};

TEST(HubOnItsWay, GoesOnWhereTheDiskTookNoMore) {
  const ScriptedHub hub;
  HubVisitor visitor(hub.endpoint());
  {
    const SmallFiles small(100'000);
    EXPECT_THAT(visitor.failure(), AllOf(HasSubstr("cannot write"), HasSubstr("too large")));
  }
  const auto snapshot = visitor.fetch();
  ASSERT_TRUE(snapshot);
  EXPECT_EQ(hub.stored().back().headers.at("range"), "bytes=100000-");
  EXPECT_EQ(*read_file(*snapshot / "model.safetensors"), hub.files.at("model.safetensors"));
}

TEST(HubOnItsWay, GivesAContentOnceToTwoThatAskAtOnce) {
  std::mutex mutex;
  std::condition_variable came;
  int visitors = 0;
  const ScriptedHub hub([&](const ServedRequest& request) -> std::optional<HubAnswer> {
    std::unique_lock lock(mutex);
    if (asks_for(request, "GET", "/api/models/")) ++visitors;
    came.notify_all();
    // The first is not done before the second has begun.
    if (asks_for(request, "GET", "/resolve/"))
      came.wait_for(lock, std::chrono::seconds(20), [&] { return visitors == 2; });
    return std::nullopt;
  });
  HubVisitor one(hub.endpoint());
  HubVisitor other(hub.endpoint());
  other.settings.cache = one.settings.cache;
  bool went_well = false;
  std::thread thread([&] { went_well = other.fetch().has_value(); });
  const auto snapshot = one.fetch();
  thread.join();
  ASSERT_TRUE(snapshot);
  EXPECT_TRUE(went_well);
  EXPECT_EQ(hub.stored().size(), 1U);
  EXPECT_EQ(hub.count("GET", "/config.json"), 1U);
  EXPECT_EQ(*read_file(*snapshot / "model.safetensors"), hub.files.at("model.safetensors"));
}

// Whatever has a final name is whole: contents, links, and what a revision stands for.
void expect_nothing_half(const HubVisitor& visitor, const ScriptedHub& hub) {
  std::set<std::string> digests;
  for (const auto& [name, bytes] : hub.files) digests.insert(hub.digest_of(name));
  for (const std::string& name : files_of(visitor.model() / "blobs")) {
    if (name.ends_with(".incomplete")) continue;
    const std::string bytes = *read_file(visitor.model() / "blobs" / name);
    EXPECT_TRUE(digests.contains(name)) << name;
    EXPECT_TRUE(sha256(bytes).hex() == name ||
                GitBlobHash(bytes.size()).add(bytes).finish() == name);
  }
  for (const std::string& name : files_of(visitor.model() / "snapshots"))
    EXPECT_EQ(*read_file(visitor.model() / "snapshots" / name),
              hub.files.at(name.substr(name.find('/') + 1)));
  if (fs::exists(visitor.model() / "refs/main")) {
    EXPECT_EQ(*read_file(visitor.model() / "refs/main"), hub.commit);
    EXPECT_EQ(files_of(visitor.model() / "snapshots").size(), 2U);
  }
}

TEST(HubOnItsWay, LeavesNothingHalfWhereItIsKilled) {
  HONE_SKIP_WITHOUT_TRACING();
  ScriptedHub hub;
  hub.files = {{"config.json", "{}"}, {"model.safetensors", std::string(100'000, 'w')}};
  bool was_killed = true;
  for (std::uint64_t step = 0; was_killed; ++step) {
    HubVisitor visitor(hub.endpoint());
    was_killed = killed_at(step, [&] { return visitor.fetch().has_value(); });
    expect_nothing_half(visitor, hub);
    const auto snapshot = visitor.fetch();
    ASSERT_TRUE(snapshot) << step << ": " << snapshot.error().what << snapshot.error().cause;
    expect_nothing_half(visitor, hub);
    EXPECT_TRUE(fs::exists(visitor.model() / "refs/main"));
    ASSERT_LT(step, 500U);
  }
}

}  // namespace
}  // namespace hone
