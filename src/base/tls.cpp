#include "base/tls.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>

namespace hone {
namespace {

SSL_CTX* context_in(void* context) { return static_cast<SSL_CTX*>(context); }
SSL* session_in(void* session) { return static_cast<SSL*>(session); }

std::string last_problem() {
  std::array<char, 256> text{};
  const unsigned long code = ERR_get_error();
  if (code == 0) return "";
  ERR_error_string_n(code, text.data(), text.size());
  return text.data();
}

// Debian and its kin, Fedora and its kin, SUSE, Alpine.
constexpr std::array known_files = {"/etc/ssl/certs/ca-certificates.crt",
                                    "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
                                    "/etc/ssl/cert.pem"};
constexpr std::array known_folders = {"/etc/ssl/certs", "/etc/pki/tls/certs"};

template <std::size_t Count>
Path first_there(const std::array<const char*, Count>& candidates) {
  std::error_code ignored;
  for (const char* candidate : candidates) {
    if (std::filesystem::exists(candidate, ignored)) return candidate;
  }
  return {};
}

Failure cannot_trust(const Path& place) {
  return fail(Fault::not_found, "cannot read certificates from '" + place.string() + "'",
              last_problem(), "SSL_CERT_FILE and SSL_CERT_DIR say where they are");
}

Status load_trust(SSL_CTX* context, const TrustStore& trust) {
  const Path file = trust.file.empty() ? first_there(known_files) : trust.file;
  const Path folder = trust.folder.empty() ? first_there(known_folders) : trust.folder;
  if (!file.empty() && SSL_CTX_load_verify_file(context, file.c_str()) != 1)
    return cannot_trust(file);
  if (!folder.empty() && SSL_CTX_load_verify_dir(context, folder.c_str()) != 1)
    return cannot_trust(folder);
  return done();
}

bool is_address(const std::string& host) {
  in6_addr address{};
  return ::inet_pton(AF_INET, host.c_str(), &address) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

// Whose certificate we want to see.
bool expect_host(SSL* session, const std::string& host) {
  if (is_address(host))
    return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), host.c_str()) == 1;
  SSL_set_hostflags(session, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return SSL_set1_host(session, host.c_str()) == 1 &&
         SSL_set_tlsext_host_name(session, host.c_str()) == 1;
}

Failure no_handshake(SSL* session, const std::string& host) {
  const long verdict = SSL_get_verify_result(session);
  if (verdict != X509_V_OK) {
    return fail(Fault::runtime, "the certificate of '" + host + "' is not to be trusted",
                X509_verify_cert_error_string(verdict),
                "SSL_CERT_FILE names a file of the authorities you trust");
  }
  return fail(Fault::runtime, "cannot agree on TLS with '" + host + "'", last_problem());
}

Failure cut_short() {
  return fail(Fault::io, "the connection was cut", "TLS ended without saying so");
}

}  // namespace

void TlsContext::Free::operator()(void* context) const { SSL_CTX_free(context_in(context)); }
void TlsConnection::Free::operator()(void* session) const { SSL_free(session_in(session)); }

Result<TlsContext> TlsContext::create(const TrustStore& trust) {
  ERR_clear_error();
  TlsContext made;
  SSL_CTX* context = SSL_CTX_new(TLS_client_method());
  HONE_CHECK(context != nullptr);
  made.context_.reset(context);
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  HONE_TRY_DO(load_trust(context, trust));
  return made;
}

Result<TlsConnection> TlsConnection::open(const TlsContext& context, Socket socket,
                                          const std::string& host, const Patience& patience) {
  TlsConnection made(std::move(socket));
  SSL* session = SSL_new(context_in(context.context_.get()));
  HONE_CHECK(session != nullptr);
  made.session_.reset(session);
  // TLS talks to memory and we to the socket: one place waits, and no write raises SIGPIPE.
  SSL_set_bio(session, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  SSL_set_connect_state(session);
  HONE_TRY_DO(made.shake_hands(host, patience));
  return made;
}

Status TlsConnection::shake_hands(const std::string& host, const Patience& patience) {
  SSL* session = session_in(session_.get());
  if (!expect_host(session, host))
    return fail(Fault::bad_input, "'" + host + "' is no name a certificate can have");
  for (;;) {
    ERR_clear_error();
    const int answer = SSL_do_handshake(session);
    const int problem = SSL_get_error(session, answer);
    // An alert to the other side is worth sending even where we are about to give up.
    const Status flushed = flush(patience);
    if (answer == 1) return flushed;
    if (problem != SSL_ERROR_WANT_READ) return no_handshake(session, host);
    HONE_TRY_DO(flushed);
    HONE_TRY(const bool came, fill(patience));
    if (!came) return cut_short();
  }
}

Status TlsConnection::flush(const Patience& patience) {
  std::array<char, 16384> bytes{};
  BIO* out = SSL_get_wbio(session_in(session_.get()));
  for (int count = 0; (count = BIO_read(out, bytes.data(), static_cast<int>(bytes.size()))) > 0;)
    HONE_TRY_DO(socket_.send({bytes.data(), static_cast<std::size_t>(count)}, patience));
  return done();
}

Result<bool> TlsConnection::fill(const Patience& patience) {
  std::array<char, 16384> bytes{};
  HONE_TRY(const std::size_t count, socket_.receive(bytes, patience));
  if (count == 0) return false;
  BIO* in = SSL_get_rbio(session_in(session_.get()));
  HONE_CHECK(BIO_write(in, bytes.data(), static_cast<int>(count)) == static_cast<int>(count));
  return true;
}

Status TlsConnection::send(std::string_view bytes, const Patience& patience) {
  SSL* session = session_in(session_.get());
  while (!bytes.empty()) {
    ERR_clear_error();
    const int length = static_cast<int>(std::min<std::size_t>(bytes.size(), 16384));
    const int count = SSL_write(session, bytes.data(), length);
    const int problem = SSL_get_error(session, count);
    HONE_TRY_DO(flush(patience));
    if (count > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (problem == SSL_ERROR_WANT_READ) {
      HONE_TRY(const bool came, fill(patience));
      if (!came) return cut_short();
    } else {
      return fail(Fault::io, "the connection was cut", last_problem());
    }
  }
  return done();
}

Result<std::size_t> TlsConnection::receive(std::span<char> into, const Patience& patience) {
  SSL* session = session_in(session_.get());
  for (;;) {
    ERR_clear_error();
    const int size = static_cast<int>(std::min<std::size_t>(into.size(), 1 << 20));
    const int count = SSL_read(session, into.data(), size);
    const int problem = SSL_get_error(session, count);
    HONE_TRY_DO(flush(patience));
    if (count > 0) return static_cast<std::size_t>(count);
    if (problem == SSL_ERROR_ZERO_RETURN) return std::size_t{0};
    if (problem != SSL_ERROR_WANT_READ)
      return fail(Fault::io, "the connection was cut", last_problem());
    HONE_TRY(const bool came, fill(patience));
    if (!came) return cut_short();
  }
}

bool TlsConnection::has_input() {
  const Patience none{.silence = std::chrono::milliseconds(0), .deadline = {}};
  SSL* session = session_in(session_.get());
  char byte = 0;
  for (;;) {
    ERR_clear_error();
    const int count = SSL_peek(session, &byte, 1);
    // Tickets of TLS 1.3 arrive unasked, and are nothing to us.
    if (count > 0 || SSL_get_error(session, count) != SSL_ERROR_WANT_READ) return true;
    if (!socket_.has_input()) return false;
    const auto came = fill(none);
    if (!came || !*came) return true;
  }
}

}  // namespace hone
