#pragma once
// The URLs we ask: http and https, without user names in them.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace hone {

struct Url {
  bool secure = true;
  std::string host;  // lowercase; an IPv6 address without its brackets
  std::uint16_t port = 443;
  std::string target = "/";  // path and query, as they go into a request

  // "host", "host:5000", "[::1]:5000": as the Host header wants it.
  std::string authority() const;
  // "https://host/path", without the query: that may hold what is nobody's business.
  std::string without_query() const;
  // Scheme, host and port: credentials for one are not for another.
  bool has_origin_of(const Url& other) const;
};

// Refuses other schemes, user names, white space and control characters.
Result<Url> parse_url(std::string_view text);

// What a server named in a Location or Link header: a whole URL, or one relative to `base`. What
// was reached over TLS never leads to a place that is not.
Result<Url> resolve_url(const Url& base, std::string_view location);

// 127.0.0.0/8, ::1 and localhost: what we are ready to talk to without TLS.
bool is_loopback(std::string_view host);

// A word for a query: what is neither a letter, a digit, nor one of "-._~" becomes %XX.
std::string percent_encoded(std::string_view text);

}  // namespace hone
