#include "base/http_message.h"

#include <algorithm>

#include "base/system_files.h"
#include "base/text.h"

namespace hone {
namespace {

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
    const std::string_view line = first_line(text);
    if (line.empty() && text.empty()) return head;
    if (head.headers.size() == most_headers) return no_http("it has too many headers");
    HONE_TRY_DO(read_header(line, head));
  }
  return head;
}

Status check_body_length(const HttpHead& head) {
  const auto lengths = values_of(head, "Content-Length");
  const auto codings = values_of(head, "Transfer-Encoding");
  if (!codings.empty() && !lengths.empty()) return no_http("it tells two lengths of one body");
  if (!codings.empty() && (codings.size() != 1 || lowercase(codings.front()) != "chunked"))
    return no_http("it encodes its body in a way nobody asked for");
  if (lengths.empty()) return done();
  const bool agree = std::ranges::all_of(lengths, [&](auto v) { return v == lengths.front(); });
  if (!agree || !parse_number<std::uint64_t>(lengths.front()))
    return no_http("its Content-Length is no length");
  return done();
}

}  // namespace hone
