// What a hub refuses, and what it may not do to us.

#include "base/folder.h"
#include "checkpoint/hub_for_tests.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::HubAnswer;
using testing::HubVisitor;
using ::testing::Not;
using testing::response;
using testing::ScriptedHub;
using testing::ServedRequest;

// Every request whose target has this part is answered so.
ScriptedHub::Script answering_to(const std::string& part, const std::string& answer) {
  return [=](const ServedRequest& request) -> std::optional<HubAnswer> {
    if (request.target.find(part) == std::string::npos) return std::nullopt;
    const bool has_no_body = request.method == "HEAD";
    return HubAnswer{has_no_body ? answer.substr(0, answer.find("\r\n\r\n") + 4) : answer};
  };
}

std::string failure_with(const std::string& part, const std::string& answer,
                         const std::string& token = {}) {
  const ScriptedHub hub(answering_to(part, answer));
  HubVisitor visitor(hub.endpoint());
  visitor.settings.token = token;
  const std::string said = visitor.failure();
  if (!token.empty()) EXPECT_THAT(said, Not(HasSubstr(token)));
  EXPECT_FALSE(fs::exists(visitor.model() / "refs/main"));
  return said;
}

TEST(HubRefusal, SaysWhereALicenceIsAccepted) {
  const std::string gated =
      response(403, "", "X-Error-Code: GatedRepo\r\nX-Error-Message: Access is restricted\r\n");
  const std::string stranger = failure_with("/api/", gated);
  EXPECT_THAT(stranger, AllOf(HasSubstr("accepted its licence"), HasSubstr("/org/tiny"),
                              HasSubstr("set HF_TOKEN"), HasSubstr("Access is restricted")));
  EXPECT_THAT(
      failure_with("/resolve/", gated, "hf_secret"),
      AllOf(HasSubstr("accept it at http://127.0.0.1"), HasSubstr("the owner of HF_TOKEN")));
  EXPECT_THAT(failure_with("/api/", response(401, "", "X-Error-Code: GatedRepo\r\n")),
              HasSubstr("accepted its licence"));
}

TEST(HubRefusal, TellsATokenThatIsNotKnownFromARepositoryThatIsNotThere) {
  EXPECT_THAT(failure_with("/api/",
                           response(401, "",
                                    "X-Error-Message: Invalid credentials in Authorization "
                                    "header\r\n"),
                           "hf_secret"),
              AllOf(HasSubstr("does not know the token"), HasSubstr("set HF_TOKEN")));
  EXPECT_THAT(failure_with("/api/", response(401, "")),
              AllOf(HasSubstr("there is no 'org/tiny'"), HasSubstr("or it is private"),
                    HasSubstr("HF_TOKEN")));
}

TEST(HubRefusal, SuggestsTheNameThatWasMeant) {
  const ScriptedHub hub(
      answering_to("search=", response(200, R"([{"id": "other/thing"}, {"id": "org/tiny"}])")));
  HubVisitor visitor(hub.endpoint());
  EXPECT_THAT(visitor.failure("org/tinny"),
              AllOf(HasSubstr("there is no 'org/tinny'"), HasSubstr("did you mean 'org/tiny'?")));
  const ScriptedHub with_refs(answering_to(
      "/refs", response(200, R"({"branches": [{"name": "main"}], "tags": [{"name": "v1.0"}]})")));
  HubVisitor again(with_refs.endpoint());
  EXPECT_THAT(again.failure("org/tiny@v1.1"),
              AllOf(HasSubstr("has no revision 'v1.1'"), HasSubstr("did you mean 'v1.0'?")));
}

TEST(HubRefusal, SaysWhatIsInTheCacheWhereNothingMayBeAsked) {
  const ScriptedHub hub;
  HubVisitor visitor(hub.endpoint());
  visitor.settings.is_offline = true;
  EXPECT_THAT(visitor.failure(), AllOf(HasSubstr("it is not there"), HasSubstr("has no models"),
                                       HasSubstr("HF_HUB_OFFLINE")));
  visitor.settings.is_offline = false;
  ASSERT_TRUE(visitor.fetch());
  visitor.settings.is_offline = true;
  EXPECT_THAT(visitor.failure("org/other"), HasSubstr("the cache has org/tiny"));
  EXPECT_THAT(visitor.failure("org/tiny@v2"),
              AllOf(HasSubstr("the revisions main"), HasSubstr("the commits " + hub.commit)));
  fs::remove(visitor.model() / "blobs" / hub.digest_of("model.safetensors"));
  EXPECT_THAT(visitor.failure(), HasSubstr("its snapshot is not whole"));
}

TEST(HubRefusal, OfTooManyRequestsSaysWhatAllowsMore) {
  EXPECT_THAT(failure_with("/api/", response(429, "slow down", "Retry-After: 0\r\n")),
              AllOf(HasSubstr("too many requests"), HasSubstr("slow down"), HasSubstr("HF_TOKEN")));
}

