// A checkpoint comes, is found again, and comes whole whatever happens on its way.

#include "checkpoint/hub.h"

#include <atomic>
#include <condition_variable>
#include <thread>

#include "base/folder.h"
#include "base/killed_for_tests.h"
#include "checkpoint/hub_for_tests.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

using testing::HubAnswer;
using testing::HubVisitor;
using testing::response;
using testing::ScriptedHub;
using testing::ServedRequest;

std::vector<std::string> files_of(const Path& folder) {
  std::vector<std::string> names;
  const auto entries = walk_folder(folder);
  if (entries)
    for (const FolderEntry& entry : *entries)
      if (!entry.is_folder()) names.push_back(entry.name);
  return names;
}

bool asks_for(const ServedRequest& request, std::string_view method, std::string_view part) {
  return request.method == method && request.target.find(part) != std::string::npos;
}

// The first answer with the weights ends after so many bytes of them.
ScriptedHub::Script cut_once_after(std::size_t bytes, const std::string& weights) {
  return [=, is_cut = std::make_shared<std::atomic<bool>>(false)](
             const ServedRequest& request) -> std::optional<HubAnswer> {
    if (!asks_for(request, "GET", "?signed=yes") || is_cut->exchange(true)) return std::nullopt;
    const std::string whole = ScriptedHub::part_of(weights, request);
    return HubAnswer{whole.substr(0, whole.find("\r\n\r\n") + 4 + bytes), true};
  };
}

