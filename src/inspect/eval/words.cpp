#include "inspect/eval/words.h"

#include <algorithm>

#include "base/folder.h"
#include "base/text.h"

namespace hone {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_word(std::string_view word) {
  return word.size() >= 2 && word.size() <= 14 && std::ranges::all_of(word, is_letter);
}

void add_words(std::string_view text, std::vector<std::string>& words) {
  constexpr std::string_view space = " \t\r\n\f";
  while (true) {
    const std::size_t start = text.find_first_not_of(space);
    if (start == std::string_view::npos) return;
    text.remove_prefix(start);
    const std::string_view word = text.substr(0, text.find_first_of(space));
    if (is_word(word)) words.emplace_back(word);
    text.remove_prefix(word.size());
  }
}

}  // namespace

Result<std::vector<std::string>> read_words(const Path& folder) {
  const auto entries = list_folder(folder);
  std::vector<std::string> words;
  for (const FolderEntry& entry : entries ? *entries : std::vector<FolderEntry>()) {
    // GPL is a link to GPL-3: once is enough.
    if (!entry.is_file() || entry.is_link()) continue;
    HONE_TRY(const std::string text, read_file(entry.path, std::uint64_t{16} << 20));
    add_words(text, words);
  }
  if (words.size() >= 100) return words;
  return fail(Fault::not_found, "there are no words in '" + folder.string() + "'",
              entries ? "" : entries.error().cause, "apt-get install base-files");
}

std::string pick_words(const std::vector<std::string>& words, std::size_t least, std::size_t most,
                       Random& random) {
  const std::size_t count = least + random.below(most - least + 1);
  const std::size_t first = random.below(words.size() - count + 1);
  return join(std::span(words).subspan(first, count), " ");
}

}  // namespace hone
