// Byte pair encoding: characters, merged in the order the merges were learned in.

#include <algorithm>
#include <array>

#include "base/text.h"
#include "tokenize/byte_alphabet.h"
#include "tokenize/model.h"
#include "tokenize/utf8.h"

namespace hone::tokenize {
namespace {

constexpr std::string_view meta_space = "\xE2\x96\x81";

struct Made {
  std::uint32_t rank = no_id;
  std::uint32_t id = 0;
};

// Pairs of ids to what they merge into.
class MergeTable {
 public:
  void reserve(std::size_t count) {
    std::size_t size = 16;
    while (size < count * 2) size *= 2;
    slots_.assign(size, Slot{});
  }
  void add(std::uint32_t first, std::uint32_t second, Made made) {
    Slot& slot = slots_[slot_of(first, second)];
    slot = {first, second, made};
  }
  Made find(std::uint32_t first, std::uint32_t second) const {
    return slots_[slot_of(first, second)].made;
  }

 private:
  struct Slot {
    std::uint32_t first = no_id, second = no_id;
    Made made{};
  };
  std::size_t slot_of(std::uint32_t first, std::uint32_t second) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = mixed((std::uint64_t{first} << 32U) | second, 0) & mask;
    while (slots_[at].made.rank != no_id &&
           (slots_[at].first != first || slots_[at].second != second)) {
      at = (at + 1) & mask;
    }
    return at;
  }
  std::vector<Slot> slots_{};
};

bool comes_later(const Merge& a, const Merge& b) {
  return a.rank != b.rank ? a.rank > b.rank : a.place > b.place;
}

class Bpe final : public Model {
 public:
  explicit Bpe(const BpeOptions& options) : options_(options) {}
  Status set_up(Vocabulary given, const std::vector<MergePair>& merges);

  std::string_view kind() const override { return "BPE"; }
  Status tokenize(std::string_view word, Scratch& scratch,
                  std::vector<Token>& tokens) const override;
  std::size_t first_part(std::string_view text) const override;

 private:
  Status add_merge(const MergePair& pair, std::uint32_t rank);
  void set_up_bytes();
  void find_parts(const std::vector<MergePair>& merges);
  std::uint32_t id_of(std::string_view piece, bool is_first, bool is_last) const;
  Status split(std::string_view word, std::vector<Symbol>& symbols) const;
  bool fall_back(std::string_view piece, bool is_last, std::vector<Symbol>& symbols) const;
  void merge_few(Scratch& scratch) const;
  void merge_many(Scratch& scratch) const;
  void merge_at(const Merge& top, Scratch& scratch) const;

