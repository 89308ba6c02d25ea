#pragma once
// Tokens and their ids, in one block of memory: a lookup of a word is one hash and, mostly, one
// comparison.

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hone::tokenize {

inline constexpr std::uint32_t no_id = 0xFFFFFFFF;
// What a table by id takes stays small, whatever a file claims.
inline constexpr std::uint64_t largest_id = (1U << 24U) - 1;

inline std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  a = (a ^ b) * 0x9E3779B97F4A7C15ULL;
  return a ^ (a >> 32U);
}

inline std::uint64_t hash_of(std::string_view bytes) {
  std::uint64_t hash = mixed(bytes.size(), 0x2545F4914F6CDD1DULL);
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    hash = mixed(hash, word);
  }
  std::uint64_t rest = 0;
  if (left > 0) std::memcpy(&rest, at, left);
  return mixed(hash, rest);
}

class Vocabulary {
 public:
  // A token that is there already gets the new id. An id that is too large is refused.
  Status add(std::string_view token, std::uint64_t id);
  // Gives back what growing took. After the last add.
  void finish();

  std::uint32_t find(std::string_view token) const;
  std::optional<std::string_view> token(std::uint32_t id) const;
  std::size_t size() const { return entries_.size(); }
  // One more than the largest id.
  std::size_t end_id() const { return by_id_.size(); }

  template <class Visit>
  void for_each(Visit visit) const {
    for (const Entry& entry : entries_) visit(view(entry), entry.id);
  }

 private:
  struct Entry {
    std::uint32_t offset, length, id;
  };
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t entry = no_id;
  };
  std::string_view view(const Entry& entry) const {
    return std::string_view(arena_).substr(entry.offset, entry.length);
  }
  std::size_t slot_of(std::string_view token, std::uint64_t hash) const;
  void grow();

  std::string arena_{};
  std::vector<Entry> entries_{};
  std::vector<Slot> slots_{};
  std::vector<std::uint32_t> by_id_{};  // entries
};

}  // namespace hone::tokenize
