#pragma once
// What `hone tokenize` shows: tokens of a text with their ids and where they come from, or the text
// of ids.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/fields.h"

namespace hone {

inline constexpr std::int64_t tokenize_schema_version = 1;

struct TokenRow {
  std::uint64_t id = 0;
  std::string token;                      // as the vocabulary has it
  std::vector<std::uint64_t> characters;  // [begin, end) in its text; both zero for what was added
  std::vector<std::uint64_t> bytes;
  std::optional<std::int64_t> word;      // null: added, or padding
  std::optional<std::int64_t> sequence;  // 0: of the first text, 1: of the second
  std::uint64_t type = 0;
  bool is_special = false;
  bool is_padding = false;
};
template <RecordOf<TokenRow> Self>
void for_each_field(Self& row, auto&& field) {
  field("id", row.id);
  field("token", row.token);
  field("characters", row.characters);
  field("bytes", row.bytes);
  field("word", row.word);
  field("sequence", row.sequence);
  field("type", row.type);
  field("is_special", row.is_special);
  field("is_padding", row.is_padding);
}

struct TokenizeReport {
  std::string tokenizer;  // what was given
  std::string kind;       // WordPiece, BPE, Unigram or WordLevel
  std::uint64_t vocabulary = 0;
  std::string identity;  // SHA-256 of its files
  std::vector<TokenRow> tokens;
  std::uint64_t words = 0;
  std::uint64_t characters = 0;        // of the texts
  std::uint64_t further_windows = 0;   // where it was truncated
  std::optional<std::string> decoded;  // of the ids that were given
};
template <RecordOf<TokenizeReport> Self>
void for_each_field(Self& report, auto&& field) {
  field("tokenizer", report.tokenizer);
  field("kind", report.kind);
  field("vocabulary", report.vocabulary);
  field("identity", report.identity);
  field("tokens", report.tokens);
  field("words", report.words);
  field("characters", report.characters);
  field("further_windows", report.further_windows);
  field("decoded", report.decoded);
}

}  // namespace hone
