#pragma once
// A small HTTP/1.1 client. TLS everywhere but on this very machine, connections that are used
// again, bodies from and into files without passing through memory as a whole, and limits on all
// that a server sends.
//
// Of its errors, Fault::io (refused, cut) and Fault::timeout may go away by trying again; any other
// would come again. A file of ours that cannot be read or written is Fault::runtime.

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/file.h"
#include "base/hash.h"
#include "base/http_message.h"
#include "base/result.h"
#include "base/tls.h"
#include "base/url.h"

namespace hone {

struct FileRange {
  Path path;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

struct HttpRequest {
  std::string method = "GET";
  Url url{};
  std::vector<HttpHeader> headers{};
  // The Authorization header: it stays with the origin of `url`, wherever a redirect leads.
  std::string authorization{};
  std::variant<std::monostate, std::string, FileRange> body{};
  std::function<void(std::uint64_t bytes)> on_sent{};  // of the body, as they leave
  // The body of a success goes here and not into memory.
  ByteSink sink{};
  std::uint64_t most_bytes = std::uint64_t{4} << 20;  // a longer body is refused
  int redirects = 0;                                  // how many are followed; GET and HEAD only
  std::optional<std::chrono::steady_clock::time_point> deadline{};
};

struct HttpResponse : HttpHead {
  std::string body;
  bool is_success() const { return status >= 200 && status < 300; }
};

struct HttpSettings {
  TrustStore trust;
  std::chrono::milliseconds connect{10'000};
  std::chrono::milliseconds silence{60'000};
};

bool is_transient(const Error& error);

// REQUIRES: one thread at a time.
class HttpClient {
 public:
  explicit HttpClient(HttpSettings settings);
  ~HttpClient();
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) noexcept;

  // Any status is a response; an error is where there was none.
  Result<HttpResponse> send(const HttpRequest& request);

 private:
  class Connection;
  Result<Connection> open(const Url& url, const Patience& patience);
  // One request and its response, on a connection that was kept or a new one.
  Result<HttpResponse> exchange(const HttpRequest& request, const Url& url);

  HttpSettings settings_;
  std::unique_ptr<TlsContext> tls_;         // made when it is needed
  std::map<std::string, Connection> kept_;  // by origin
};

struct Download {
  HttpResponse response;
  std::uint64_t bytes = 0;
  Digest sha256;
};

// The body of a success becomes `file`, which must be committed by the caller once the digest is
// what it should be.
Result<Download> download(HttpClient& client, HttpRequest request, AtomicFile& file);

}  // namespace hone
