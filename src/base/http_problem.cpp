#include "base/http_problem.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/descriptor.h"
#include "base/text.h"

namespace hone {
namespace {

constexpr auto trust_hint = "SSL_CERT_FILE names a file of the authorities you trust";
constexpr auto proxy_hint = "https_proxy names the proxy, no_proxy the hosts that need none";

bool says_one_of(const std::string& words, std::span<const std::string_view> signs) {
  const std::string text = lowercase(words);
  return std::ranges::any_of(
      signs, [&](std::string_view sign) { return text.find(sign) != std::string::npos; });
}

// libcurl has one code for a handshake that failed and one that was cut. These are the words of
// OpenSSL and of GnuTLS for the second.
bool was_cut(const CurlProblem& problem) {
  constexpr std::array<std::string_view, 6> signs = {
      "eof", "ssl_error_syscall", "reset by peer", "broken pipe", "terminated", "was not properly"};
  return problem.system_error != 0 || says_one_of(problem.words, signs);
}

// And one for an answer that was cut and one that is wrong.
bool is_wrong_chunk(const CurlProblem& problem) {
  constexpr std::array<std::string_view, 1> signs = {"chunk"};
  return says_one_of(problem.words, signs);
}

std::string cause_of(const CurlProblem& problem) {
  return problem.system_error != 0 ? system_message(static_cast<int>(problem.system_error))
                                   : printable(problem.words);
}

// libcurl's words may have all of the proxy's address, and that may hold a password.
Error no_such_proxy() {
  return {Fault::not_found, "the proxy cannot be used",
          "its address cannot be read, or its name leads nowhere", proxy_hint};
}

Error no_connection(const CurlProblem& problem, const Url& url, const HttpSettings& settings) {
  const bool may_have_proxy = url.secure && !settings.proxy.address.empty();
  // What no system call has refused is a kind of proxy that libcurl does not know.
  if (may_have_proxy && problem.system_error == 0) return no_such_proxy();
  return {Fault::io, "cannot connect to " + url.authority(), cause_of(problem),
          may_have_proxy ? proxy_hint : ""};
}

Error too_late(const CurlProblem& problem, const Url& url, const HttpSettings& settings) {
  if (problem.is_late) return {Fault::timeout, "the time for this is over"};
  const bool was_connected = problem.connected_after_us > 0;
  const auto time = was_connected ? settings.silence : settings.connect;
  return {Fault::timeout,
          was_connected ? "the server said nothing for too long"
                        : "cannot connect to " + url.authority(),
          std::to_string(time.count()) + " ms"};
}

Error no_trust(const std::string& words, const TrustStore& trust) {
  const Path& place = trust.file.empty() ? trust.folder : trust.file;
  return {Fault::not_found, "cannot read certificates from '" + place.string() + "'", words,
          "SSL_CERT_FILE and SSL_CERT_DIR say where they are"};
}

Error no_tls(const CurlProblem& problem, const Url& url) {
  if (was_cut(problem)) return {Fault::io, "the connection was cut", printable(problem.words)};
  return {Fault::runtime, "cannot agree on TLS with '" + url.host + "'", printable(problem.words)};
}

Error no_answer(const CurlProblem& problem) {
  if (!is_wrong_chunk(problem)) return {Fault::io, "the connection was cut", cause_of(problem)};
  return {Fault::runtime, "the server does not speak HTTP as it should", printable(problem.words)};
}

}  // namespace

Error error_of(const CurlProblem& problem, const Url& url, const HttpSettings& settings) {
  const std::string words = printable(problem.words);
  const bool proxy_refused = problem.proxy_status != 0 && problem.proxy_status / 100 != 2;
  if (proxy_refused)
    return {Fault::runtime, "the proxy does not connect us to " + url.authority(),
            "HTTP " + std::to_string(problem.proxy_status), proxy_hint};
  switch (problem.code) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return {Fault::not_found, "there is no host '" + url.host + "'", words};
    case CURLE_COULDNT_RESOLVE_PROXY:
      return no_such_proxy();
    case CURLE_PROXY:
      return {Fault::not_found, "the proxy cannot be used", words, proxy_hint};
    case CURLE_COULDNT_CONNECT:
      return no_connection(problem, url, settings);
    case CURLE_OPERATION_TIMEDOUT:
      return too_late(problem, url, settings);
    case CURLE_PEER_FAILED_VERIFICATION:
      return {Fault::runtime, "the certificate of '" + url.host + "' is not to be trusted", words,
              trust_hint};
    case CURLE_SSL_CACERT_BADFILE:
      return no_trust(words, settings.trust);
    case CURLE_SSL_CONNECT_ERROR:
      return no_tls(problem, url);
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_SEND_FAIL_REWIND:
      return no_answer(problem);
    default:
      return {Fault::runtime, "the server does not speak HTTP as it should", words};
  }
}

}  // namespace hone
