#pragma once
// Names and paths of strangers that no system, shell or reader misunderstands.

#include <algorithm>
#include <string_view>

#include "base/text.h"

namespace hone {

// Letters, digits, '.', '-', '_'; not hidden, and no option of a command.
inline bool is_plain_name(std::string_view text) {
  constexpr std::size_t longest = 100;
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
  };
  return !text.empty() && text.size() <= longest && text.front() != '.' && text.front() != '-' &&
         std::ranges::all_of(text, is_plain);
}

// Plain names with '/' between them: it leads to one place below where it begins.
inline bool is_plain_path(std::string_view text) {
  constexpr std::size_t deepest = 16;
  const std::vector<std::string> parts = split(text, '/');
  return parts.size() <= deepest &&
         std::ranges::all_of(parts, [](const std::string& part) { return is_plain_name(part); });
}

}  // namespace hone
