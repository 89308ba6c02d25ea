// Publishing to registries that refuse, fail, lie and send us elsewhere.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "catalog/oci/scripted_registry_for_tests.h"
#include "catalog/package_for_tests.h"

namespace hone {
namespace {

using testing::bytes_for;
using ::testing::ElementsAre;
using testing::file_of;
using ::testing::HasSubstr;
using testing::hurried;
using ::testing::Not;
using testing::opened;
using testing::package_of;
using testing::response;
using testing::ScriptedRegistry;
using testing::ServedRequest;

class Oci : public ::testing::Test {
 protected:
  Package small() const { return package_of({file_of(folder_.path(), "a", "model")}); }
  Published publish(const ScriptedRegistry& registry, const PublishOptions& options = {},
                    const PublisherSettings& settings = hurried()) const {
    return opened(registry.repository(), settings)->publish(small(), options);
  }
  TemporaryFolder folder_ = *TemporaryFolder::create("oci");
};

bool is_upload(const ServedRequest& request) {
  return request.target.find("/uploads/") != std::string::npos;
}

std::string error_body(const std::string& code, const std::string& message) {
  return R"({"errors":[{"code":")" + code + R"(","message":")" + message + R"("}]})";
}

TEST_F(Oci, PutsTheManifestLastAndAsksForIt) {
  const ScriptedRegistry registry;
  const Published published = publish(registry);
  ASSERT_EQ(published.outcome, PublishOutcome::uploaded) << published.error;
  const auto requests = registry.requests();
  EXPECT_THAT(requests.at(requests.size() - 2), HasSubstr("PUT /v2/models/manifests/0.0.0-run1"));
  EXPECT_THAT(requests.back(), HasSubstr("GET /v2/models/manifests/0.0.0-run1"));
}

TEST_F(Oci, KeepsNoListOfReferrersForARegistryThatDoes) {
  for (const bool says_so : {true, false}) {
    const ScriptedRegistry registry([&](const ServedRequest& request) {
      if (request.target.find("/referrers/") != std::string::npos)
        return response(200, R"({"manifests":[]})");
      const bool is_referrer = request.body.find("\"subject\"") != std::string::npos;
      return is_referrer && says_so
                 ? response(201, "", "OCI-Subject: sha256:" + std::string(64, 'a') + "\r\n")
                 : "";
    });
    Package package = small();
    package.evidence = file_of(folder_.path(), "manifest.json", "{\"measured\": 1}");
    const Published published = opened(registry.repository())->publish(package, {});
    ASSERT_EQ(published.outcome, PublishOutcome::uploaded) << published.error;
    EXPECT_THAT(join(registry.requests(), "\n"), Not(HasSubstr("manifests/sha256-")));
  }
}

TEST_F(Oci, SendsABlobThatCannotBeTakenFromElsewhere) {
  const ScriptedRegistry registry([](const ServedRequest& request) {
    return request.target.find("mount=") != std::string::npos ? response(403) : "";
  });
  PublisherSettings settings = hurried();
  settings.mount_from = {"not/ours"};
  const Published published = publish(registry, {}, settings);
  EXPECT_EQ(published.outcome, PublishOutcome::uploaded) << published.error;
  EXPECT_EQ(published.blobs_sent, 2u);
}

TEST_F(Oci, IsNotReadyWhereItMayNotRead) {
  const ScriptedRegistry registry([](const ServedRequest& request) {
    return request.target == "/v2/" ? "" : response(403, error_body("DENIED", "not yours"));
  });
  const Status ready = opened(registry.repository())->ready(Access::read);
  ASSERT_FALSE(ready);
  EXPECT_THAT(ready.error().cause, HasSubstr("DENIED: not yours"));
}

TEST_F(Oci, FetchesNothingThatIsNotWhatItsManifestPromises) {
  const std::string digest = "sha256:" + sha256("model").hex();
  const std::string manifest =
      R"({"layers":[{"digest":")" + digest +
      R"(","size":5,"annotations":{"org.opencontainers.image.title":"a"}}]})";
  for (const std::string& blob : {response(200, "modem"), response(200, "model and more"),
                                  response(200, "mode"), response(404), response(500)}) {
    const ScriptedRegistry registry([&](const ServedRequest& request) {
      return request.target.find("/manifests/") != std::string::npos ? response(200, manifest)
                                                                     : blob;
    });
    const auto fetched = opened(registry.repository())->fetch("v", folder_.path() / "got", {});
    EXPECT_FALSE(fetched) << blob;
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "got"));
  }
  const ScriptedRegistry liar([&](const ServedRequest&) { return response(200, manifest); });
  const auto other = opened(liar.repository())
                         ->fetch("sha256:" + std::string(64, '0'), folder_.path() / "got", {});
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().what, HasSubstr("another manifest"));
}

