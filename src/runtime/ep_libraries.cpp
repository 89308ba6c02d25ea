#include "runtime/ep_libraries.h"

#include <algorithm>

#include "base/text.h"
#include "runtime/ep_names.h"

namespace hone {
namespace {

// By its name, or by the name of the file: "--ep-library
// mine=.../libonnxruntime_providers_cuda.so".
bool is_given(const Ep& ep, const EpLibraries& given) {
  const std::vector<std::string_view> files = plugin_files(ep);
  return std::ranges::any_of(given, [&](const auto& library) {
    const std::string file = Path(library.second).filename().string();
    return ep_short_name(library.first) == ep.name || std::ranges::find(files, file) != files.end();
  });
}

// "1.29.0": three numbers.
bool is_version(std::string_view word) {
  const std::vector<std::string> parts = split(word, '.');
  return parts.size() == 3 && std::ranges::all_of(parts, [](const std::string& part) {
           return !part.empty() &&
                  std::ranges::all_of(part, [](char one) { return one >= '0' && one <= '9'; });
         });
}

}  // namespace

std::vector<Path> library_folders(const std::vector<std::string>& said, const Path& runtime) {
  std::vector<Path> folders(said.begin(), said.end());
  if (!runtime.has_parent_path()) return folders;
  folders.push_back(runtime.parent_path());
  std::error_code ignored;
  const Path real = std::filesystem::canonical(runtime, ignored).parent_path();
  if (!ignored && real != runtime.parent_path()) folders.push_back(real);
  return folders;
}

std::optional<std::string> find_ep_library(const Ep& ep, const EpLibraries& given,
                                           const std::vector<Path>& folders) {
  if (is_given(ep, given)) return std::nullopt;
  for (const Path& folder : folders) {
    for (const std::string_view name : plugin_files(ep)) {
      std::error_code ignored;
      const Path file = std::filesystem::absolute(folder / name, ignored);
      if (std::filesystem::is_regular_file(file, ignored)) return file.string();
    }
  }
  return std::nullopt;
}

EpLibraries with_found_libraries(const EpLibraries& given, const std::vector<Path>& folders) {
  EpLibraries libraries = given;
  for (const Ep& ep : all_eps()) {
    if (const auto found = find_ep_library(ep, given, folders)) libraries.emplace(ep.name, *found);
  }
  return libraries;
}

std::optional<std::string> version_in_library(const Path& library) {
  const auto file = map_file(library);
  if (!file) return std::nullopt;
  const std::string_view bytes = file->view();
  static constexpr std::string_view begin(
      "\0"
      "1.",
      3);
  std::optional<std::string> version;
  for (std::size_t at = bytes.find(begin); at != bytes.npos; at = bytes.find(begin, at + 1)) {
    constexpr std::size_t longest = 12;
    const std::string_view text = bytes.substr(at + 1, longest);
    const std::string_view word = text.substr(0, text.find('\0'));
    if (!is_version(word)) continue;
    if (version && *version != word) return std::nullopt;
    version = word;
  }
  return version;
}

}  // namespace hone
