#include "base/http.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/curl.h"
#include "base/descriptor.h"
#include "base/http_problem.h"

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// A failure's body is for a message; nobody needs more of it.
constexpr std::uint64_t most_error_bytes = std::uint64_t{1} << 20;
constexpr int most_interim_answers = 10;
constexpr long piece_bytes = long{256} << 10;

std::uint64_t size_of_body(const HttpRequest& request) {
  if (const auto* text = std::get_if<std::string>(&request.body)) return text->size();
  if (const auto* range = std::get_if<FileRange>(&request.body)) return range->bytes;
  return 0;
}

bool has_body(const HttpRequest& request) {
  return !std::holds_alternative<std::monostate>(request.body) || request.method == "POST" ||
         request.method == "PUT" || request.method == "PATCH";
}

Failure cannot_read(const Path& path, std::string why) {
  return fail(Fault::runtime, "cannot read '" + path.string() + "'", std::move(why));
}

Failure no_http(std::string why) {
  return fail(Fault::runtime, "the server does not speak HTTP as it should", std::move(why));
}

bool is_loopback_address(const curl_sockaddr& address) {
  if (address.family == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(&address.addr);
    return (ntohl(v4->sin_addr.s_addr) >> 24) == 127;
  }
  const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&address.addr);
  return address.family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr) != 0;
}

// Milliseconds for libcurl, to which 0 is no limit.
long at_least_one(milliseconds time) { return std::max<long>(1, static_cast<long>(time.count())); }

// One request and its response on a handle of libcurl that is as new.
class Transfer {
 public:
  Transfer(const Curl& curl, CURL* handle, const HttpRequest& request, const Url& url)
      : curl_(curl),
        handle_(handle),
        request_(request),
        url_(url),
        headers_(nullptr, curl.slist_free_all),
        body_bytes_(size_of_body(request)) {}
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  Result<HttpResponse> run(const HttpSettings& settings) {
    HONE_TRY_DO(open_body());
    HONE_TRY_DO(set_headers());
    set_method();
    set_way(settings);
    set_limits(settings);
    set_callbacks();
    if (problem_) return fail(*problem_);
    const CURLcode code = curl_.easy_perform(handle_);
    if (problem_) return fail(*problem_);
    if (code != CURLE_OK) return fail(error_of(problem_of(code), url_, settings));
    // To libcurl a head that ends in the middle is an answer.
    if (!has_head_) return fail(Fault::io, "the connection was cut", "it ended before an answer");
    return std::move(response_);
  }

 private:
  template <class Value>
  void set(CURLoption option, Value value) {
    static_assert(std::is_same_v<Value, long> || std::is_pointer_v<Value>);
    const CURLcode problem = curl_.easy_setopt(handle_, option, value);
    if (problem == CURLE_OK || problem_) return;
    problem_ = {Fault::unsupported, "the libcurl of this machine cannot do what is needed",
                "option " + std::to_string(option) + ": " + curl_.easy_strerror(problem),
                "libcurl 7.64 or later can"};
  }

  Status open_body() {
    const auto* range = std::get_if<FileRange>(&request_.body);
    if (range == nullptr) return done();
    file_ = Descriptor(::open(range->path.c_str(), O_RDONLY | O_CLOEXEC));
    return file_ ? done() : Status(cannot_read(range->path, system_message(errno)));
  }

  Status set_headers() {
    std::vector<HttpHeader> headers = request_.headers;
    const bool is_at_home = url_.has_origin_of(request_.url);
    if (!request_.authorization.empty() && is_at_home)
      headers.push_back({"Authorization", request_.authorization});
    // libcurl would wait a second for leave to send a body; whoever refuses may say so any time.
    headers.push_back({"Expect", ""});
    for (const HttpHeader& header : headers) {
      if (!is_http_token(header.name) || !is_header_value(header.value))
        return fail(Fault::bad_input, "the header '" + header.name + "' has bytes it cannot have");
      const std::string line = header.name + ": " + header.value;
      headers_.reset(curl_.slist_append(headers_.release(), line.c_str()));
    }
    set(CURLOPT_HTTPHEADER, headers_.get());
    set(CURLOPT_USERAGENT, "hone");
    return done();
  }

  void set_method() {
    if (request_.method == "HEAD") return set(CURLOPT_NOBODY, 1L);
    if (request_.method != "GET") set(CURLOPT_CUSTOMREQUEST, request_.method.c_str());
    if (!has_body(request_)) return;
    set(CURLOPT_UPLOAD, 1L);
    set(CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(body_bytes_));
  }

