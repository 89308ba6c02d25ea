#include <cstring>

#include "tokenize/scratch.h"

namespace hone::tokenize {

bool WordCache::find(std::string_view word, std::uint64_t hash, std::vector<Token>& tokens) const {
  if (entries_.empty()) return false;
  const Entry& entry = entries_[hash & (slots - 1)];
  if (entry.hash != hash || entry.length != word.size() || entry.count == 0) return false;
  const char* at = arena_.data() + entry.offset;
  if (std::memcmp(at, word.data(), word.size()) != 0) return false;
  const std::size_t begin = tokens.size();
  tokens.resize(begin + entry.count);
  std::memcpy(tokens.data() + begin, at + word.size(), entry.count * sizeof(Token));
  return true;
}

void WordCache::keep(std::string_view word, std::uint64_t hash, const Token* tokens,
                     std::size_t count) {
  if (word.size() > longest_word || count == 0 || count > 0xFFFF) return;
  const std::size_t bytes = word.size() + count * sizeof(Token);
  if (arena_.size() + bytes > most_bytes || entries_.empty()) {
    entries_.assign(slots, Entry{});
    arena_.clear();
  }
  const auto offset = static_cast<std::uint32_t>(arena_.size());
  arena_.resize(offset + bytes);
  std::memcpy(arena_.data() + offset, word.data(), word.size());
  std::memcpy(arena_.data() + offset + word.size(), tokens, count * sizeof(Token));
  entries_[hash & (slots - 1)] = {hash, offset, static_cast<std::uint16_t>(word.size()),
                                  static_cast<std::uint16_t>(count)};
}

}  // namespace hone::tokenize
