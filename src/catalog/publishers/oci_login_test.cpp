// Saying who we are: docker's config.json, Basic, and tokens.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.h"
#include "catalog/oci/credentials.h"
#include "catalog/oci/scripted_registry_for_tests.h"
#include "catalog/package_for_tests.h"

namespace hone {
namespace {

using ::testing::HasSubstr;
using testing::hurried;
using testing::opened;
using testing::response;
using testing::ScriptedRegistry;
using testing::ServedRequest;

std::string authorization_of(const ServedRequest& request) {
  const auto found = request.headers.find("authorization");
  return found == request.headers.end() ? "" : found->second;
}

class Login : public ::testing::Test {
 protected:
  PublisherSettings logged_in(const std::string& host, const std::string& user_and_password) {
    const std::string config = R"({"auths":{")" + host + R"(":{"auth":")" +
                               to_base64(user_and_password) + R"("}},"credsStore":"x"})";
    HONE_CHECK(write_file(folder_.path() / "config.json", config).has_value());
    PublisherSettings settings = hurried();
    settings.docker_config = folder_.path();
    return settings;
  }
  Published publish(const ScriptedRegistry& registry, const PublisherSettings& settings) {
    return opened(registry.repository(), settings)
        ->publish(testing::package_of({testing::file_of(folder_.path(), "a", "model")}), {});
  }
  TemporaryFolder folder_ = *TemporaryFolder::create("login");
};

TEST_F(Login, WithBasicUsesDockersCredentials) {
  const ScriptedRegistry registry([](const ServedRequest& request) {
    return authorization_of(request) == "Basic " + to_base64("me:secret:word")
               ? ""
               : response(401, "", "WWW-Authenticate: Basic realm=\"registry\"\r\n");
  });
  const PublisherSettings settings = logged_in(registry.address(), "me:secret:word");
  EXPECT_TRUE(opened(registry.repository(), settings)->ready(Access::write));
  EXPECT_EQ(publish(registry, settings).outcome, PublishOutcome::uploaded);
  const PublisherSettings wrong = logged_in(registry.address(), "me:other");
  EXPECT_EQ(publish(registry, wrong).outcome, PublishOutcome::auth_abort);
  EXPECT_EQ(publish(registry, hurried()).outcome, PublishOutcome::auth_abort);
}

TEST_F(Login, WithATokenAsksForItWhereItIsSentAndOnceOnly) {
  int tokens = 0;
  const testing::TestServer giver(testing::answering([&](const ServedRequest& request) {
    ++tokens;
    EXPECT_EQ(request.target,
              "/token?x=1&scope=repository%3Amodels%3Apull%2Cpush&service=the%20registry");
    return authorization_of(request) == "Basic " + to_base64("me:secret")
               ? response(200, R"({"token":"granted"})")
               : response(401);
  }));
  const ScriptedRegistry registry([&](const ServedRequest& request) {
    return authorization_of(request) == "Bearer granted"
               ? ""
               : response(401, "",
                          "WWW-Authenticate: Bearer realm=\"http://" + giver.address() +
                              "/token?x=1\",service=\"the registry\","
                              "scope=\"repository:models:pull,push\"\r\n");
  });
  const Published published = publish(registry, logged_in(registry.address(), "me:secret"));
  EXPECT_EQ(published.outcome, PublishOutcome::uploaded) << published.error;
  EXPECT_EQ(tokens, 1);
  const Published unknown = publish(registry, hurried());
  EXPECT_EQ(unknown.outcome, PublishOutcome::auth_abort);
  EXPECT_THAT(unknown.error, HasSubstr("no token from http://" + giver.address() + "/token"));
}