TEST_F(Oci, FetchesAgainWhatWasCut) {
  const std::string digest = "sha256:" + sha256("model").hex();
  int asked = 0;
  const testing::TestServer server([&](testing::Peer& peer) {
    while (const auto request = peer.next_request()) {
      const bool is_blob = request->target.find("/blobs/") != std::string::npos;
      if (is_blob && ++asked < 3)
        return (void)peer.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nmo");
      peer.write(response(
          200, is_blob
                   ? "model"
                   : R"({"layers":[{"digest":")" + digest +
                         R"(","size":5,"annotations":{"org.opencontainers.image.title":"a"}}]})"));
    }
  });
  const auto fetched =
      opened("oci://" + server.address() + "/models")->fetch("v", folder_.path() / "got", {});
  ASSERT_TRUE(fetched) << fetched.error().what << fetched.error().cause;
  EXPECT_EQ(*read_file(folder_.path() / "got/a"), "model");
  EXPECT_EQ(asked, 3);
}

TEST_F(Oci, StopsWhereItIsNotKnown) {
  for (const int status : {401, 403}) {
    const ScriptedRegistry registry([&](const ServedRequest& request) {
      return request.method == "POST" ? response(status, error_body("DENIED", "go away")) : "";
    });
    const Published published = publish(registry);
    EXPECT_EQ(published.outcome, PublishOutcome::auth_abort);
    EXPECT_THAT(published.error, HasSubstr("DENIED: go away"));
    EXPECT_EQ(registry.count("POST"), 1);
    const Status ready = opened(registry.repository(), hurried())->ready(Access::write);
    ASSERT_FALSE(ready);
    EXPECT_FALSE(ready.error().hint.empty());
  }
}

TEST_F(Oci, SaysThatARepositoryIsNotThere) {
  const ScriptedRegistry registry([](const ServedRequest& request) {
    return is_upload(request) ? response(404, error_body("NAME_UNKNOWN", "no such repository"))
                              : "";
  });
  const Published published = publish(registry);
  EXPECT_EQ(published.outcome, PublishOutcome::failed);
  EXPECT_THAT(published.error, HasSubstr("NAME_UNKNOWN: no such repository"));
}

TEST_F(Oci, TakesAConflictAsAFailure) {
  const ScriptedRegistry registry([](const ServedRequest& request) {
    const bool is_tag = request.target.find("/manifests/0.0.0") != std::string::npos;
    return is_tag && request.method == "PUT" ? response(409, error_body("TAG_IMMUTABLE", "kept"))
                                             : "";
  });
  const Published published = publish(registry);
  EXPECT_EQ(published.outcome, PublishOutcome::failed);
  EXPECT_FALSE(published.confirmed);
  EXPECT_THAT(published.error, HasSubstr("HTTP 409 TAG_IMMUTABLE"));
}

TEST_F(Oci, TriesAgainWhereTheServerHasTrouble) {
  std::set<std::string> seen;
  const ScriptedRegistry registry([&](const ServedRequest& request) {
    const std::string path = request.target.substr(0, request.target.find('?'));
    const bool is_first = seen.insert(request.method + path).second;
    return is_first ? response(503, "busy") : "";
  });
  const Published published = publish(registry);
  EXPECT_EQ(published.outcome, PublishOutcome::uploaded) << published.error;
}

