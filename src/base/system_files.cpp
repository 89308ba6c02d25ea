#include "base/system_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/descriptor.h"
#include "base/folder.h"
#include "base/text.h"

namespace hone {
namespace {

// Enough for the largest of these files, /proc/cpuinfo of a machine with a thousand CPUs.
constexpr std::uint64_t most_bytes = std::uint64_t{16} << 20;

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// Not read_file: samplers come here many times a second, and most of these files have a few bytes.
std::optional<std::string> read_text(const Path& file) {
  const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 4096> buffer;
  while (opened && text.size() < most_bytes) {
    const ssize_t count = ::read(opened.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::nullopt;
    if (count == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return std::nullopt;
}

std::optional<std::string> read_line(const Path& file) {
  const std::optional<std::string> text = read_text(file);
  if (!text) return std::nullopt;
  const std::string_view line = trimmed(std::string_view(*text).substr(0, text->find('\n')));
  if (line.empty()) return std::nullopt;
  return std::string(line);
}

std::optional<std::int64_t> read_integer(const Path& file) {
  const std::optional<std::string> line = read_line(file);
  return line ? parse_number<std::int64_t>(*line) : std::nullopt;
}

std::vector<int> parse_cpu_list(std::string_view text) {
  constexpr int most_cpus = 1 << 16;
  std::vector<int> cpus;
  for (const std::string& part : split(trimmed(text), ',')) {
    const std::size_t dash = part.find('-');
    const auto first = parse_number<int>(std::string_view(part).substr(0, dash));
    const auto last = dash == std::string::npos
                          ? first
                          : parse_number<int>(std::string_view(part).substr(dash + 1));
    if (!first || !last || *first < 0 || *last >= most_cpus) continue;
    for (int cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

std::map<std::string, std::string> parse_key_values(std::string_view text) {
  std::map<std::string, std::string> values;
  for (const std::string& line : split(text, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string_view view = line;
    values.emplace(trimmed(view.substr(0, colon)), trimmed(view.substr(colon + 1)));
  }
  return values;
}

std::vector<Path> numbered_entries(const Path& folder, std::string_view prefix) {
  std::vector<std::pair<int, Path>> found;
  for (const FolderEntry& entry : list_folder(folder).value_or({})) {
    if (!entry.name.starts_with(prefix)) continue;
    const auto number = parse_number<int>(std::string_view(entry.name).substr(prefix.size()));
    if (number) found.emplace_back(*number, entry.path);
  }
  std::ranges::sort(found);
  std::vector<Path> entries;
  entries.reserve(found.size());
  for (auto& [number, path] : found) entries.push_back(std::move(path));
  return entries;
}

}  // namespace hone
