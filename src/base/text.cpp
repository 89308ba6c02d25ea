#include "base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace hone {
namespace {

constexpr std::string_view replacement_character = "\xEF\xBF\xBD";  // U+FFFD

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string fixed(double value, int decimals) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::fixed, decimals);
  return {buffer.data(), end.ptr};
}

// One character of UTF-8 at the start of `bytes`. length is 0 where the first byte begins none.
struct CodePoint {
  char32_t value = 0;
  std::size_t length = 0;
};

CodePoint first_code_point(std::string_view bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || bytes.size() < length) return {};
  char32_t value = lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    value = (value << 6) | (byte(i) & 0x3Fu);
  }
  // Longer than needed, half of a UTF-16 pair, or beyond Unicode.
  constexpr std::array<char32_t, 5> smallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < smallest[length] || is_surrogate || value > 0x10FFFF) return {};
  return {value, length};
}

// Characters that move the cursor, start an escape sequence or reverse the reading direction.
bool changes_the_terminal(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x200E || c == 0x200F || c == 0x2028 ||
         c == 0x2029 || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

std::string escaped(char32_t c) {
  if (c == '\n') return "\\n";
  if (c == '\t') return "\\t";
  if (c == '\r') return "\\r";
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = c < 0x80 ? "\\x" : "\\u";
  for (int shift = c < 0x80 ? 4 : 12; shift >= 0; shift -= 4) text += digits[(c >> shift) & 0x0F];
  return text;
}

}  // namespace

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += separator;
    text += parts[i];
  }
  return text;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t end = text.find(separator); end != std::string_view::npos;
       end = text.find(separator)) {
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.emplace_back(text);
  return parts;
}

std::string lowercase(std::string_view text) {
  std::string lowered(text);
  std::ranges::transform(lowered, lowered.begin(), lower);
  return lowered;
}

std::string format_bytes(std::uint64_t bytes) {
  if (bytes == 1) return "1 byte";
  if (bytes < 1024) return std::to_string(bytes) + " bytes";
  constexpr std::array<std::string_view, 6> units = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  // 1023.5 and more would be rounded to "1024 KiB".
  while (value >= 1023.5 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fixed(value, decimals) + " " + std::string(units[unit]);
}

std::string format_count(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t end = text.size(); end > 3; end -= 3) text.insert(end - 3, ",");
  return text;
}

// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment): "--opest"
// is one slip away from "--opset", not two.
int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> two_above;
  std::vector<int> above(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<int> row(b.size() + 1);
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, above[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], two_above[j - 2] + 1);
    }
    two_above = std::exchange(above, std::move(row));
  }
  return above.back();
}

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  const std::string wanted = lowercase(word);
  const int limit = std::max(1, static_cast<int>(wanted.size() / 3));
  int best_distance = limit + 1;
  std::string best;
  for (const std::string& candidate : candidates) {
    const std::string offered = lowercase(candidate);
    const bool is_abbreviation = wanted.size() >= 3 && offered.starts_with(wanted);
    // Lengths that far apart need no table: a hostile key of a megabyte must not cost a gigabyte.
    const std::size_t longer = std::max(wanted.size(), offered.size());
    const std::size_t apart = longer - std::min(wanted.size(), offered.size());
    if (!is_abbreviation && apart > static_cast<std::size_t>(limit)) continue;
    const int distance = is_abbreviation ? 1 : edit_distance(wanted, offered);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string to_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t length = first_code_point(bytes).length;
    text += length > 0 ? bytes.substr(0, length) : replacement_character;
    bytes.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return text;
}

std::string printable(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const CodePoint c = first_code_point(bytes);
    if (c.length == 0) {
      text += replacement_character;
    } else if (changes_the_terminal(c.value)) {
      text += escaped(c.value);
    } else {
      text += bytes.substr(0, c.length);
    }
    bytes.remove_prefix(std::max<std::size_t>(c.length, 1));
  }
  return text;
}

std::string to_shell(std::span<const std::string> words) {
  constexpr std::string_view plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789%+,-./:=@_";
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    const bool is_plain = !word.empty() && word.find_first_not_of(plain) == std::string::npos;
    if (is_plain) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

}  // namespace hone
