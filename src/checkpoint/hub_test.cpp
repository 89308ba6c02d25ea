// A checkpoint comes, and is found again.

#include "checkpoint/hub.h"

#include "checkpoint/hub_for_tests.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

using testing::files_of;
using testing::HubAnswer;
using testing::HubVisitor;
using testing::response;
using testing::ScriptedHub;
using testing::ServedRequest;

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

}  // namespace
}  // namespace hone
