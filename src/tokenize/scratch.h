#pragma once
// What encoding one text needs in between, kept for the next text.

#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "tokenize/aligned.h"
#include "tokenize/vocabulary.h"

namespace hone::tokenize {

// A token of a word, with its place in the word's bytes.
struct Token {
  std::uint32_t id = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

// A part of the text on its way: of buffers[buffer], bytes [begin, end).
struct Split {
  std::uint32_t buffer = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t added = no_id;  // the added token that it is
};

// The tokens of words met before. Forgets all of them when they take too much.
class WordCache {
 public:
  // False: not here.
  bool find(std::string_view word, std::uint64_t hash, std::vector<Token>& tokens) const;
  void keep(std::string_view word, std::uint64_t hash, const Token* tokens, std::size_t count);

  static constexpr std::size_t longest_word = 255;

 private:
  struct Entry {
    std::uint64_t hash = 0;
    std::uint32_t offset = 0;
    std::uint16_t length = 0;
    std::uint16_t count = 0;  // 0: nothing is here
  };
  static constexpr std::size_t slots = 1U << 15U;
  static constexpr std::size_t most_bytes = 8U << 20U;
  std::vector<Entry> entries_{};
  std::vector<char> arena_{};
};

struct BestPath {
  double score = 0;
  std::uint32_t id = 0;
  std::uint32_t begin = no_id;
};

struct Symbol {
  std::uint32_t id = 0;
  std::uint32_t length = 0;  // 0: merged away
  std::int32_t before = -1;
  std::int32_t after = -1;
};

struct Merge {
  std::uint32_t rank = 0;
  std::uint32_t place = 0;
  std::uint32_t made = 0;
};

struct Scratch {
  std::deque<Aligned> buffers{};
  std::size_t buffers_used = 0;
  bool is_tracked = false;  // whether buffers know where their text comes from
  std::vector<Split> splits{}, next{};
  std::vector<Aligned::Part> parts{};
  std::vector<Change> changes{};
  std::vector<Token> tokens{};
  std::vector<std::uint32_t> counts{};  // characters before each byte
  std::vector<Symbol> symbols{};
  std::vector<Merge> merges{};
  std::vector<std::uint32_t> ranks{}, made{};
  std::vector<BestPath> best{};
  WordCache cache{};

  void start() {
    buffers_used = 0;
    splits.clear();
  }
  // A buffer to fill, and its number.
  std::uint32_t add_buffer() {
    if (buffers_used == buffers.size()) buffers.emplace_back();
    return static_cast<std::uint32_t>(buffers_used++);
  }
  std::string_view text(const Split& split) const {
    return buffers[split.buffer].text().substr(split.begin, split.end - split.begin);
  }
};

}  // namespace hone::tokenize