  BpeOptions options_;
  MergeTable merges_{};
  std::array<std::uint32_t, 256> byte_ids_{};  // raw: of bytes; else of ASCII characters
  std::array<std::uint32_t, 256> fallback_{};  // of <0x00> to <0xFF>
  Vocabulary words_{};                         // raw: what whole words are
  std::uint32_t unknown_ = no_id;
  bool has_parts_ = false;
  std::vector<char32_t> joins_{};  // characters that merge with a following ▁, in order
};

Failure missing(std::string_view token) {
  return fail(Fault::bad_input, "cannot use the tokenizer's merges",
              "'" + printable(token) + "' is no token of the vocabulary");
}

Status Bpe::add_merge(const MergePair& pair, std::uint32_t rank) {
  const auto& [a, b] = pair;
  const std::uint32_t first = vocabulary.find(a);
  if (first == no_id) return missing(a);
  const std::uint32_t second = vocabulary.find(b);
  if (second == no_id) return missing(b);
  if (b.size() < options_.prefix.size()) return missing(b);
  const std::string made = a + b.substr(options_.prefix.size());
  const std::uint32_t id = vocabulary.find(made);
  if (id == no_id) return missing(made);
  merges_.add(first, second, {rank, id});
  return done();
}

void Bpe::set_up_bytes() {
  for (unsigned byte = 0; byte < 256; ++byte) {
    std::string piece;
    const auto code = static_cast<unsigned char>(byte);
    append(piece, options_.is_raw ? character_of_byte(code) : static_cast<char32_t>(byte));
    const bool is_one = options_.is_raw || byte < 128;
    byte_ids_[byte] = is_one ? vocabulary.find(piece) : no_id;
    fallback_[byte] = vocabulary.find(byte_token(code));
  }
}

// Where no merge reaches over the place before a ▁, the two sides can be tokenized apart: words of
// a text that is all one word, each of which the cache may know.
void Bpe::find_parts(const std::vector<MergePair>& merges) {
  has_parts_ = !options_.is_raw && !options_.ignores_merges && options_.prefix.empty() &&
               options_.suffix.empty() && vocabulary.find(meta_space) != no_id;
  for (const auto& [a, b] : merges) {
    if (!has_parts_) return;
    for (const std::string& side : {a, b}) {
      const bool is_byte = side.size() == 6 && side.starts_with("<0x");
      if (side.empty() || is_byte || side == options_.unknown) has_parts_ = false;
    }
    if (!has_parts_ || !b.starts_with(meta_space)) continue;
    joins_.push_back(character_before(a, a.size()).code);
  }
  std::sort(joins_.begin(), joins_.end());
  joins_.erase(std::unique(joins_.begin(), joins_.end()), joins_.end());
}

Status Bpe::set_up(Vocabulary given, const std::vector<MergePair>& merges) {
  vocabulary = std::move(given);
  vocabulary.finish();
  merges_.reserve(merges.size());
  for (std::size_t i = 0; i < merges.size(); ++i) {
    HONE_TRY_DO(add_merge(merges[i], static_cast<std::uint32_t>(i)));
  }
  if (options_.has_unknown) unknown_ = vocabulary.find(options_.unknown);
  set_up_bytes();
  find_parts(merges);
  if (!options_.is_raw || !options_.ignores_merges) return done();
  Status status = done();
  vocabulary.for_each([&](std::string_view token, std::uint32_t id) {
    if (const auto bytes = bytes_of(token); bytes && status) status = words_.add(*bytes, id);
  });
  return status;
}

std::uint32_t Bpe::id_of(std::string_view piece, bool is_first, bool is_last) const {
  const bool has_prefix = !is_first && !options_.prefix.empty();
  const bool has_suffix = is_last && !options_.suffix.empty();
  if (!has_prefix && !has_suffix) {
    return piece.size() == 1 ? byte_ids_[static_cast<unsigned char>(piece[0])]
                             : vocabulary.find(piece);
  }
  std::string whole = has_prefix ? options_.prefix : std::string();
  whole += piece;
  if (has_suffix) whole += options_.suffix;
  return vocabulary.find(whole);
}

void append_symbol(std::vector<Symbol>& symbols, std::uint32_t id, std::size_t length) {
  symbols.push_back({id, static_cast<std::uint32_t>(length), -1, -1});
}

bool Bpe::fall_back(std::string_view piece, bool is_last, std::vector<Symbol>& symbols) const {
  if (!options_.byte_fallback) return false;
  std::string bytes(piece);
  if (is_last) bytes += options_.suffix;
  for (const char byte : bytes) {
    if (fallback_[static_cast<unsigned char>(byte)] == no_id) return false;
  }
  for (const char byte : bytes)
    append_symbol(symbols, fallback_[static_cast<unsigned char>(byte)], 1);
  return true;
}

Status Bpe::split(std::string_view word, std::vector<Symbol>& symbols) const {
  std::size_t unknown_length = 0;  // of what waits to be known as unknown
  const auto flush = [&] {
    if (unknown_length > 0) append_symbol(symbols, unknown_, unknown_length);
    unknown_length = 0;
  };
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t length = options_.is_raw ? 1 : length_from(word[at]);
    const std::string_view piece = word.substr(at, length);
    const bool is_last = at + length == word.size();
    const std::uint32_t id = options_.is_raw ? byte_ids_[static_cast<unsigned char>(piece[0])]
                                             : id_of(piece, at == 0, is_last);
    at += length;
    if (id != no_id) {
      flush();
      append_symbol(symbols, id, length);
      continue;
    }
    // What waits stays behind the bytes, as in the published library.
    if (fall_back(piece, is_last, symbols) || !options_.has_unknown) continue;
    if (unknown_ == no_id) {
      return fail(Fault::bad_input, "cannot tokenize '" + printable(piece) + "'",
                  "the unknown token '" + options_.unknown + "' is not in the vocabulary");
    }
    if (!options_.fuses_unknown) flush();
    unknown_length += length;
  }
  flush();
  return done();
}

// For words: looks at all pairs for the first merge, as long as there are few.
void Bpe::merge_few(Scratch& scratch) const {
  std::vector<Symbol>& symbols = scratch.symbols;
  auto& ranks = scratch.ranks;
  auto& made = scratch.made;
  std::size_t count = symbols.size();
  ranks.resize(count);
  made.resize(count);
  const auto look = [&](std::size_t i) {
    const Made found = i + 1 < count ? merges_.find(symbols[i].id, symbols[i + 1].id) : Made{};
    ranks[i] = found.rank;
    made[i] = found.id;
  };
  for (std::size_t i = 0; i < count; ++i) look(i);
  while (count > 1) {
    std::size_t best = 0;
    for (std::size_t i = 1; i + 1 < count; ++i) best = ranks[i] < ranks[best] ? i : best;
    if (ranks[best] == no_id) break;
    symbols[best].id = made[best];
    symbols[best].length += symbols[best + 1].length;
    --count;
    for (std::size_t i = best + 1; i < count; ++i) {
      symbols[i] = symbols[i + 1];
      ranks[i] = ranks[i + 1];
      made[i] = made[i + 1];
    }
    look(best);
    if (best > 0) look(best - 1);
  }
  symbols.resize(count);
}

