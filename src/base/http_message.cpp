#include "base/http_message.h"

#include <algorithm>
#include <charconv>

#include "base/system_files.h"
#include "base/text.h"

namespace hone {
namespace {

constexpr std::size_t longest_line = 8192;

Failure no_http(std::string why) {
  return fail(Fault::runtime, "the server does not speak HTTP as it should", std::move(why));
}

std::string_view first_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// "HTTP/1.1 200 OK".
Status read_status_line(std::string_view line, HttpHead& head) {
  const bool is_known = line.starts_with("HTTP/1.1 ") || line.starts_with("HTTP/1.0 ");
  if (!is_known) return no_http("'" + printable(line.substr(0, 40)) + "' is no status line");
  head.keeps_alive = line[7] == '1';
  const std::string_view digits = line.substr(9, 3);
  const bool ends_well = line.size() == 12 || (line.size() > 12 && line[12] == ' ');
  const auto status = parse_number<int>(digits);
  if (!status || !ends_well || *status < 100 || *status > 599)
    return no_http("'" + printable(line.substr(0, 40)) + "' is no status line");
  head.status = *status;
  return done();
}

Status read_header(std::string_view line, HttpHead& head) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_http_token(line.substr(0, colon)))
    return no_http("'" + printable(line.substr(0, 40)) + "' is no header");
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (!is_header_value(value)) return no_http("a header has control characters in it");
  head.headers.push_back({std::string(line.substr(0, colon)), std::string(value)});
  return done();
}

std::vector<std::string_view> values_of(const HttpHead& head, std::string_view name) {
  std::vector<std::string_view> values;
  for (const HttpHeader& header : head.headers) {
    if (lowercase(header.name) == lowercase(name)) values.push_back(header.value);
  }
  return values;
}

}  // namespace

bool is_http_token(std::string_view text) {
  constexpr std::string_view others = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           others.find(c) != std::string_view::npos;
  });
}

bool is_header_value(std::string_view text) {
  return std::ranges::none_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7F;
  });
}

std::string_view HttpHead::header(std::string_view name) const {
  const auto values = values_of(*this, name);
  return values.empty() ? std::string_view{} : values.front();
}

Result<HttpHead> parse_http_head(std::string_view text) {
  HttpHead head;
  if (text.size() > most_head_bytes) return no_http("its headers are too long");
  HONE_TRY_DO(read_status_line(first_line(text), head));
  while (!text.empty()) {
    if (head.headers.size() == most_headers) return no_http("it has too many headers");
    HONE_TRY_DO(read_header(first_line(text), head));
  }
  for (const std::string_view value : values_of(head, "Connection")) {
    const std::string words = lowercase(value);
    if (words.find("close") != std::string::npos) head.keeps_alive = false;
    if (words.find("keep-alive") != std::string::npos) head.keeps_alive = true;
  }
  return head;
}

Result<BodyLength> body_length_of(const HttpHead& head, std::string_view method) {
  const bool has_none =
      method == "HEAD" || head.status < 200 || head.status == 204 || head.status == 304;
  if (has_none) return BodyLength{.is_chunked = false, .bytes = 0};
  const auto lengths = values_of(head, "Content-Length");
  const auto codings = values_of(head, "Transfer-Encoding");
  // Two lengths are how requests and responses are smuggled past each other.
  if (!codings.empty() && !lengths.empty()) return no_http("it tells two lengths of one body");
  if (!codings.empty()) {
    if (codings.size() != 1 || lowercase(codings.front()) != "chunked")
      return no_http("it encodes its body in a way nobody asked for");
    return BodyLength{.is_chunked = true, .bytes = {}};
  }
  if (lengths.empty()) return BodyLength{};
  const auto bytes = parse_number<std::uint64_t>(lengths.front());
  const bool agree = std::ranges::all_of(lengths, [&](auto v) { return v == lengths.front(); });
  if (!bytes || !agree) return no_http("its Content-Length is no length");
  return BodyLength{.is_chunked = false, .bytes = *bytes};
}

Result<std::optional<std::string>> ChunkReader::take_line(std::string_view& bytes) {
  const std::size_t end = bytes.find('\n');
  const std::string_view part = bytes.substr(0, end);
  if (line_.size() + part.size() > longest_line)
    return no_http("a line between chunks is too long");
  line_ += part;
  if (end == std::string_view::npos) {
    bytes = {};
    return std::optional<std::string>{};
  }
  bytes.remove_prefix(end + 1);
  if (line_.ends_with('\r')) line_.pop_back();
  return std::optional(std::exchange(line_, {}));
}

Status ChunkReader::take_size(std::string_view line) {
  // An extension may follow the size; none means anything to us.
  const std::string_view digits = trimmed(line.substr(0, line.find(';')));
  const char* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, left_, 16);
  if (digits.empty() || read.ec != std::errc{} || read.ptr != end)
    return no_http("'" + printable(line.substr(0, 40)) + "' is no size of a chunk");
  state_ = left_ == 0 ? State::trailer : State::data;
  return done();
}

Status ChunkReader::take(std::string_view& bytes, const ByteSink& sink) {
  while (!bytes.empty() && state_ != State::done) {
    if (state_ == State::data) {
      const std::string_view part = bytes.substr(0, left_);
      HONE_TRY_DO(sink(part));
      bytes.remove_prefix(part.size());
      left_ -= part.size();
      if (left_ == 0) state_ = State::data_end;
      continue;
    }
    HONE_TRY(const std::optional<std::string> line, take_line(bytes));
    if (!line) return done();
    if (state_ == State::size) {
      HONE_TRY_DO(take_size(*line));
    } else if (state_ == State::data_end) {
      if (!line->empty()) return no_http("a chunk is longer than its size");
      state_ = State::size;
    } else {
      trailer_bytes_ += line->size();
      if (trailer_bytes_ > most_head_bytes) return no_http("its trailers are too long");
      if (line->empty()) state_ = State::done;
    }
  }
  return done();
}

}  // namespace hone
