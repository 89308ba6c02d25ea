#pragma once
// HTTP/1.1 through libcurl. TLS everywhere but on this very machine, connections that are used
// again, bodies from and into files without passing through memory as a whole, and limits on all
// that a server sends.
//
// Of its errors, Fault::io (refused, cut) and Fault::timeout may go away by trying again; any other
// would come again. A file of ours that cannot be read or written is Fault::runtime.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/http_message.h"
#include "base/http_settings.h"
#include "base/result.h"
#include "base/url.h"

namespace hone {

struct FileRange {
  Path path;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

using ByteSink = std::function<Status(std::string_view bytes)>;
using HeadSink = std::function<Status(const HttpHead& head)>;

struct HttpRequest {
  std::string method = "GET";
  Url url{};
  std::vector<HttpHeader> headers{};
  // The Authorization header: it stays with the origin of `url`, wherever a redirect leads.
  std::string authorization{};
  std::variant<std::monostate, std::string, FileRange> body{};
  std::function<void(std::uint64_t bytes)> on_sent{};  // of the body, as they leave
  // Of a success that may have a body, before its first byte: whether it is the part asked for.
  HeadSink on_head{};
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

bool is_transient(const Error& error);

// REQUIRES: one thread at a time.
class HttpClient {
 public:
  explicit HttpClient(HttpSettings settings);

  // Any status is a response; an error is where there was none. What has a body is sent once, and
  // what has none again where a connection that was kept turns out to be closed.
  Result<HttpResponse> send(const HttpRequest& request);

 private:
  struct Free {
    void operator()(void* handle) const;
  };
  Result<HttpResponse> exchange(const HttpRequest& request, const Url& url);

  HttpSettings settings_;
  std::unique_ptr<void, Free> handle_;  // libcurl's, with the connections it keeps
};

}  // namespace hone
