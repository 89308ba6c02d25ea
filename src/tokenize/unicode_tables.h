#pragma once
// What the tables say of one character. Shared with the program of the build that writes them.

#include <cstddef>
#include <cstdint>
#include <span>

namespace hone::tokenize {

namespace character_flag {
inline constexpr std::uint16_t white_space = 1;
inline constexpr std::uint16_t alphabetic = 2;
inline constexpr std::uint16_t pictograph = 4;
inline constexpr std::uint16_t join_control = 8;
inline constexpr std::uint16_t uppercase = 16;
inline constexpr std::uint16_t lowercase = 32;
inline constexpr std::uint16_t long_lowercase = 64;  // more than one character
inline constexpr std::uint16_t folds = 128;
inline constexpr std::uint16_t decomposes = 256;
inline constexpr std::uint16_t composes = 512;     // as the second of two
inline constexpr std::uint16_t nfc_stable = 1024;  // a text of such characters is in NFC
inline constexpr std::uint16_t nfkc_stable = 2048;
// As the library that tokenizers were published with has them: of Unicode 8 and 9.
inline constexpr std::uint16_t published_punctuation = 4096;
inline constexpr std::uint16_t published_control = 8192;
inline constexpr std::uint16_t published_accent = 16384;
inline constexpr std::uint16_t published_mark = 32768;
}  // namespace character_flag

struct CharacterRecord {
  std::uint8_t category;  // as ICU numbers them: UCharCategory
  std::uint8_t grapheme;  // UGraphemeClusterBreak
  std::uint8_t combining;
  std::uint8_t age;  // of the Unicode version that brought it: 16 * major + minor; 0: none did yet
  std::uint16_t script;
  std::uint16_t flags;
  std::int32_t lower_delta;
};

struct ScriptName {
  const char* name;
  const char* short_name;
  std::uint16_t code;
};

// Keys in order, and for each of them a text in the pool, from begins[i] to begins[i + 1].
struct TextTable {
  const char32_t* keys;
  const std::uint16_t* begins;
  const char32_t* pool;
  std::size_t count;
};

struct FoldTable {
  const char32_t* keys;
  const char32_t* values;
  std::size_t count;
};

// Keys are (first << 32) | second.
struct PairTable {
  const std::uint64_t* keys;
  const char32_t* values;
  std::size_t count;
};

namespace tables {

// records[record_table[block_table[c / 128] * 128 + c % 128]] is the record of c.
extern const std::uint16_t* const block_table;
extern const std::uint16_t* const record_table;
extern const CharacterRecord* const records;
extern const TextTable canonical;
extern const TextTable compatible;
extern const TextTable lower;
extern const FoldTable folds;
extern const PairTable compositions;
extern const std::span<const ScriptName> scripts;
extern const char* const unicode_version;

}  // namespace tables

}  // namespace hone::tokenize
