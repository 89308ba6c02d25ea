#include "runtime/ort_trouble.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/text.h"

namespace hone {
namespace {

constexpr std::array<std::string_view, 3> full_disk = {"no space left on device", "disk full",
                                                       "disk quota exceeded"};
constexpr std::array<std::string_view, 4> no_memory = {
    "bad_alloc", "cannot allocate memory", "out of memory", "failed to allocate memory"};
// dlopen below a limit of memory, which has no word for it; of a folder that nothing may be run
// from it says so.
constexpr std::array<std::string_view, 1> no_room_for_library = {
    "failed to map segment from shared object"};
constexpr std::array<std::string_view, 1> not_permitted = {"operation not permitted"};
constexpr std::array<std::string_view, 4> no_kernel = {"not_implemented",
                                                       "could not find an implementation",
                                                       "is not a registered function", "no kernel"};

bool says(std::string_view text, std::span<const std::string_view> markers) {
  return std::ranges::any_of(markers, [&](std::string_view marker) {
    return text.find(marker) != std::string_view::npos;
  });
}

// A path begins at a word with a slash and may have spaces: it ends at the last word that ends like
// a file of ours.
std::string without_paths(std::string_view said) {
  constexpr std::array<std::string_view, 3> endings = {".onnx", ".so", ".data"};
  const auto ends_a_path = [&](const std::string& word) {
    return std::ranges::any_of(
        endings, [&](std::string_view end) { return word.find(end) != std::string::npos; });
  };
  std::vector<std::string> kept;
  const std::vector<std::string> words = split(said, ' ');
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].find('/') == std::string::npos) {
      kept.push_back(words[i]);
      continue;
    }
    std::size_t end = i;
    while (end < words.size() && !ends_a_path(words[end])) ++end;
    if (end < words.size()) i = end;
  }
  return join(kept, " ");
}

}  // namespace

Trouble trouble_in(std::string_view said, bool is_not_implemented) {
  std::string words;
  for (const std::string& line : split(said, '\n')) words += lowercase(without_paths(line)) + "\n";
  if (says(words, full_disk)) return Trouble::disk_full;
  const bool is_library = says(words, no_room_for_library) && !says(words, not_permitted);
  if (is_library || says(words, no_memory)) return Trouble::no_memory;
  if (is_not_implemented || says(words, no_kernel)) return Trouble::no_kernel;
  return Trouble::other;
}

}  // namespace hone
