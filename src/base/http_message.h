#pragma once
// The head of a response, taken apart. All of it is hostile: sizes are limited, and what can be
// read in two ways is refused.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hone {

struct HttpHeader {
  std::string name;
  std::string value;
};

struct HttpHead {
  int status = 0;
  std::vector<HttpHeader> headers;
  // The first of that name, whatever its case; empty when there is none.
  std::string_view header(std::string_view name) const;
};

inline constexpr std::size_t most_head_bytes = std::size_t{64} << 10;
inline constexpr std::size_t most_headers = 200;

// `text` is all up to the empty line, with it or without.
Result<HttpHead> parse_http_head(std::string_view text);

// What tells two lengths of one body is how responses are smuggled past each other: refused, and so
// is a coding that nobody asked for.
Status check_body_length(const HttpHead& head);

// A header's value and a method must not smuggle a line into the request.
bool is_header_value(std::string_view text);
bool is_http_token(std::string_view text);

}  // namespace hone