  // The proxy is given even where there is none, or libcurl would ask the environment for it.
  void set_way(const HttpSettings& settings) {
    const std::string scheme = url_.secure ? "https://" : "http://";
    set(CURLOPT_URL, (scheme + url_.authority() + "/").c_str());
    set(CURLOPT_REQUEST_TARGET, url_.target.c_str());
    set(CURLOPT_PROXY, url_.secure ? settings.proxy.address.c_str() : "");
    set(CURLOPT_NOPROXY, settings.proxy.except.c_str());
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    set(CURLOPT_SSLVERSION, long{CURL_SSLVERSION_TLSv1_2});
    const auto& [file, folder] = settings.trust;
    if (!file.empty()) set(CURLOPT_CAINFO, file.c_str());
    if (!file.empty()) set(CURLOPT_PROXY_CAINFO, file.c_str());
    if (!folder.empty()) set(CURLOPT_CAPATH, folder.c_str());
    if (!folder.empty()) set(CURLOPT_PROXY_CAPATH, folder.c_str());
  }

  void set_limits(const HttpSettings& settings) {
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_1_1});
    set(CURLOPT_HTTP09_ALLOWED, 0L);
    set(CURLOPT_BUFFERSIZE, piece_bytes);
    set(CURLOPT_UPLOAD_BUFFERSIZE, piece_bytes);
    set(CURLOPT_CONNECTTIMEOUT_MS, at_least_one(settings.connect));
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(settings.silence);
    set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    set(CURLOPT_LOW_SPEED_TIME, std::max<long>(1, static_cast<long>(seconds.count())));
    if (!request_.deadline) return;
    const auto left = std::chrono::duration_cast<milliseconds>(*request_.deadline - Clock::now());
    set(CURLOPT_TIMEOUT_MS, at_least_one(left));
  }

  void set_callbacks() {
    constexpr auto header = [](char* bytes, std::size_t, std::size_t size, void* self) {
      return of(self).keep(of(self).take_header({bytes, size})) ? size : 0;
    };
    constexpr auto write = [](char* bytes, std::size_t, std::size_t size, void* self) {
      return of(self).keep(of(self).take_body({bytes, size})) ? size : 0;
    };
    constexpr auto read = [](char* into, std::size_t, std::size_t room, void* self) {
      const auto given = of(self).give_body(into, room);
      if (!given) of(self).problem_ = given.error();
      return given ? *given : std::size_t{CURL_READFUNC_ABORT};
    };
    constexpr auto open = [](void* self, curlsocktype, curl_sockaddr* address) {
      return of(self).open_socket(*address);
    };
    set(CURLOPT_HEADERFUNCTION, +header);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_WRITEFUNCTION, +write);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_READFUNCTION, +read);
    set(CURLOPT_READDATA, this);
    set(CURLOPT_OPENSOCKETFUNCTION, +open);
    set(CURLOPT_OPENSOCKETDATA, this);
    set(CURLOPT_ERRORBUFFER, words_.data());
  }

  static Transfer& of(void* self) { return *static_cast<Transfer*>(self); }

  bool keep(const Status& status) {
    if (!status) problem_ = status.error();
    return status.has_value();
  }

  curl_socket_t open_socket(const curl_sockaddr& address) const {
    // A body that left in part must not leave again unasked.
    if (sent_ > 0) return CURL_SOCKET_BAD;
    // "localhost" may be made to mean any machine.
    if (!url_.secure && !is_loopback_address(address)) return CURL_SOCKET_BAD;
    return ::socket(address.family, address.socktype | SOCK_CLOEXEC, address.protocol);
  }

  Result<std::size_t> read_range(const FileRange& range, char* into, std::size_t wanted) const {
    for (;;) {
      const auto at = static_cast<off_t>(range.offset + sent_);
      const ssize_t count = ::pread(file_.get(), into, wanted, at);
      if (count > 0) return static_cast<std::size_t>(count);
      if (count == 0) return cannot_read(range.path, "it became shorter meanwhile");
      if (errno != EINTR) return cannot_read(range.path, system_message(errno));
    }
  }

  Result<std::size_t> give_body(char* into, std::size_t room) {
    std::size_t count = std::min<std::uint64_t>(room, body_bytes_ - sent_);
    if (count == 0) return count;
    if (const auto* range = std::get_if<FileRange>(&request_.body)) {
      HONE_TRY(count, read_range(*range, into, count));
    } else {
      std::memcpy(into, std::get<std::string>(request_.body).data() + sent_, count);
    }
    sent_ += count;
    if (request_.on_sent) request_.on_sent(count);
    return count;
  }

  Status take_head() {
    HONE_TRY(static_cast<HttpHead&>(response_), parse_http_head(head_));
    head_.clear();
    has_head_ = response_.status >= 200;
    if (!has_head_ && ++interim_answers_ == most_interim_answers)
      return no_http("it goes on announcing an answer");
    const bool may_have_body = has_head_ && request_.method != "HEAD" && response_.status != 204 &&
                               response_.status != 304;
    if (!may_have_body) return done();
    HONE_TRY_DO(check_body_length(response_));
    return response_.is_success() && request_.on_head ? request_.on_head(response_) : done();
  }

  // Also the trailers behind a body in chunks, of which nothing is kept.
  Status take_header(std::string_view line) {
    head_bytes_ += line.size();
    if (head_bytes_ > most_head_bytes) return no_http("its headers are too long");
    if (has_head_) return done();
    head_ += line;
    const bool is_end = line == "\r\n" || line == "\n";
    return is_end ? take_head() : done();
  }

  Status take_body(std::string_view bytes) {
    if (!has_head_) return no_http("it answers without a head");
    const bool is_wanted = response_.is_success();
    const std::uint64_t most = is_wanted ? request_.most_bytes : most_error_bytes;
    taken_ += bytes.size();
    if (taken_ > most)
      return fail(Fault::runtime, "the server's answer is too long",
                  "it has more than " + std::to_string(most) + " bytes");
    if (is_wanted && request_.sink) return request_.sink(bytes);
    response_.body += bytes;
    return done();
  }

  CurlProblem problem_of(CURLcode code) const {
    CurlProblem problem{.code = code};
    problem.words = words_[0] != '\0' ? words_.data() : curl_.easy_strerror(code);
    problem.is_late = request_.deadline && Clock::now() >= *request_.deadline;
    curl_.easy_getinfo(handle_, CURLINFO_PRETRANSFER_TIME_T, &problem.connected_after_us);
    curl_.easy_getinfo(handle_, CURLINFO_OS_ERRNO, &problem.system_error);
    curl_.easy_getinfo(handle_, CURLINFO_HTTP_CONNECTCODE, &problem.proxy_status);
    return problem;
  }

  const Curl& curl_;
  CURL* handle_;
  const HttpRequest& request_;
  const Url& url_;

  std::unique_ptr<curl_slist, void (*)(curl_slist*)> headers_;
  std::array<char, CURL_ERROR_SIZE> words_{};
  std::optional<Error> problem_;  // of ours: libcurl only knows that it was told to end
  Descriptor file_;
  std::uint64_t body_bytes_;
  std::uint64_t sent_ = 0;

  std::string head_;
  std::size_t head_bytes_ = 0;
  int interim_answers_ = 0;
  bool has_head_ = false;
  HttpResponse response_;
  std::uint64_t taken_ = 0;
};

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

