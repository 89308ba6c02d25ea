#include "base/http.h"

#include "base/http_connection.h"

namespace hone {
namespace {

std::string origin_of(const Url& url) {
  return (url.secure ? "s " : "p ") + url.host + " " + std::to_string(url.port);
}

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

HttpClient::HttpClient(HttpSettings settings) : settings_(std::move(settings)) {}
HttpClient::~HttpClient() = default;
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&&) noexcept = default;

Result<HttpClient::Connection> HttpClient::open(const Url& url, const Patience& patience) {
  const Patience connecting{.silence = settings_.connect, .deadline = patience.deadline};
  HONE_TRY(Socket socket, Socket::connect(url, connecting));
  if (!url.secure) return Connection(std::move(socket), patience);
  if (!tls_) {
    HONE_TRY(TlsContext context, TlsContext::create(settings_.trust));
    tls_ = std::make_unique<TlsContext>(std::move(context));
  }
  HONE_TRY(TlsConnection secured,
           TlsConnection::open(*tls_, std::move(socket), url.host, connecting));
  return Connection(std::move(secured), patience);
}

Result<HttpResponse> HttpClient::exchange(const HttpRequest& request, const Url& url) {
  const Patience patience{.silence = settings_.silence, .deadline = request.deadline};
  const auto talk = [&](Connection& connection) -> Result<HttpResponse> {
    connection.set_patience(patience);
    const Status sent = connection.send(request, url);
    if (!sent && !is_transient(sent.error())) return fail(sent.error());
    // A refusal may stand behind a cut: what is said is worth more than that it ended.
    auto response = connection.receive(request);
    if (!sent && !response) return fail(sent.error());
    return response;
  };
  const auto keep = [&](Connection connection) {
    if (connection.can_be_kept()) kept_.emplace(origin_of(url), std::move(connection));
  };
  if (auto node = kept_.extract(origin_of(url)); !node.empty() && node.mapped().is_idle()) {
    auto response = talk(node.mapped());
    if (response) return keep(std::move(node.mapped())), response;
    // The server may have closed what we kept just when we asked; who only reads may ask again.
    const bool may_ask_again = only_reads(request.method) && !node.mapped().has_answered() &&
                               response.error().fault == Fault::io;
    if (!may_ask_again) return response;
  }
  HONE_TRY(Connection connection, open(url, patience));
  auto response = talk(connection);
  if (response) keep(std::move(connection));
  return response;
}

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

Result<Download> download(HttpClient& client, HttpRequest request, AtomicFile& file) {
  HONE_CHECK(file.size() == 0);
  Download made;
  Sha256 hash;
  request.sink = [&](std::string_view bytes) -> Status {
    hash.add(bytes);
    made.bytes += bytes.size();
    if (const Status written = file.append(bytes); !written)
      return fail(Fault::runtime, written.error().what, written.error().cause,
                  written.error().hint);
    return done();
  };
  HONE_TRY(made.response, client.send(request));
  made.sha256 = hash.finish();
  return made;
}

}  // namespace hone