TEST(Hub, ComesIntoTheFoldersOfPythonsTools) {
  const ScriptedHub hub;
  HubVisitor visitor(hub.endpoint());
  const auto snapshot = visitor.fetch();
  ASSERT_TRUE(snapshot) << snapshot.error().what << ": " << snapshot.error().cause;
  EXPECT_EQ(*snapshot, visitor.model() / "snapshots" / hub.commit);
  EXPECT_THAT(files_of(*snapshot),
              ElementsAre("config.json", "model.safetensors", "tokenizer.json"));
  for (const char* name : {"config.json", "model.safetensors", "tokenizer.json"}) {
    EXPECT_EQ(fs::read_symlink(*snapshot / name), "../../blobs/" + hub.digest_of(name));
    EXPECT_EQ(*read_file(*snapshot / name), hub.files.at(name));
  }
  EXPECT_EQ(*read_file(visitor.model() / "refs/main"), hub.commit);
  EXPECT_EQ(files_of(visitor.model() / "blobs").size(), 3U);
  EXPECT_EQ(hub.count("GET", "README"), 0U);
  EXPECT_EQ(hub.count("GET", "pytorch"), 0U);
  EXPECT_GT(visitor.told.second, 300'000U);
  EXPECT_EQ(visitor.told.first, visitor.told.second);
  EXPECT_THAT(visitor.notes, IsEmpty());
}

TEST(Hub, IsNotAskedOfflineForWhatIsThere) {
  const ScriptedHub hub;
  HubVisitor visitor(hub.endpoint());
  ASSERT_TRUE(visitor.fetch());
  const std::size_t asked = hub.asked().size();
  visitor.settings.is_offline = true;
  const auto snapshot = visitor.fetch();
  ASSERT_TRUE(snapshot);
  EXPECT_EQ(*snapshot, visitor.model() / "snapshots" / hub.commit);
  EXPECT_TRUE(visitor.fetch("org/tiny@" + hub.commit));
  EXPECT_EQ(hub.asked().size(), asked);
}

TEST(Hub, IsAskedOnceWhereAllIsThere) {
  const ScriptedHub hub;
  HubVisitor visitor(hub.endpoint());
  ASSERT_TRUE(visitor.fetch());
  const std::size_t asked = hub.asked().size();
  ASSERT_TRUE(visitor.fetch());
  EXPECT_EQ(hub.asked().size(), asked + 1);
}

// As huggingface_hub lays it out, by hand.
void lay_out(const HubVisitor& visitor, const ScriptedHub& hub,
             const std::vector<std::string>& names) {
  const Path model = visitor.model();
  for (const char* folder : {"blobs", "refs"}) fs::create_directories(model / folder);
  fs::create_directories(model / "snapshots" / hub.commit);
  for (const std::string& name : names) {
    ASSERT_TRUE(write_file(model / "blobs" / hub.digest_of(name), hub.files.at(name)));
    fs::create_symlink("../../blobs/" + hub.digest_of(name),
                       model / "snapshots" / hub.commit / name);
  }
  ASSERT_TRUE(write_file(model / "refs/main", hub.commit));
}

TEST(Hub, UsesWhatPythonsToolsFetched) {
  const ScriptedHub hub;
  HubVisitor visitor(hub.endpoint());
  lay_out(visitor, hub, {"config.json", "model.safetensors"});
  visitor.settings.is_offline = true;
  ASSERT_TRUE(visitor.fetch()) << visitor.failure();
  EXPECT_THAT(hub.asked(), IsEmpty());
  visitor.settings.is_offline = false;
  const auto snapshot = visitor.fetch();
  ASSERT_TRUE(snapshot);
  EXPECT_EQ(hub.count("GET", "/resolve/"), 1U);  // tokenizer.json
  EXPECT_EQ(*read_file(*snapshot / "tokenizer.json"), "{}");
}

TEST(Hub, TakesAContentThatAnotherCommitHad) {
  ScriptedHub hub;
  HubVisitor visitor(hub.endpoint());
  ASSERT_TRUE(visitor.fetch());
  const std::size_t before = hub.stored().size();
  hub.commit = std::string(40, 'a');
  hub.files["config.json"] = "{\"model_type\": \"vit\"}";
  const auto snapshot = visitor.fetch();
  ASSERT_TRUE(snapshot);
  EXPECT_EQ(hub.stored().size(), before);
  EXPECT_EQ(*read_file(*snapshot / "config.json"), "{\"model_type\": \"vit\"}");
  EXPECT_EQ(*read_file(visitor.model() / "refs/main"), hub.commit);
}

TEST(Hub, KeepsRevisionsAndFoldersOfARepositoryAsFolders) {
  ScriptedHub hub;
  hub.files = {{"config.json", "{}"},
               {"onnx/model.onnx", std::string(1000, 'm')},
               {"onnx/model.onnx_data", std::string(2000, 'd')}};
  HubVisitor visitor(hub.endpoint());
  const auto snapshot = visitor.fetch("org/tiny@refs/pr/1");
  ASSERT_TRUE(snapshot) << visitor.failure("org/tiny@refs/pr/1");
  EXPECT_EQ(*read_file(visitor.model() / "refs/refs/pr/1"), hub.commit);
  EXPECT_EQ(fs::read_symlink(*snapshot / "onnx/model.onnx"),
            "../../../blobs/" + hub.digest_of("onnx/model.onnx"));
  EXPECT_EQ(*read_file(*snapshot / "onnx/model.onnx_data"), std::string(2000, 'd'));
  visitor.settings.is_offline = true;
  EXPECT_TRUE(visitor.fetch("org/tiny@refs/pr/1"));
}

TEST(Hub, BringsTheShardsThatTheIndexNames) {
  ScriptedHub hub;
  hub.files.erase("model.safetensors");
  hub.files["model.safetensors.index.json"] =
      R"({"weight_map": {"x": "a.safetensors", "y": "b.safetensors"}})";
  for (const char* name : {"a", "b", "c"})
    hub.files[std::string(name) + ".safetensors"] = std::string(1000, *name);
  HubVisitor visitor(hub.endpoint());
  const auto snapshot = visitor.fetch();
  ASSERT_TRUE(snapshot);
  EXPECT_THAT(files_of(*snapshot),
              UnorderedElementsAre("a.safetensors", "b.safetensors", "config.json",
                                   "model.safetensors.index.json", "tokenizer.json"));
  fs::remove(*snapshot / "b.safetensors");
  visitor.settings.is_offline = true;
  EXPECT_THAT(visitor.failure(), HasSubstr("b.safetensors"));
}

TEST(Hub, GoesOnWhereTheConnectionWasCut) {
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

TEST(Hub, GoesOnLaterWhereItWasLeft) {
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

TEST(Hub, StartsOverWhereTheServerKnowsNoRanges) {
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

TEST(Hub, StartsOverWhereWhatWasLeftIsSomethingElse) {
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

TEST(Hub, StopsWhereItIsToldToAndGoesOnFromThere) {
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

TEST(Hub, GivesTheTokenToTheHubAlone) {
  const ScriptedHub hub;
  HubVisitor visitor(hub.endpoint());
  visitor.settings.token = "hf_secret";
  ASSERT_TRUE(visitor.fetch());
  ASSERT_FALSE(hub.stored().empty());
  for (const ServedRequest& request : hub.asked())
    EXPECT_EQ(request.headers.at("authorization"), "Bearer hf_secret") << request.target;
  for (const ServedRequest& request : hub.stored())
    EXPECT_FALSE(request.headers.contains("authorization")) << request.target;
}

TEST(Hub, FollowsARepositoryToItsNewNameAndSaysSo) {
  const ScriptedHub hub([](const ServedRequest& request) -> std::optional<HubAnswer> {
    if (request.target.find("/old/name/") == std::string::npos) return std::nullopt;
    std::string target = request.target;
    target.replace(target.find("old/name"), 8, "org/tiny");
    return HubAnswer{response(307, "", "Location: " + target + "\r\n")};
  });
  HubVisitor visitor(hub.endpoint());
  visitor.settings.token = "hf_secret";
  const auto snapshot = visitor.fetch("old/name");
  ASSERT_TRUE(snapshot) << visitor.failure("old/name");
  EXPECT_EQ(*snapshot, visitor.model("models--old--name") / "snapshots" / hub.commit);
  EXPECT_THAT(visitor.notes, ElementsAre("'old/name' is called 'org/tiny' now"));
  for (const ServedRequest& request : hub.asked())
    EXPECT_EQ(request.headers.at("authorization"), "Bearer hf_secret");
}

TEST(Hub, FollowsAFileThatTheHubKeepsElsewhereInItself) {
  const ScriptedHub hub([&](const ServedRequest& request) -> std::optional<HubAnswer> {
    if (request.target.ends_with("/config.json") && request.target.starts_with("/org"))
      return HubAnswer{response(307, "", "Location: /kept/config.json\r\n")};
    if (request.target != "/kept/config.json") return std::nullopt;
    const std::string bytes = "{\"model_type\": \"bert\"}";
    return HubAnswer{ScriptedHub::part_of(
        bytes, request, "ETag: W/\"" + GitBlobHash(bytes.size()).add(bytes).finish() + "\"\r\n")};
  });
  HubVisitor visitor(hub.endpoint());
  visitor.settings.token = "hf_secret";
  const auto snapshot = visitor.fetch();
  ASSERT_TRUE(snapshot) << visitor.failure();
  EXPECT_EQ(hub.count("GET", "/kept/"), 1U);
  for (const ServedRequest& request : hub.asked())
    EXPECT_TRUE(request.headers.contains("authorization")) << request.target;
}

TEST(Hub, IsAskedAgainWhereItIsInTrouble) {
  std::mutex mutex;
  std::set<std::string> seen;
  const ScriptedHub hub([&](const ServedRequest& request) -> std::optional<HubAnswer> {
    const std::lock_guard lock(mutex);
    if (!seen.insert(request.method + request.target).second) return std::nullopt;
    return HubAnswer{response(503)};
  });
  HubVisitor visitor(hub.endpoint());
  EXPECT_TRUE(visitor.fetch()) << visitor.failure();
  EXPECT_EQ(seen.size(), 8U);  // the list, and of three files two each; one is kept elsewhere
}

TEST(Hub, OutOfReachIsNoReasonToDoWithoutWhatIsThere) {
  HubVisitor visitor("http://127.0.0.1:1");
  EXPECT_THAT(visitor.failure(), HasSubstr("cannot connect to 127.0.0.1:1"));
  lay_out(visitor, ScriptedHub(), {"config.json", "model.safetensors"});
  ASSERT_TRUE(visitor.fetch());
  ASSERT_EQ(visitor.notes.size(), 1U);
  EXPECT_THAT(visitor.notes.front(), HasSubstr("is taken from the cache, commit 0123456789"));
}

TEST(Hub, GivesAContentOnceToTwoThatAskAtOnce) {
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

TEST(Hub, LeavesNothingHalfWhereItIsKilled) {
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
