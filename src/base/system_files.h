#pragma once
// The small text files of /proc and /sys. Their roots are a value, so that a test can bring a
// folder of its own; whatever a machine does not have is absent and never zero.

#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/file.h"

namespace hone {

struct SystemRoots {
  Path proc = "/proc";
  Path sys = "/sys";
  Path etc = "/etc";
};

// The text without white space at its ends.
std::string_view trimmed(std::string_view text);

// The whole text, or nothing when the file is absent or unreadable.
std::optional<std::string> read_text(const Path& file);
// The first line, trimmed; nothing also when it is empty.
std::optional<std::string> read_line(const Path& file);

// The number that is the whole trimmed text; nothing when it is no such number.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  text = trimmed(text);
  Number value{};
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc{} || end.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> read_integer(const Path& file);

// "0-3,8" gives 0 1 2 3 8: how the kernel writes sets of CPUs.
std::vector<int> parse_cpu_list(std::string_view text);

// "MemTotal:   1234 kB" lines: the value by its key, trimmed; of a key that repeats, the first.
std::map<std::string, std::string> parse_key_values(std::string_view text);

// The entries of a folder whose name is `prefix` and a number, in the order of that number: cpu0,
// cpu1, ..., cpu10.
std::vector<Path> numbered_entries(const Path& folder, std::string_view prefix);

}  // namespace hone