bool only_reads(const std::string& method) { return method == "GET" || method == "HEAD"; }

// Says what was asked, and keeps what went wrong.
Failure not_answered(const HttpRequest& request, const Url& url, const Error& error) {
  if (error.fault == Fault::bad_input) return fail(error);
  const std::string cause = error.cause.empty() ? error.what : error.what + ": " + error.cause;
  return fail(error.fault, request.method + " " + url.without_query() + " failed", cause,
              error.hint);
}

}  // namespace

bool is_transient(const Error& error) {
  return error.fault == Fault::io || error.fault == Fault::timeout;
}

void HttpClient::Free::operator()(void* handle) const { (*this_curl())->easy_cleanup(handle); }

HttpClient::HttpClient(HttpSettings settings) : settings_(std::move(settings)) {}

Result<HttpResponse> HttpClient::exchange(const HttpRequest& request, const Url& url) {
  if (!url.secure && !is_loopback(url.host)) {
    return fail(Fault::bad_input, "plain HTTP to '" + url.host + "' is refused",
                "what is sent could be read and changed on the way",
                "use https://; plain HTTP is for this very machine (localhost, 127.0.0.1, ::1)");
  }
  HONE_TRY(const Curl* const curl, this_curl());
  if (!handle_) handle_.reset(curl->easy_init());
  HONE_CHECK(handle_ != nullptr);
  auto response = Transfer(*curl, handle_.get(), request, url).run(settings_);
  curl->easy_reset(handle_.get());  // it keeps its connections, and points to nothing of ours
  return response;
}

// Redirects are followed here and not by libcurl: where one may lead, and what stays behind, are
// rules of ours.
Result<HttpResponse> HttpClient::send(const HttpRequest& request) {
  HONE_CHECK(is_http_token(request.method));
  Url url = request.url;
  for (int followed = 0;; ++followed) {
    auto response = exchange(request, url);
    if (!response) return not_answered(request, url, response.error());
    const bool leads_on = is_redirect(response->status) && only_reads(request.method);
    if (!leads_on || request.redirects == 0) return response;
    if (followed == request.redirects) {
      return not_answered(request, url,
                          {Fault::runtime, "it sends us from place to place", {}, {}});
    }
    auto next = resolve_url(url, response->header("Location"));
    if (!next) return not_answered(request, url, next.error());
    url = *next;
  }
}

}  // namespace hone
