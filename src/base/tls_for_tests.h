#pragma once
// Certificates that nobody signed, and a server that has one, both made by openssl.

#include <memory>
#include <string>

#include "base/conversation.h"
#include "base/file.h"
#include "base/process.h"

namespace hone::testing {

class TestCertificate {
 public:
  // "IP:127.0.0.1,DNS:localhost".
  explicit TestCertificate(const std::string& names) : folder_(*TemporaryFolder::create("tls")) {
    const auto made = run_process({"openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes",
                                   "-keyout", key().string(), "-out", file().string(), "-days", "2",
                                   "-subj", "/CN=test", "-addext", "subjectAltName=" + names});
    HONE_CHECK(made && made->ok());
  }

  Path file() const { return folder_.path() / "certificate.pem"; }
  Path key() const { return folder_.path() / "key.pem"; }

 private:
  TemporaryFolder folder_;
};

// Answers every request with a page about the connection.
class TlsServer {
 public:
  explicit TlsServer(const std::string& names) : certificate_(names) {
    server_ = std::make_unique<Conversation>(
        *Conversation::start({"openssl", "s_server", "-accept", "127.0.0.1:0", "-www", "-key",
                              certificate_.key().string(), "-cert", certificate_.file().string()}));
    for (auto line = server_->hear(std::chrono::seconds(20)); line;
         line = server_->hear(std::chrono::seconds(20))) {
      const std::size_t port = line->rfind(':');
      if (!line->starts_with("ACCEPT")) continue;
      port_ = line->substr(port + 1);
      return;
    }
    HONE_CHECK(false);
  }

  Path certificate() const { return certificate_.file(); }
  const std::string& port() const { return port_; }

 private:
  TestCertificate certificate_;
  std::unique_ptr<Conversation> server_;
  std::string port_;
};

}  // namespace hone::testing
