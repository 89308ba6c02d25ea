#pragma once
// Base64 (RFC 4648, with padding): credentials in HTTP and in docker's config.json.

#include <optional>
#include <string>
#include <string_view>

namespace hone {

std::string to_base64(std::string_view bytes);
// Nothing where the text is not the base64 of something; missing padding is forgiven.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace hone