TEST_F(Oci, GivesUpOnTroubleThatDoesNotPass) {
  const ScriptedRegistry registry([](const ServedRequest& request) {
    return request.method == "PATCH" ? response(500, "broken") : "";
  });
  const Published published = publish(registry);
  EXPECT_EQ(published.outcome, PublishOutcome::failed);
  EXPECT_THAT(published.error, HasSubstr("HTTP 500: broken"));
  EXPECT_EQ(registry.count("PATCH"), hurried().attempts);
}

TEST_F(Oci, SaysThatTheRegistryIsFullAndDoesNotInsist) {
  for (const std::string& answer :
       {response(507), response(500, error_body("UNKNOWN", "write x: no space left on device")),
        response(500, R"({"errors":[{"code":"UNKNOWN","detail":{"Op":"write","Err":28}}]})")}) {
    const ScriptedRegistry registry(
        [&](const ServedRequest& request) { return request.method == "PATCH" ? answer : ""; });
    const Published published = publish(registry);
    EXPECT_EQ(published.outcome, PublishOutcome::failed);
    EXPECT_THAT(published.error, HasSubstr("the registry's disk is full"));
    EXPECT_EQ(registry.count("PATCH"), 1);
  }
}

TEST_F(Oci, BelievesNoOtherDigestOfABlob) {
  const ScriptedRegistry registry([](const ServedRequest& request) {
    return is_upload(request) && request.method == "PUT"
               ? response(201, "", "Docker-Content-Digest: sha256:" + std::string(64, '0') + "\r\n")
               : "";
  });
  const Published published = publish(registry);
  EXPECT_EQ(published.outcome, PublishOutcome::failed);
  EXPECT_THAT(published.error, HasSubstr("other bytes than were sent"));
}

TEST_F(Oci, BelievesNoManifestThatIsNotTheOneItPut) {
  const ScriptedRegistry registry([put = false](const ServedRequest& request) mutable {
    const bool is_tag = request.target.find("/manifests/0.0.0") != std::string::npos;
    if (is_tag && request.method == "PUT") return put = true, response(201);
    return is_tag && put ? response(200, "{}") : "";
  });
  const Published published = publish(registry);
  EXPECT_EQ(published.outcome, PublishOutcome::failed);
  EXPECT_FALSE(published.confirmed);
  EXPECT_THAT(published.error, HasSubstr("is not there as it was put"));
}

TEST_F(Oci, SaysThatAFileChangedOnItsWay) {
  Package package = small();
  package.files.front().sha256 = sha256("other").hex();
  const ScriptedRegistry registry;
  const Published published = opened(registry.repository())->publish(package, {});
  EXPECT_EQ(published.outcome, PublishOutcome::failed);
  EXPECT_THAT(published.error, HasSubstr("DIGEST_INVALID"));
  package.files.front().bytes = 99;
  EXPECT_THAT(opened(registry.repository())->publish(package, {}).error,
              HasSubstr("is not what was built"));
}

