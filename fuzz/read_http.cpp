// Any bytes at all, as the head a server sends and as a URL.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/http_message.h"
#include "base/url.h"

namespace {

void hold(bool claim) {
  if (!claim) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto head = hone::parse_http_head(text); head) {
    hold(head->status >= 100 && head->status <= 599);
    hold(head->headers.size() <= hone::most_headers);
    for (const hone::HttpHeader& header : head->headers)
      hold(hone::is_http_token(header.name) && hone::is_header_value(header.value));
    (void)hone::check_body_length(*head);
  }
  if (const auto url = hone::parse_url(text); url) {
    hold(!url->host.empty() && url->target.starts_with('/'));
    const auto again = hone::parse_url("https://" + url->authority() + url->target);
    hold(again.has_value() || !url->secure);
  }
  return 0;
}
