#include "inspect/eval/ctc.h"

#include <algorithm>

#include "base/misuse.h"
#include "base/text.h"
#include "inspect/eval/similarity.h"

namespace hone {
namespace {

// More than any script has.
constexpr std::size_t most_characters = 1 << 20;

// Where characters start: every byte that does not continue one.
std::vector<std::string_view> characters_in(std::string_view text) {
  std::vector<std::string_view> found;
  std::size_t start = 0;
  for (std::size_t i = 1; i <= text.size(); ++i) {
    if (i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) continue;
    found.push_back(text.substr(start, i - start));
    start = i;
  }
  return found;
}

std::size_t edits_between(const std::vector<std::string_view>& a,
                          const std::vector<std::string_view>& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

Characters english_characters() {
  Characters characters = {""};
  for (char c = '0'; c <= '~'; ++c) characters.emplace_back(1, c);
  for (char c = '!'; c <= '/'; ++c) characters.emplace_back(1, c);
  characters.insert(characters.end(), 2, " ");
  return characters;
}

Result<Characters> read_characters(const Path& file) {
  HONE_TRY(const std::string text, read_file(file, std::uint64_t{16} << 20));
  Characters characters = {""};
  for (const std::string& line : split(text, '\n')) {
    std::string_view character = line;
    if (character.ends_with('\r')) character.remove_suffix(1);
    characters.push_back(to_utf8(character));
  }
  if (characters.back().empty()) characters.pop_back();  // what is behind the last line end
  if (characters.size() < 2 || characters.size() > most_characters) {
    return misuse("'" + file.string() + "' is no dictionary",
                  "it holds one character per line, as PP-OCR's ppocr_keys_v1.txt");
  }
  characters.emplace_back(" ");
  return characters;
}

std::string decode_greedily(std::span<const double> scores, const Characters& characters) {
  std::string text;
  std::size_t last = 0;
  for (std::size_t at = 0; at < scores.size(); at += characters.size()) {
    const std::size_t best = index_of_largest(scores.subspan(at, characters.size()));
    if (best != last) text += characters[best];
    last = best;
  }
  return text;
}

double character_accuracy(std::string_view expected, std::string_view got) {
  const auto wanted = characters_in(expected);
  if (wanted.empty()) return got.empty() ? 1 : 0;
  const auto edits = static_cast<double>(edits_between(wanted, characters_in(got)));
  return std::max(0.0, 1 - edits / static_cast<double>(wanted.size()));
}

}  // namespace hone
