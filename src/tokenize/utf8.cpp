#include "tokenize/utf8.h"

#include <cstring>

namespace hone::tokenize {
namespace {

struct Sequence {
  std::size_t length = 0;  // bytes that belong together
  bool is_valid = false;
};

struct Second {
  unsigned char least, most;
};

// What may follow a first byte: no overlong forms, no surrogates, nothing above U+10FFFF.
Second second_of(unsigned char first) {
  switch (first) {
    case 0xE0:
      return {0xA0, 0xBF};
    case 0xED:
      return {0x80, 0x9F};
    case 0xF0:
      return {0x90, 0xBF};
    case 0xF4:
      return {0x80, 0x8F};
    default:
      return {0x80, 0xBF};
  }
}

Sequence sequence_at(std::string_view bytes, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[at + i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {1, true};
  if (first < 0xC2 || first > 0xF4) return {1, false};
  const std::size_t length = length_from(bytes[at]);
  const std::size_t there = bytes.size() - at;
  const Second second = second_of(first);
  if (there < 2 || byte(1) < second.least || byte(1) > second.most) return {1, false};
  for (std::size_t i = 2; i < length; ++i) {
    if (there <= i || !is_continuation(bytes[at + i])) return {i, false};
  }
  return {length, true};
}

}  // namespace

std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for (const char byte : text) count += is_continuation(byte) ? 0U : 1U;
  return count;
}

std::size_t valid_prefix(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    if (bytes.size() - at >= 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + at, sizeof word);
      if ((word & 0x8080808080808080ULL) == 0) {
        at += 8;
        continue;
      }
    }
    const Sequence sequence = sequence_at(bytes, at);
    if (!sequence.is_valid) return at;
    at += sequence.length;
  }
  return at;
}

std::string repaired(std::string_view bytes, std::vector<std::uint32_t>* places) {
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const Sequence sequence = sequence_at(bytes, at);
    const std::string_view part =
        sequence.is_valid ? bytes.substr(at, sequence.length) : replacement_character;
    if (places != nullptr) {
      for (std::size_t i = 0; i < part.size(); ++i) {
        places->push_back(static_cast<std::uint32_t>(at));
      }
    }
    text += part;
    at += sequence.length;
  }
  if (places != nullptr) places->push_back(static_cast<std::uint32_t>(bytes.size()));
  return text;
}

}  // namespace hone::tokenize
