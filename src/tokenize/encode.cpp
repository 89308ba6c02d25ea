// A text to tokens: added tokens, normalizing, splitting, the model; and where each comes from.

#include <algorithm>

#include "tokenize/byte_alphabet.h"
#include "tokenize/parts.h"
#include "tokenize/unicode.h"

namespace hone::tokenize {
namespace {

constexpr std::size_t longest_text = 0x3FFFFFFF;

class TextEncoder {
 public:
  TextEncoder(const Parts& parts, Scratch& scratch, const EncodeOptions& options)
      : parts_(parts), scratch_(scratch), options_(options) {}

  Status encode(std::string_view text, std::uint32_t type, Encoding& encoding) {
    type_ = type;
    encoding_ = &encoding;
    wants_characters_ =
        options_.offsets == Offsets::characters || options_.offsets == Offsets::both;
    wants_offsets_ = options_.offsets != Offsets::none;
    HONE_TRY_DO(split(text));
    HONE_TRY_DO(tokenize());
    if (wants_characters_) count_characters_of(text);
    if (options_.offsets == Offsets::characters) encoding.bytes.clear();
    return done();
  }

 private:
  Status split(std::string_view text);
  Status normalize(std::string_view text, const Split& section);
  Status tokenize();
  Status tokenize_split(const Split& split, std::uint32_t word);
  Status tokenize_part(std::string_view part, std::uint32_t begin);
  Status tokenize_limited(const Truncation& truncation);
  void put(const Split& split, const Token& token, std::int32_t word, bool is_added);
  void count_characters_of(std::string_view text);

  const Parts& parts_;
  Scratch& scratch_;
  const EncodeOptions& options_;
  std::uint32_t type_ = 0;
  Encoding* encoding_ = nullptr;
  bool wants_offsets_ = true;
  bool wants_characters_ = true;
};

Status TextEncoder::normalize(std::string_view text, const Split& section) {
  const std::uint32_t number = scratch_.add_buffer();
  Aligned& buffer = scratch_.buffers[number];
  buffer.start(text.substr(section.begin, section.end - section.begin), section.begin,
               scratch_.is_tracked);
  if (section.added != no_id) {
    scratch_.next.push_back({number, 0, section.end - section.begin, section.added});
    return done();
  }
  if (parts_.normalizer) HONE_TRY_DO(parts_.normalizer->apply(buffer));
  if (buffer.empty()) return done();
  const Split whole{number, 0, static_cast<std::uint32_t>(buffer.text().size())};
  parts_.added.find(scratch_, whole, true, options_.read_special_tokens, scratch_.next);
  return done();
}

Status TextEncoder::split(std::string_view text) {
  const auto& steps = parts_.pre_tokenizers.steps;
  const bool needs_origins = std::any_of(steps.begin(), steps.end(),
                                         [](const auto& step) { return step->needs_origins(); });
  scratch_.start();
  scratch_.is_tracked = wants_offsets_ || needs_origins;
  if (text.empty()) return done();
  const std::uint32_t number = scratch_.add_buffer();
  scratch_.buffers[number].start(text, 0, false);
  const Split whole{number, 0, static_cast<std::uint32_t>(text.size())};
  parts_.added.find(scratch_, whole, false, options_.read_special_tokens, scratch_.splits);
  scratch_.next.clear();
  for (const Split& section : scratch_.splits) HONE_TRY_DO(normalize(text, section));
  scratch_.splits.swap(scratch_.next);
  for (const auto& step : steps) HONE_TRY_DO(step->apply(scratch_));
  return done();
}

void TextEncoder::put(const Split& split, const Token& token, std::int32_t word, bool is_added) {
  Encoding& encoding = *encoding_;
  encoding.ids.push_back(token.id);
  encoding.words.push_back(word);
  if (!wants_offsets_) return;
  const Aligned& buffer = scratch_.buffers[split.buffer];
  const std::uint32_t end = std::min(split.begin + token.end, split.end);
  const std::uint32_t begin = std::min(split.begin + token.begin, end);
  encoding.bytes.push_back(begin < end ? buffer.origin(begin, end) : Span{});
  if (parts_.margins.empty()) return;
  encoding.margins.push_back(is_added ? margin_of(scratch_.text(split)) : parts_.margins[token.id]);
}

Status TextEncoder::tokenize_part(std::string_view part, std::uint32_t begin) {
  std::vector<Token>& tokens = scratch_.tokens;
  const std::size_t first = tokens.size();
  const bool is_short = part.size() <= WordCache::longest_word;
  const std::uint64_t hash = is_short ? hash_of(part) : 0;
  if (!is_short || !scratch_.cache.find(part, hash, tokens)) {
    HONE_TRY_DO(parts_.model->tokenize(part, scratch_, tokens));
    if (is_short) {
      scratch_.cache.keep(part, hash, tokens.data() + first, tokens.size() - first);
    }
  }
  if (begin == 0) return done();
  for (std::size_t i = first; i < tokens.size(); ++i) {
    tokens[i].begin += begin;
    tokens[i].end += begin;
  }
  return done();
}

Status TextEncoder::tokenize_split(const Split& split, std::uint32_t word) {
  const auto number = static_cast<std::int32_t>(word);
  if (split.added != no_id) {
    put(split, {split.added, 0, split.end - split.begin}, number, true);
    return done();
  }
  scratch_.tokens.clear();
  const std::string_view text = scratch_.text(split);
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const std::string_view part = rest.substr(0, parts_.model->first_part(rest));
    HONE_TRY_DO(tokenize_part(part, static_cast<std::uint32_t>(at)));
    at += part.size();
  }
  for (const Token& token : scratch_.tokens) put(split, token, number, false);
  return done();
}

// Stops as soon as there are as many tokens as will be kept, from whichever side; words that were
// not reached are no part of the answer, not even of its windows.
Status TextEncoder::tokenize_limited(const Truncation& truncation) {
  const std::size_t count = scratch_.splits.size();
  if (truncation.side == Side::right) {
    for (std::size_t i = 0; i < count; ++i) {
      HONE_TRY_DO(tokenize_split(scratch_.splits[i], static_cast<std::uint32_t>(i)));
      const bool is_added = scratch_.splits[i].added != no_id;
      if (!is_added && encoding_->size() >= truncation.max_length) break;
    }
    return done();
  }
  // From the right it is not known where to begin: each word is counted, then all are put.
  std::size_t total = 0;
  std::size_t first = count;
  while (first > 0) {
    --first;
    const std::size_t before = encoding_->size();
    HONE_TRY_DO(tokenize_split(scratch_.splits[first], 0));
    total += encoding_->size() - before;
    if (scratch_.splits[first].added == no_id && total >= truncation.max_length) break;
  }
  encoding_->clear();
  for (std::size_t i = first; i < count; ++i) {
    HONE_TRY_DO(tokenize_split(scratch_.splits[i], static_cast<std::uint32_t>(i - first)));
  }
  return done();
}

Status TextEncoder::tokenize() {
  const auto& truncation = parts_.truncation;
  if (truncation && (truncation->strategy != TruncationStrategy::only_second || type_ != 0)) {
    HONE_TRY_DO(tokenize_limited(*truncation));
  } else {
    for (std::size_t i = 0; i < scratch_.splits.size(); ++i) {
      HONE_TRY_DO(tokenize_split(scratch_.splits[i], static_cast<std::uint32_t>(i)));
    }
  }
  Encoding& encoding = *encoding_;
  encoding.type_ids.assign(encoding.size(), type_);
  encoding.attention_mask.assign(encoding.size(), 1);
  encoding.special_tokens_mask.assign(encoding.size(), 0);
  encoding.sequences.assign(encoding.size(), static_cast<std::int8_t>(type_));
  return done();
}

void TextEncoder::count_characters_of(std::string_view text) {
  Encoding& encoding = *encoding_;
  if (count_characters(text) == text.size()) {
    encoding.characters = encoding.bytes;
    return;
  }
  // For each byte the number of the character that holds it.
  std::vector<std::uint32_t>& counts = scratch_.counts;
  counts.resize(text.size());
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_continuation(text[i])) ++next;
    counts[i] = next - 1;
  }
  encoding.characters.clear();
  for (const Span& span : encoding.bytes) {
    if (span.begin >= text.size()) {
      encoding.characters.push_back(span);
    } else if (span.end < text.size()) {
      encoding.characters.push_back({counts[span.begin], counts[span.end]});
    } else {
      encoding.characters.push_back({counts[span.begin], counts[text.size() - 1] + 1});
    }
  }
}

}  // namespace

