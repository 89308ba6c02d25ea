// TLS, as far as HttpClient promises it: the server's certificate is always checked, against its
// name and against the authorities we trust; nothing turns that off.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/http.h"
#include "base/server_for_tests.h"
#include "base/tls_for_tests.h"

namespace hone {
namespace {

using ::testing::HasSubstr;
using testing::TlsServer;

Result<HttpResponse> ask(const TlsServer& server, const std::string& host,
                         const TrustStore& trust) {
  HttpSettings settings;
  settings.trust = trust;
  HttpRequest request;
  request.url = *parse_url("https://" + host + ":" + server.port() + "/");
  return HttpClient(settings).send(request);
}

TEST(Tls, TrustsACertificateOfTheGivenFile) {
  const TlsServer server("IP:127.0.0.1,DNS:localhost");
  for (const char* host : {"127.0.0.1", "localhost"}) {
    const auto answer = ask(server, host, {.file = server.certificate(), .folder = {}});
    ASSERT_TRUE(answer) << answer.error().what << answer.error().cause;
    EXPECT_EQ(answer->status, 200);
    EXPECT_THAT(answer->body, HasSubstr("TLSv1.3"));
  }
}

TEST(Tls, RefusesACertificateThatNobodySigned) {
  const TlsServer server("IP:127.0.0.1");
  const auto answer = ask(server, "127.0.0.1", {});
  ASSERT_FALSE(answer);
  EXPECT_FALSE(is_transient(answer.error()));
  EXPECT_THAT(answer.error().cause,
              HasSubstr("the certificate of '127.0.0.1' is not to be trusted"));
  EXPECT_THAT(answer.error().hint, HasSubstr("SSL_CERT_FILE"));
}

TEST(Tls, RefusesATrustedCertificateOfAnotherName) {
  const TlsServer server("DNS:other.example");
  const TrustStore trust{.file = server.certificate(), .folder = {}};
  EXPECT_THAT(ask(server, "localhost", trust).error().cause, HasSubstr("'localhost'"));
  EXPECT_THAT(ask(server, "127.0.0.1", trust).error().cause, HasSubstr("'127.0.0.1'"));
}

TEST(Tls, SaysWhichFileOfAuthoritiesItCannotRead) {
  const TlsServer server("IP:127.0.0.1");
  const auto answer = ask(server, "127.0.0.1", {.file = "/nowhere/ca.pem", .folder = {}});
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().cause, HasSubstr("/nowhere/ca.pem"));
}

TEST(Tls, SaysWhenTheServerSpeaksSomethingElse) {
  const testing::TestServer server([](testing::Peer& peer) {
    peer.read(1000);
    peer.write("HTTP/1.1 400 Bad Request\r\n\r\n");
  });
  HttpRequest request;
  request.url = *parse_url("https://" + server.address() + "/");
  const auto answer = HttpClient({}).send(request);
  ASSERT_FALSE(answer);
  EXPECT_FALSE(is_transient(answer.error()));
  EXPECT_THAT(answer.error().cause, HasSubstr("cannot agree on TLS"));
}

TEST(Tls, CallsACutHandshakeTransient) {
  const testing::TestServer server([](testing::Peer& peer) { peer.read(1000); });
  HttpRequest request;
  request.url = *parse_url("https://" + server.address() + "/");
  const auto answer = HttpClient({}).send(request);
  ASSERT_FALSE(answer);
  EXPECT_TRUE(is_transient(answer.error())) << answer.error().cause;
}

}  // namespace
}  // namespace hone