TEST_F(Oci, GoesOnWhereTheRegistrySaysItIs) {
  const std::string weights = bytes_for(7, 100'000);
  bool refused = false;
  const ScriptedRegistry registry([&](const ServedRequest& request) {
    const bool is_second = request.headers.contains("content-range") &&
                           request.headers.at("content-range").starts_with("30000-");
    if (!is_second || refused) return std::string();
    return refused = true, response(416);
  });
  PublisherSettings settings = hurried();
  settings.chunk_bytes = 30'000;
  const Package package = package_of({file_of(folder_.path(), "w", weights)});
  const Published published = opened(registry.repository(), settings)->publish(package, {});
  ASSERT_EQ(published.outcome, PublishOutcome::uploaded) << published.error;
  EXPECT_TRUE(refused);
}

TEST_F(Oci, StartsABlobAgainThatTheRegistryForgot) {
  int forgotten = 0;
  const ScriptedRegistry registry([&](const ServedRequest& request) {
    if (request.method != "PATCH" || forgotten == 2) return std::string();
    return ++forgotten, response(404, error_body("BLOB_UPLOAD_INVALID", "lost"));
  });
  EXPECT_EQ(publish(registry).outcome, PublishOutcome::uploaded);
  const ScriptedRegistry always([&](const ServedRequest& request) {
    return request.method == "PATCH" ? response(404, error_body("BLOB_UPLOAD_INVALID", "lost"))
                                     : "";
  });
  const Published lost = publish(always);
  EXPECT_EQ(lost.outcome, PublishOutcome::failed);
  EXPECT_THAT(lost.error, HasSubstr("the registry lost the upload 4 times"));
}

TEST_F(Oci, DoesNotBelieveImpossibleProgress) {
  for (const char* range : {"0-99999999", "0-0"}) {
    const ScriptedRegistry registry([&](const ServedRequest& request) {
      return request.method == "PATCH"
                 ? response(202, "",
                            "Location: /v2/models/blobs/uploads/one\r\nRange: " +
                                std::string(range) + "\r\n")
                 : "";
    });
    const Published published = publish(registry);
    EXPECT_EQ(published.outcome, PublishOutcome::failed);
    EXPECT_THAT(published.error, HasSubstr("does not take uploads as it should"));
  }
}

TEST_F(Oci, EndsAtItsTimeLimit) {
  const ScriptedRegistry registry([](const ServedRequest& request) {
    if (request.method == "PATCH") std::this_thread::sleep_for(std::chrono::milliseconds(400));
    return std::string();
  });
  const Published published = publish(registry, {.timeout = std::chrono::milliseconds(150)});
  EXPECT_EQ(published.outcome, PublishOutcome::timeout);
  EXPECT_FALSE(published.confirmed);
}

TEST_F(Oci, ReadsTagsPageByPage) {
  const ScriptedRegistry registry([](const ServedRequest& request) {
    if (request.target == "/v2/models/tags/list?n=1000")
      return response(200, R"({"tags":["0.0.0-r-b","other"]})",
                      "Link: </v2/models/tags/list?n=1000&last=other>; rel=\"next\"\r\n");
    if (request.target == "/v2/models/tags/list?n=1000&last=other")
      return response(200, R"({"tags":["0.0.0-r-a"]})");
    return std::string();
  });
  EXPECT_THAT(*opened(registry.repository())->versions("r"), ElementsAre("0.0.0-r-a", "0.0.0-r-b"));
}

TEST_F(Oci, NeverTakesAFailureToAskForAnEmptyList) {
  for (const std::string& answer :
       {response(401), response(404), response(500), response(200, "[]"), response(200, "{}"),
        response(200, "<html>"), response(200, R"({"tags":[1]})"),
        response(200, R"({"tags":["../x"]})"),
        response(200, R"({"tags":[]})", "Link: </v2/models/tags/list?n=1000>; rel=\"next\"\r\n"),
        response(200, R"({"tags":[]})", "Link: <http://127.0.0.2:1/>; rel=\"next\"\r\n")}) {
    const ScriptedRegistry registry([&](const ServedRequest&) { return answer; });
    EXPECT_FALSE(opened(registry.repository())->versions("r")) << answer;
  }
}

TEST_F(Oci, KeepsCredentialsFromAnUploadServerElsewhere) {
  std::string seen = "nothing";
  const testing::TestServer elsewhere(testing::answering([&](const ServedRequest& request) {
    if (request.headers.contains("authorization"))
      seen = "credentials";
    else if (seen == "nothing")
      seen = "no credentials";
    const std::string digest = "sha256:" + sha256(request.method == "PATCH" ? "" : "model").hex();
    return request.method == "PUT" ? response(201)
                                   : response(202, "", "Location: /upload\r\nRange: 0-4\r\n");
  }));
  bool has_blob = false;
  const ScriptedRegistry registry([&](const ServedRequest& request) {
    EXPECT_EQ(request.headers.at("authorization"), "Bearer given");
    if (request.method == "POST" && !has_blob)
      return has_blob = true,
             response(202, "", "Location: http://" + elsewhere.address() + "/upload\r\n");
    return std::string();
  });
  PublisherSettings settings = hurried();
  settings.token = "given";
  const Published published = publish(registry, {}, settings);
  EXPECT_EQ(published.outcome, PublishOutcome::uploaded) << published.error;
  EXPECT_EQ(seen, "no credentials");
}

}  // namespace
}  // namespace hone
