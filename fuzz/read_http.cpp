// Any bytes at all, as what a server sends: a head, and a body in chunks that arrive in pieces. The
// first byte says how large the pieces are; however the bytes arrive, the same comes out.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/http_message.h"
#include "base/url.h"

namespace {

void hold(bool claim) {
  if (!claim) std::abort();
}

struct Heard {
  std::string data;
  bool is_done = false;
  bool is_refused = false;
  bool operator==(const Heard&) const = default;
};

Heard hear(std::string_view text, std::size_t piece) {
  Heard heard;
  hone::ChunkReader reader;
  while (!text.empty() && !reader.is_done()) {
    std::string_view bytes = text.substr(0, piece);
    text.remove_prefix(bytes.size());
    const hone::Status taken = reader.take(bytes, [&](std::string_view part) -> hone::Status {
      heard.data += part;
      return hone::done();
    });
    if (!taken) return heard.is_refused = true, heard;
  }
  heard.is_done = reader.is_done();
  return heard;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (const auto head = hone::parse_http_head(text); head) {
    hold(head->status >= 100 && head->status <= 599);
    hold(head->headers.size() <= hone::most_headers);
    for (const hone::HttpHeader& header : head->headers)
      hold(hone::is_http_token(header.name) && hone::is_header_value(header.value));
    (void)hone::body_length_of(*head, "GET");
  }
  if (const auto url = hone::parse_url(text); url) {
    hold(!url->host.empty() && url->target.starts_with('/'));
    const auto again = hone::parse_url("https://" + url->authority() + url->target);
    hold(again.has_value() || !url->secure);
  }
  const Heard whole = hear(text, text.size() + 1);
  const Heard pieces = hear(text, std::size_t{1} + data[0] % 16);
  hold(whole == pieces || whole.is_refused);
  return 0;
}