std::unique_ptr<Scratch> ScratchPool::lend() {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return std::make_unique<Scratch>();
  std::unique_ptr<Scratch> scratch = std::move(idle_.back());
  idle_.pop_back();
  return scratch;
}

void ScratchPool::give_back(std::unique_ptr<Scratch> scratch) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(scratch));
}

Span margin_of(std::string_view token) {
  constexpr char32_t written_space = 0x120;  // of GPT-2's alphabet
  const auto is_space = [](char32_t c) { return c == written_space || is_white_space(c); };
  Span margin;
  for (std::size_t i = 0; i < token.size();) {
    const Character c = character_at(token, i);
    if (!is_space(c.code)) break;
    ++margin.begin;
    i += c.length;
  }
  for (std::size_t i = token.size(); i > 0;) {
    const Character c = character_before(token, i);
    if (!is_space(c.code)) break;
    ++margin.end;
    i -= c.length;
  }
  return margin;
}

void Parts::finish() {
  if (!trims()) return;
  margins.assign(model->vocabulary.end_id(), Span{});
  model->vocabulary.for_each(
      [&](std::string_view token, std::uint32_t id) { margins[id] = margin_of(token); });
}

Status encode_text(const Parts& parts, std::string_view text, std::uint32_t type,
                   const EncodeOptions& options, Encoding& encoding) {
  encoding.clear();
  if (text.size() > longest_text) {
    return fail(Fault::unsupported, "cannot tokenize the text",
                "it has " + std::to_string(text.size()) + " bytes", "texts of less than 1 GiB");
  }
  std::unique_ptr<Scratch> scratch = parts.pool->lend();
  TextEncoder encoder(parts, *scratch, options);
  Status status = done();
  if (valid_prefix(text) == text.size()) {
    status = encoder.encode(text, type, encoding);
  } else {
    std::vector<std::uint32_t> places;
    const std::string valid = repaired(text, &places);
    status = encoder.encode(valid, type, encoding);
    for (Span& span : encoding.bytes) span = {places[span.begin], places[span.end]};
  }
  parts.pool->give_back(std::move(scratch));
  return status;
}

}  // namespace hone::tokenize
