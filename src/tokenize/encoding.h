#pragma once
// What a tokenizer makes of a text: one row per token, each column a vector of its own, so that ids
// and masks go into a tensor as they are.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hone::tokenize {

// [begin, end) of a text.
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool operator==(const Span&) const = default;
};

// The word of a token that is in none: what a template or padding added.
inline constexpr std::int32_t no_word = -1;
// The sequence of such a token.
inline constexpr std::int8_t no_sequence = -1;

struct Encoding {
  std::vector<std::uint32_t> ids{};
  std::vector<std::uint32_t> type_ids{};
  std::vector<std::uint32_t> attention_mask{};
  std::vector<std::uint32_t> special_tokens_mask{};
  // Into the text that was given (the second one, for tokens of the second). Empty where
  // EncodeOptions did not ask for them. [0, 0) for what was added.
  std::vector<Span> characters{};
  std::vector<Span> bytes{};
  // Which word of its text, as pre-tokenizing made them; no_word for what was added.
  std::vector<std::int32_t> words{};
  // 0: the first text, 1: the second; no_sequence for what was added.
  std::vector<std::int8_t> sequences{};
  // Spaces at either end of each token's text; kept only until offsets are trimmed of them.
  std::vector<Span> margins{};
  // Where a text was truncated: its other windows, each a whole encoding.
  std::vector<Encoding> overflowing{};

  std::size_t size() const { return ids.size(); }
  // Empties the columns and keeps their memory.
  void clear();
};

}  // namespace hone::tokenize