TEST(HubRefusal, OfPicklesNamesThem) {
  ScriptedHub hub;
  hub.files.erase("model.safetensors");
  HubVisitor visitor(hub.endpoint());
  EXPECT_THAT(visitor.failure(), AllOf(HasSubstr("pytorch_model.bin"), HasSubstr("pickle")));
  EXPECT_EQ(hub.asked().size(), 1U);
}

TEST(HubRefusal, NamesAProxyThatDoesNotWork) {
  HubVisitor visitor("https://hub.example");
  visitor.settings.http.proxy.address = "http://name:password@127.0.0.1:1";
  EXPECT_THAT(visitor.failure(), AllOf(HasSubstr("https_proxy"), Not(HasSubstr("password"))));
}

TEST(HubRefusal, KeepsATokenFromPlainHttpAndFromItsMessages) {
  HubVisitor visitor("http://hub.example");
  visitor.settings.token = "hf_secret";
  EXPECT_THAT(visitor.failure(), AllOf(HasSubstr("plain HTTP"), Not(HasSubstr("hf_secret"))));
  visitor.settings.token = "hf_secret\r\nX-More: 1";
  EXPECT_THAT(visitor.failure(), AllOf(HasSubstr("HF_TOKEN"), Not(HasSubstr("hf_secret"))));
  visitor.settings.endpoint = "hub";
  EXPECT_THAT(visitor.failure(), HasSubstr("HF_ENDPOINT"));
}

TEST(HubRefusal, ToFollowIntoACircleComesToAnEnd) {
  EXPECT_THAT(failure_with("/resolve/", response(302, "", "Location: /org/tiny/resolve/\r\n")),
              HasSubstr("from place to place"));
}

TEST(HostileHub, KeepsNothingUnderANameThatIsWrong) {
  for (const std::string name : {"model.safetensors", "config.json"}) {
    const ScriptedHub right;
    std::string wrong = right.files.at(name);
    wrong[wrong.size() / 2] ^= 1;
    const ScriptedHub hub([&](const ServedRequest& request) -> std::optional<HubAnswer> {
      const bool is_it = request.method == "GET" &&
                         (request.target.find(right.digest_of(name)) != std::string::npos ||
                          request.target.ends_with("/config.json")) &&
                         (name == "config.json") == request.target.ends_with("/config.json");
      return is_it ? std::optional<HubAnswer>({response(200, wrong), false}) : std::nullopt;
    });
    HubVisitor visitor(hub.endpoint());
    EXPECT_THAT(visitor.failure(), AllOf(HasSubstr("'" + name + "' is not what the hub said"),
                                         HasSubstr("instead of " + right.digest_of(name))));
    EXPECT_FALSE(fs::exists(visitor.model() / "blobs" / right.digest_of(name)));
    EXPECT_FALSE(fs::exists(visitor.model() / "blobs" / (right.digest_of(name) + ".incomplete")));
    EXPECT_FALSE(fs::exists(visitor.model() / "snapshots" / right.commit / name));
    EXPECT_FALSE(fs::exists(visitor.model() / "refs/main"));
  }
}

TEST(HostileHub, WritesNothingOutsideOfItsFolder) {
  for (const char* name : {"../x", "/etc/x", "a/../../x", "a\\\\b", "a\\u0000b", "a\\nb", ""}) {
    const std::string listing = R"({"sha": ")" + std::string(40, 'a') +
                                R"(", "siblings": [{"rfilename": "config.json"}, {"rfilename": ")" +
                                std::string(name) + R"("}]})";
    EXPECT_THAT(failure_with("/api/", response(200, listing)),
                HasSubstr("no name of a file below a folder"))
        << name;
  }
}

TEST(HostileHub, CannotSayACommitThatIsAPath) {
  for (const char* commit :
       {"../../x", "", "0123", "main", "ABCDEF6789abcdef0123456789abcdef01234567"})
    EXPECT_THAT(failure_with("/api/", response(200, R"({"siblings": [], "sha": ")" +
                                                        std::string(commit) + "\"}")),
                HasSubstr("is no commit"));
}

TEST(HostileHub, MayAnswerWithAnythingButJson) {
  EXPECT_THAT(failure_with("/api/", response(200, "<html>log in</html>")),
              AllOf(HasSubstr("it is no JSON"), HasSubstr("login page")));
  const std::string start = R"({"sha": ")" + std::string(40, 'a') + "\"";
  for (const std::string& answer :
       {std::string("[]"), std::string("{}"), std::string("7"), start + "}",
        start + R"(, "siblings": 7})", start + R"(, "siblings": [7]})",
        start + R"(, "siblings": [{"rfilename": 7}]})"})
    EXPECT_THAT(failure_with("/api/", response(200, answer)), HasSubstr("cannot be used"))
        << answer;
}