void Bpe::merge_at(const Merge& top, Scratch& scratch) const {
  std::vector<Symbol>& symbols = scratch.symbols;
  const auto place = static_cast<std::int32_t>(top.place);
  Symbol& left = symbols[top.place];
  if (left.length == 0 || left.after < 0) return;
  Symbol& right = symbols[static_cast<std::size_t>(left.after)];
  // The pair may have changed since.
  const Made now = merges_.find(left.id, right.id);
  if (now.rank == no_id || now.id != top.made) return;
  left.id = top.made;
  left.length += right.length;
  left.after = right.after;
  right.length = 0;
  if (left.after >= 0) symbols[static_cast<std::size_t>(left.after)].before = place;
  const auto push = [&](std::int32_t at) {
    if (at < 0 || symbols[static_cast<std::size_t>(at)].after < 0) return;
    const Symbol& first = symbols[static_cast<std::size_t>(at)];
    const Made made = merges_.find(first.id, symbols[static_cast<std::size_t>(first.after)].id);
    if (made.rank == no_id) return;
    scratch.merges.push_back({made.rank, static_cast<std::uint32_t>(at), made.id});
    std::push_heap(scratch.merges.begin(), scratch.merges.end(), comes_later);
  };
  push(left.before);
  push(place);
}

void Bpe::merge_many(Scratch& scratch) const {
  std::vector<Symbol>& symbols = scratch.symbols;
  scratch.merges.clear();
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    symbols[i].before = static_cast<std::int32_t>(i) - 1;
    symbols[i].after = i + 1 < symbols.size() ? static_cast<std::int32_t>(i) + 1 : -1;
    if (symbols[i].after < 0) break;
    const Made made = merges_.find(symbols[i].id, symbols[i + 1].id);
    if (made.rank != no_id) {
      scratch.merges.push_back({made.rank, static_cast<std::uint32_t>(i), made.id});
    }
  }
  std::make_heap(scratch.merges.begin(), scratch.merges.end(), comes_later);
  while (!scratch.merges.empty()) {
    std::pop_heap(scratch.merges.begin(), scratch.merges.end(), comes_later);
    const Merge top = scratch.merges.back();
    scratch.merges.pop_back();
    merge_at(top, scratch);
  }
  std::erase_if(symbols, [](const Symbol& symbol) { return symbol.length == 0; });
}

Status Bpe::tokenize(std::string_view word, Scratch& scratch, std::vector<Token>& tokens) const {
  if (options_.ignores_merges) {
    const std::uint32_t id = options_.is_raw ? words_.find(word) : vocabulary.find(word);
    if (id != no_id) {
      tokens.push_back({id, 0, static_cast<std::uint32_t>(word.size())});
      return done();
    }
  }
  scratch.symbols.clear();
  HONE_TRY_DO(split(word, scratch.symbols));
  constexpr std::size_t few = 40;
  if (scratch.symbols.size() > few) {
    merge_many(scratch);
  } else {
    merge_few(scratch);
  }
  std::uint32_t at = 0;
  for (const Symbol& symbol : scratch.symbols) {
    tokens.push_back({symbol.id, at, at + symbol.length});
    at += symbol.length;
  }
  return done();
}

std::size_t Bpe::first_part(std::string_view text) const {
  if (!has_parts_) return text.size();
  std::size_t at = 1;
  for (;;) {
    at = text.find(meta_space, at);
    if (at == std::string_view::npos) return text.size();
    const char32_t before = character_before(text, at).code;
    if (!std::binary_search(joins_.begin(), joins_.end(), before)) return at;
    at += meta_space.size();
  }
}

}  // namespace

std::string byte_token(unsigned char byte) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  return std::string("<0x") + digits[byte >> 4U] + digits[byte & 15U] + '>';
}

Result<std::unique_ptr<Model>> make_bpe(Vocabulary vocabulary, const std::vector<MergePair>& merges,
                                        const BpeOptions& options) {
  auto model = std::make_unique<Bpe>(options);
  HONE_TRY_DO(model->set_up(std::move(vocabulary), merges));
  return std::unique_ptr<Model>(std::move(model));
}

}  // namespace hone::tokenize
