#pragma once
// Text for people: sizes, suggestions, valid UTF-8.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

std::string join(std::span<const std::string> parts, std::string_view separator);
std::vector<std::string> split(std::string_view text, char separator);
std::string lowercase(std::string_view text);

// "10.4 MiB", "475 MiB", "812 bytes".
std::string format_bytes(std::uint64_t bytes);
// "1,234,567".
std::string format_count(std::uint64_t count);

int edit_distance(std::string_view a, std::string_view b);
// The candidate a person most likely meant, or empty when none is near.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

// The same text with every invalid UTF-8 byte replaced by U+FFFD: model files hold arbitrary bytes.
std::string to_utf8(std::string_view bytes);
// For terminals: to_utf8, and control characters (escape sequences in a hostile node name) made
// visible.
std::string printable(std::string_view bytes);
// Words as a POSIX shell takes them apart again: "'my model.onnx'".
std::string to_shell(std::span<const std::string> words);

}  // namespace hone