TEST_F(Login, GetsANewTokenWhenTheOldOneIsOver) {
  int tokens = 0;
  int asked = 0;
  const testing::TestServer giver(testing::answering([&](const ServedRequest&) {
    return response(200, R"({"access_token":"t)" + std::to_string(++tokens) + R"("})");
  }));
  const ScriptedRegistry registry([&](const ServedRequest& request) {
    const std::string valid = "Bearer t" + std::to_string(++asked < 8 ? 1 : 2);
    return authorization_of(request) == valid
               ? ""
               : response(401, "",
                          "WWW-Authenticate: Bearer realm=\"http://" + giver.address() + "/\"\r\n");
  });
  EXPECT_EQ(publish(registry, hurried()).outcome, PublishOutcome::uploaded);
  EXPECT_EQ(tokens, 2);
}

TEST_F(Login, TakesNoTokenThatIsNone) {
  for (const char* body : {"", "[]", "{}", R"({"token":1})", R"({"token":"a\r\nX: y"})"}) {
    const testing::TestServer giver(
        testing::answering([&](const ServedRequest&) { return response(200, body); }));
    const ScriptedRegistry registry([&](const ServedRequest&) {
      return response(401, "",
                      "WWW-Authenticate: Bearer realm=\"http://" + giver.address() + "/\"\r\n");
    });
    EXPECT_THAT(publish(registry, hurried()).error, HasSubstr("answers with no token")) << body;
  }
}

TEST_F(Login, SendsNothingToARealmWithoutTls) {
  const ScriptedRegistry registry([&](const ServedRequest&) {
    return response(401, "", "WWW-Authenticate: Bearer realm=\"http://evil.example/\"\r\n");
  });
  const Published published = publish(registry, logged_in(registry.address(), "me:secret"));
  EXPECT_THAT(published.error, HasSubstr("plain HTTP to 'evil.example' is refused"));
}

TEST_F(Login, ReadsDockersConfigAndNothingElseIntoIt) {
  const auto asked = [&](const std::string& config, const std::string& host) {
    EXPECT_TRUE(write_file(folder_.path() / "config.json", config));
    return oci::docker_credentials(folder_.path(), host);
  };
  EXPECT_EQ((*asked(R"({"auths":{"https://index.docker.io/v1/":{"auth":"YTpi"}}})",
                    "registry-1.docker.io"))
                ->password,
            "b");
  EXPECT_FALSE(*asked(R"({"auths":{"other":{"auth":"YTpi"}}})", "host"));
  EXPECT_FALSE(*asked("{}", "host"));
  EXPECT_FALSE(*asked(R"({"auths":{"host":{}}})", "host"));
  EXPECT_FALSE(asked("{", "host"));
  EXPECT_FALSE(asked(R"({"auths":{"host":{"auth":"!"}}})", "host"));
  EXPECT_FALSE(asked(R"({"auths":{"host":{"auth":"YQ=="}}})", "host"));
  EXPECT_FALSE(*oci::docker_credentials("/nowhere", "host"));
  EXPECT_FALSE(*oci::docker_credentials("", "host"));
}

TEST(Challenge, IsTakenApartAndBearerIsPreferred) {
  const HttpHead head{
      401,
      {{"WWW-Authenticate", "Basic realm=\"r\""},
       {"www-authenticate", "Bearer realm=\"https://a/t\" , service=s,scope=\"a:b:c,d\""}}};
  const auto challenge = oci::challenge_of(head);
  ASSERT_TRUE(challenge);
  EXPECT_EQ(challenge->scheme, "bearer");
  EXPECT_EQ(challenge->realm, "https://a/t");
  EXPECT_EQ(challenge->service, "s");
  EXPECT_EQ(challenge->scope, "a:b:c,d");
}

TEST(Challenge, ThatIsBrokenIsNone) {
  for (const char* value : {"", "Bearer", "Bearer realm", "Bearer realm=", "Negotiate abc",
                            "Bearer ,,,=,=", "Bearer service=\"unclosed"}) {
    EXPECT_FALSE(oci::challenge_of({401, {{"WWW-Authenticate", value}}})) << value;
  }
}

}  // namespace
}  // namespace hone
