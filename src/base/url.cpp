#include "base/url.h"

#include <arpa/inet.h>

#include <algorithm>
#include <optional>

#include "base/system_files.h"
#include "base/text.h"

namespace hone {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

Failure no_url(std::string_view text, std::string why) {
  return fail(Fault::bad_input, "'" + printable(text.substr(0, 200)) + "' is no URL we can ask",
              std::move(why));
}

std::uint16_t usual_port(bool secure) { return secure ? 443 : 80; }

bool is_ipv6(const std::string& host) {
  in6_addr address{};
  return ::inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

bool is_host_name(std::string_view host) {
  return !host.empty() && host.size() <= 253 && host.front() != '-' &&
         std::ranges::all_of(
             host, [](char c) { return is_letter(c) || is_digit(c) || c == '.' || c == '-'; });
}

// "host", "host:5000", "[::1]:5000".
Status read_authority(std::string_view text, Url& url) {
  std::string_view port;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return no_url(text, "a bracket is not closed");
    url.host = lowercase(text.substr(1, end - 1));
    if (!is_ipv6(url.host)) return no_url(text, "what is in brackets is no IPv6 address");
    port = text.substr(end + 1);
  } else {
    url.host = lowercase(text.substr(0, text.find(':')));
    if (!is_host_name(url.host)) return no_url(text, "its host is no name and no address");
    port = text.substr(url.host.size());
  }
  url.port = usual_port(url.secure);
  if (port.empty()) return done();
  const auto number = parse_number<std::uint16_t>(port.substr(1));
  if (port.front() != ':' || !number || *number == 0) return no_url(text, "its port is no port");
  url.port = *number;
  return done();
}

bool is_request_target(std::string_view target) {
  return std::ranges::all_of(target, [](char c) { return c > ' ' && c < 0x7F; });
}

}  // namespace

std::string Url::authority() const {
  const std::string name = host.find(':') != std::string::npos ? "[" + host + "]" : host;
  return port == usual_port(secure) ? name : name + ":" + std::to_string(port);
}

std::string Url::without_query() const {
  return (secure ? "https://" : "http://") + authority() + target.substr(0, target.find('?'));
}

bool Url::has_origin_of(const Url& other) const {
  return secure == other.secure && host == other.host && port == other.port;
}

Result<Url> parse_url(std::string_view text) {
  Url url;
  const std::size_t colon = text.find("://");
  const std::string scheme = lowercase(text.substr(0, colon));
  if (colon == std::string_view::npos || (scheme != "http" && scheme != "https"))
    return no_url(text, "it starts with neither https:// nor http://");
  url.secure = scheme == "https";
  const std::string_view rest = text.substr(colon + 3);
  const std::size_t end = std::min(rest.find_first_of("/?#"), rest.size());
  HONE_TRY_DO(read_authority(rest.substr(0, end), url));
  std::string_view target = rest.substr(end);
  target = target.substr(0, target.find('#'));
  url.target = target.starts_with('/') ? std::string(target) : "/" + std::string(target);
  if (!is_request_target(url.target)) return no_url(text, "it has spaces or control characters");
  return url;
}

Result<Url> resolve_url(const Url& base, std::string_view location) {
  if (location.empty() || location.starts_with("//")) return no_url(location, "it names no place");
  std::string whole(location);
  const bool is_whole = location.substr(0, location.find_first_of("/?#")).ends_with(':');
  if (!is_whole) {
    const std::string path = base.target.substr(0, base.target.find('?'));
    const std::string before = location.starts_with('/')   ? ""
                               : location.starts_with('?') ? path
                                                           : path.substr(0, path.rfind('/') + 1);
    whole = (base.secure ? "https://" : "http://") + base.authority() + before + whole;
  }
  HONE_TRY(Url url, parse_url(whole));
  if (base.secure && !url.secure)
    return fail(Fault::runtime, "'" + base.host + "' sends us to a place without TLS",
                url.without_query());
  return url;
}

bool is_loopback(std::string_view host) {
  if (host == "localhost" || host == "::1") return true;
  in_addr address{};
  return ::inet_pton(AF_INET, std::string(host).c_str(), &address) == 1 &&
         (ntohl(address.s_addr) >> 24) == 127;
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  constexpr std::string_view plain = "-._~";
  std::string encoded;
  for (const char c : text) {
    if (is_letter(c) || is_digit(c) || plain.find(c) != std::string_view::npos) {
      encoded += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded += {'%', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return encoded;
}

}  // namespace hone
