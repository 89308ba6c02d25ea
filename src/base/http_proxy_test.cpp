// Servers that are reached through a proxy.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/http.h"
#include "base/proxy_for_tests.h"
#include "base/tls_for_tests.h"

namespace hone {
namespace {

using ::testing::HasSubstr;
using testing::TestProxy;
using testing::TestServer;
using testing::TlsServer;

// A server whose name leads nowhere but through the proxy.
class ThroughAProxy : public ::testing::Test {
 protected:
  Result<HttpResponse> ask(const std::string& url) {
    HttpRequest request;
    request.url = *parse_url(url);
    request.authorization = "Bearer secret";
    return HttpClient(settings_).send(request);
  }

  TlsServer server_{"DNS:server.example,IP:127.0.0.1"};
  TestProxy proxy_{{{"server.example:443", static_cast<std::uint16_t>(std::stoi(server_.port()))}}};
  HttpSettings settings_{.trust = {.file = server_.certificate()},
                         .proxy = {.address = proxy_.address()}};
};

TEST_F(ThroughAProxy, AServerIsReached) {
  const auto answer = ask("https://server.example/");
  ASSERT_TRUE(answer) << answer.error().what << answer.error().cause;
  EXPECT_THAT(answer->body, HasSubstr("TLSv1.3"));
  ASSERT_EQ(proxy_.requests().size(), 1u);
  EXPECT_EQ(proxy_.requests()[0].method, "CONNECT");
  EXPECT_EQ(proxy_.requests()[0].target, "server.example:443");
  EXPECT_GT(proxy_.bytes(), answer->body.size());
}

TEST_F(ThroughAProxy, CredentialsPassUnseen) {
  ASSERT_TRUE(ask("https://server.example/"));
  EXPECT_FALSE(proxy_.requests().at(0).headers.contains("authorization"));
}

TEST_F(ThroughAProxy, WhoWeAreToTheProxyIsInItsAddress) {
  settings_.proxy.address.insert(std::string("http://").size(), "user:word@");
  ASSERT_TRUE(ask("https://server.example/"));
  EXPECT_EQ(proxy_.requests().at(0).headers.at("proxy-authorization"), "Basic dXNlcjp3b3Jk");
}

TEST_F(ThroughAProxy, TheServersCertificateIsStillChecked) {
  settings_.trust = {};
  const auto answer = ask("https://server.example/");
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().cause, HasSubstr("'server.example' is not to be trusted"));
}

TEST_F(ThroughAProxy, WhoNeedsNoneIsReachedDirectly) {
  settings_.proxy.except = "localhost,127.0.0.1";
  EXPECT_TRUE(ask("https://127.0.0.1:" + server_.port() + "/"));
  EXPECT_TRUE(proxy_.requests().empty());
}

TEST_F(ThroughAProxy, ARefusalOfTheProxyIsToldAsItsOwn) {
  const auto answer = ask("https://other.example/");
  ASSERT_FALSE(answer);
  EXPECT_FALSE(is_transient(answer.error()));
  EXPECT_THAT(answer.error().cause,
              HasSubstr("the proxy does not connect us to other.example: HTTP 403"));
  EXPECT_THAT(answer.error().hint, HasSubstr("no_proxy"));
}

TEST_F(ThroughAProxy, AProxyThatIsNotThereIsSaid) {
  settings_.proxy.address = "http://" + TestServer([](testing::Peer&) {}).address();
  const auto answer = ask("https://server.example/");
  ASSERT_FALSE(answer);
  EXPECT_TRUE(is_transient(answer.error()));
  EXPECT_THAT(answer.error().cause, HasSubstr("Connection refused"));
  EXPECT_THAT(answer.error().hint, HasSubstr("https_proxy names the proxy"));
}

TEST_F(ThroughAProxy, AnAddressThatCannotBeReadIsSaidWithoutItsPassword) {
  settings_.proxy.address = "gopher://user:word@proxy.example";
  const auto answer = ask("https://server.example/");
  ASSERT_FALSE(answer);
  EXPECT_FALSE(is_transient(answer.error()));
  EXPECT_THAT(answer.error().cause, HasSubstr("the proxy cannot be used"));
  EXPECT_THAT(answer.error().cause, ::testing::Not(HasSubstr("word")));
}

TEST_F(ThroughAProxy, OnlyTheProgramSaysThatThereIsOne) {
  settings_.proxy = {};
  ::setenv("https_proxy", "http://127.0.0.1:1", 1);
  const auto answer = ask("https://127.0.0.1:" + server_.port() + "/");
  ::unsetenv("https_proxy");
  EXPECT_TRUE(answer) << answer.error().cause;
}

}  // namespace
}  // namespace hone
