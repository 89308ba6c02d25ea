#include "base/http_connection.h"

#include <fcntl.h>

#include <array>
#include <cerrno>

#include "base/descriptor.h"

namespace hone {
namespace {

constexpr std::size_t piece_bytes = std::size_t{256} << 10;
// A failure's body is for a message; nobody needs more of it.
constexpr std::uint64_t most_error_bytes = std::uint64_t{1} << 20;
constexpr int most_interim_answers = 10;

Failure cut_short(std::string_view where) {
  return fail(Fault::io, "the connection was cut", "it ended " + std::string(where));
}

std::uint64_t body_bytes(const HttpRequest& request) {
  if (const auto* text = std::get_if<std::string>(&request.body)) return text->size();
  if (const auto* range = std::get_if<FileRange>(&request.body)) return range->bytes;
  return 0;
}

bool has_body(const HttpRequest& request) {
  return !std::holds_alternative<std::monostate>(request.body) || request.method == "POST" ||
         request.method == "PUT" || request.method == "PATCH";
}

Result<std::string> head_of(const HttpRequest& request, const Url& url) {
  std::vector<HttpHeader> headers = {{"Host", url.authority()}, {"User-Agent", "hone"}};
  const bool is_at_home = url.has_origin_of(request.url);
  if (!request.authorization.empty() && is_at_home)
    headers.push_back({"Authorization", request.authorization});
  if (has_body(request)) headers.push_back({"Content-Length", std::to_string(body_bytes(request))});
  headers.insert(headers.end(), request.headers.begin(), request.headers.end());
  std::string head = request.method + " " + url.target + " HTTP/1.1\r\n";
  for (const HttpHeader& header : headers) {
    if (!is_http_token(header.name) || !is_header_value(header.value))
      return fail(Fault::bad_input, "the header '" + header.name + "' has bytes it cannot have");
    head += header.name + ": " + header.value + "\r\n";
  }
  return head + "\r\n";
}

Failure cannot_read(const Path& path, std::string why) {
  return fail(Fault::runtime, "cannot read '" + path.string() + "'", std::move(why));
}

}  // namespace

bool HttpClient::Connection::has_input() {
  return std::visit([](auto& stream) { return stream.has_input(); }, stream_);
}

bool HttpClient::Connection::is_idle() { return unread_.empty() && !has_input(); }

Status HttpClient::Connection::send_bytes(std::string_view bytes) {
  return std::visit([&](auto& stream) { return stream.send(bytes, patience_); }, stream_);
}

Status HttpClient::Connection::send_file(const FileRange& range, const HttpRequest& request) {
  const Descriptor file(::open(range.path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return cannot_read(range.path, system_message(errno));
  std::string piece(piece_bytes, '\0');
  for (std::uint64_t done_bytes = 0; done_bytes < range.bytes;) {
    // Whoever answers before the end has seen enough.
    if (has_input()) return sent_all_ = false, done();
    const std::size_t wanted = std::min<std::uint64_t>(piece.size(), range.bytes - done_bytes);
    const ssize_t count =
        ::pread(file.get(), piece.data(), wanted, static_cast<off_t>(range.offset + done_bytes));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return cannot_read(range.path, system_message(errno));
    if (count == 0) return cannot_read(range.path, "it became shorter meanwhile");
    const auto bytes = static_cast<std::uint64_t>(count);
    HONE_TRY_DO(send_bytes({piece.data(), bytes}));
    if (request.on_sent) request.on_sent(bytes);
    done_bytes += bytes;
  }
  return done();
}

Status HttpClient::Connection::send_body(const HttpRequest& request) {
  if (const auto* range = std::get_if<FileRange>(&request.body)) return send_file(*range, request);
  if (const auto* text = std::get_if<std::string>(&request.body)) {
    HONE_TRY_DO(send_bytes(*text));
    if (request.on_sent) request.on_sent(text->size());
  }
  return done();
}

Status HttpClient::Connection::send(const HttpRequest& request, const Url& url) {
  has_answered_ = false;
  sent_all_ = true;
  HONE_TRY(const std::string head, head_of(request, url));
  HONE_TRY_DO(send_bytes(head));
  return send_body(request);
}

Status HttpClient::Connection::fill() {
  std::array<char, 65536> bytes;
  HONE_TRY(const std::size_t count,
           std::visit([&](auto& stream) { return stream.receive(bytes, patience_); }, stream_));
  if (count == 0) at_end_ = true;
  if (count > 0) has_answered_ = true;
  unread_.append(bytes.data(), count);
  return done();
}

Result<std::string> HttpClient::Connection::receive_head_text() {
  for (;;) {
    const std::size_t crlf = unread_.find("\r\n\r\n");
    const std::size_t lf = unread_.find("\n\n");
    const std::size_t end = std::min(crlf, lf);
    if (end != std::string::npos) {
      std::string text = unread_.substr(0, end);
      unread_.erase(0, end + (end == crlf ? 4 : 2));
      return text;
    }
    if (unread_.size() > most_head_bytes)
      return fail(Fault::runtime, "the server does not speak HTTP as it should",
                  "its headers are too long");
    HONE_TRY_DO(fill());
    if (at_end_) return cut_short("before an answer");
  }
}

Result<HttpHead> HttpClient::Connection::receive_head() {
  for (int i = 0; i < most_interim_answers; ++i) {
    HONE_TRY(const std::string text, receive_head_text());
    HONE_TRY(HttpHead head, parse_http_head(text));
    if (head.status >= 200) return head;
  }
  return fail(Fault::runtime, "the server does not speak HTTP as it should",
              "it goes on announcing an answer");
}

Status HttpClient::Connection::receive_body(const BodyLength& length, const ByteSink& sink) {
  ChunkReader chunks;
  std::uint64_t left = length.bytes.value_or(0);
  for (;;) {
    std::string_view bytes = unread_;
    if (length.is_chunked) {
      HONE_TRY_DO(chunks.take(bytes, sink));
    } else {
      const std::string_view part = length.bytes ? bytes.substr(0, left) : bytes;
      HONE_TRY_DO(sink(part));
      bytes.remove_prefix(part.size());
      left -= length.bytes ? part.size() : 0;
    }
    unread_.erase(0, unread_.size() - bytes.size());
    if (length.is_chunked ? chunks.is_done() : (length.bytes && left == 0)) return done();
    HONE_TRY_DO(fill());
    if (!at_end_) continue;
    const bool ends_with_connection = !length.is_chunked && !length.bytes;
    if (ends_with_connection) return done();
    return cut_short("inside the answer");
  }
}

Result<HttpResponse> HttpClient::Connection::receive(const HttpRequest& request) {
  HttpResponse response;
  HONE_TRY(static_cast<HttpHead&>(response), receive_head());
  HONE_TRY(const BodyLength length, body_length_of(response, request.method));
  const bool is_wanted = response.is_success();
  const std::uint64_t most = is_wanted ? request.most_bytes : most_error_bytes;
  std::uint64_t taken = 0;
  const auto take = [&](std::string_view bytes) -> Status {
    taken += bytes.size();
    if (taken > most)
      return fail(Fault::runtime, "the server's answer is too long",
                  "it has more than " + std::to_string(most) + " bytes");
    if (is_wanted && request.sink) return request.sink(bytes);
    response.body += bytes;
    return done();
  };
  HONE_TRY_DO(receive_body(length, take));
  const bool has_an_end = length.is_chunked || length.bytes;
  keeps_alive_ = response.keeps_alive && has_an_end && sent_all_ && unread_.empty();
  return response;
}

}  // namespace hone