TEST(HostileHub, MayNotListFilesWithoutEnd) {
  std::string listing = R"({"sha": ")" + std::string(40, 'a') + R"(", "siblings": [{})";
  for (int i = 0; i < 100'000; ++i) listing += ",{}";
  EXPECT_THAT(failure_with("/api/", response(200, listing + "]}")),
              HasSubstr("it lists 100,001 files"));
}

// What it says of the configuration, which has 22 bytes.
std::string failure_of_head(const std::string& headers) {
  return failure_with("/config.json", "HTTP/1.1 200 Said\r\n" + headers + "\r\n");
}

TEST(HostileHub, HasToSayWhatAFileIs) {
  EXPECT_THAT(failure_of_head("Content-Length: 22\r\n"), HasSubstr("its ETag is ''"));
  EXPECT_THAT(failure_of_head("Content-Length: 22\r\nETag: \"../../x\"\r\n"),
              HasSubstr("no digest"));
  const std::string tag = "ETag: \"" + std::string(64, 'a') + "\"\r\n";
  EXPECT_THAT(failure_of_head(tag + "X-Linked-Size: -1\r\n"), HasSubstr("how large"));
  EXPECT_THAT(failure_of_head(tag + "X-Linked-Size: 99999999999999999999\r\n"),
              HasSubstr("how large"));
  EXPECT_THAT(failure_of_head(tag + "Content-Length: 22\r\nX-Repo-Commit: other\r\n"),
              HasSubstr("it is of commit 'other'"));
}

TEST(HostileHub, CannotLetAnotherHostSayWhatAFileIs) {
  const ScriptedHub* store = nullptr;
  const ScriptedHub hub([&](const ServedRequest& request) -> std::optional<HubAnswer> {
    if (request.method != "HEAD" || request.target.find("/resolve/") == std::string::npos)
      return std::nullopt;
    return HubAnswer{response(302, "", "Location: " + store->endpoint() + "/x\r\n")};
  });
  const ScriptedHub other;
  store = &other;
  HubVisitor visitor(hub.endpoint());
  visitor.settings.token = "hf_secret";
  EXPECT_THAT(visitor.failure(), HasSubstr("its ETag is ''"));
  EXPECT_TRUE(other.asked().empty());
}

TEST(HostileHub, CannotFillTheDisk) {
  const std::string tag = "ETag: \"" + std::string(64, 'a') + "\"\r\n";
  const ScriptedHub hub(answering_to(
      "/config.json", "HTTP/1.1 200 Said\r\n" + tag + "X-Linked-Size: 1125899906842624\r\n\r\n"));
  HubVisitor visitor(hub.endpoint());
  const auto fetched = visitor.fetch();
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().trouble, Trouble::disk_full);
  EXPECT_THAT(fetched.error().what, HasSubstr("does not fit"));
  EXPECT_THAT(fetched.error().hint, HasSubstr("HF_HUB_CACHE"));
  EXPECT_EQ(hub.count("GET", "/resolve/"), 0U);
}

TEST(HostileHub, IsHeldToTheSizeItSaid) {
  const ScriptedHub right;
  const std::string known =
      "X-Linked-Etag: \"" + right.digest_of("model.safetensors") + "\"\r\nETag: \"x\"\r\n";
  for (const char* size : {"299999", "300001", "0"}) {
    const ScriptedHub hub([&](const ServedRequest& request) -> std::optional<HubAnswer> {
      if (request.method != "HEAD" || !request.target.ends_with("model.safetensors"))
        return std::nullopt;
      return HubAnswer{"HTTP/1.1 302 Said\r\n" + known + "X-Linked-Size: " + size + "\r\n\r\n"};
    });
    HubVisitor visitor(hub.endpoint());
    EXPECT_THAT(visitor.failure(), HasSubstr("is not what the hub said of it"));
    const auto blobs = files_in(visitor.model() / "blobs");
    ASSERT_TRUE(blobs);
    EXPECT_EQ(blobs->size(), 2U);  // the configuration and the tokenizer
  }
}

TEST(HostileHub, SendsAnotherPartThanTheOneAskedFor) {
  const ScriptedHub right;
  const ScriptedHub hub([&](const ServedRequest& request) -> std::optional<HubAnswer> {
    if (!request.headers.contains("range")) return std::nullopt;
    return HubAnswer{
        response(206, std::string(200'000, 'w'), "Content-Range: bytes 7-200006/300000\r\n")};
  });
  HubVisitor visitor(hub.endpoint());
  fs::create_directories(visitor.model() / "blobs");
  ASSERT_TRUE(
      write_file(visitor.model() / "blobs" / (right.digest_of("model.safetensors") + ".incomplete"),
                 std::string(100'000, 'w')));
  EXPECT_THAT(visitor.failure(), HasSubstr("the server sends 'bytes 7-200006/300000'"));
}

}  // namespace
}  // namespace hone
