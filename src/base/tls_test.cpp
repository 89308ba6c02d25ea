#include "base/tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/conversation.h"
#include "base/http.h"
#include "base/server_for_tests.h"

namespace hone {
namespace {

using ::testing::HasSubstr;

// openssl's own server with a certificate that nobody signed, for the given names.
class TlsServer {
 public:
  explicit TlsServer(const std::string& names) : folder_(*TemporaryFolder::create("tls")) {
    const auto made =
        run_process({"openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout",
                     key().string(), "-out", certificate().string(), "-days", "2", "-subj",
                     "/CN=test", "-addext", "subjectAltName=" + names});
    HONE_CHECK(made && made->ok());
    server_ = std::make_unique<Conversation>(
        *Conversation::start({"openssl", "s_server", "-accept", "127.0.0.1:0", "-www", "-key",
                              key().string(), "-cert", certificate().string()}));
    for (auto line = server_->hear(std::chrono::seconds(20)); line;
         line = server_->hear(std::chrono::seconds(20))) {
      const std::size_t port = line->rfind(':');
      if (!line->starts_with("ACCEPT")) continue;
      port_ = line->substr(port + 1);
      return;
    }
    HONE_CHECK(false);
  }

  Path certificate() const { return folder_.path() / "certificate.pem"; }
  Path key() const { return folder_.path() / "key.pem"; }
  const std::string& port() const { return port_; }

 private:
  TemporaryFolder folder_;
  std::unique_ptr<Conversation> server_;
  std::string port_;
};

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
  EXPECT_THAT(answer.error().cause, HasSubstr("is not to be trusted: self-signed certificate"));
  EXPECT_THAT(answer.error().hint, HasSubstr("SSL_CERT_FILE"));
}

TEST(Tls, RefusesATrustedCertificateOfAnotherName) {
  const TlsServer server("DNS:other.example");
  const TrustStore trust{.file = server.certificate(), .folder = {}};
  EXPECT_THAT(ask(server, "localhost", trust).error().cause, HasSubstr("hostname mismatch"));
  EXPECT_THAT(ask(server, "127.0.0.1", trust).error().cause, HasSubstr("IP address mismatch"));
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
