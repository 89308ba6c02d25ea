#include "tokenize/added_tokens.h"

#include <algorithm>

#include "tokenize/unicode.h"
#include "tokenize/utf8.h"

namespace hone::tokenize {
namespace {

bool is_word_or_joiner(char32_t c) {
  return is_word(c) || has_flag(c, character_flag::join_control);
}

std::size_t space_before(std::string_view text, std::size_t end) {
  while (end > 0) {
    const Character c = character_before(text, end);
    if (!is_white_space(c.code)) break;
    end -= c.length;
  }
  return end;
}

std::size_t space_behind(std::string_view text, std::size_t begin) {
  while (begin < text.size()) {
    const Character c = character_at(text, begin);
    if (!is_white_space(c.code)) break;
    begin += c.length;
  }
  return begin;
}

}  // namespace

AddedTokens::Finder AddedTokens::make_finder(
    const std::vector<std::pair<std::string, std::uint32_t>>& texts) {
  Finder finder;
  std::vector<Trie::Key> keys;
  for (const auto& [text, id] : texts) {
    if (text.empty()) continue;
    keys.emplace_back(text, id);
    finder.first_bytes.set(static_cast<unsigned char>(text[0]));
  }
  finder.trie = Trie(std::move(keys));
  return finder;
}

Status AddedTokens::add(std::vector<AddedToken> tokens, const Model& model,
                        const Normalizer* normalizer) {
  auto next = static_cast<std::uint32_t>(model.size());
  for (AddedToken& token : tokens) {
    if (token.content.empty()) continue;
    token.id = model.vocabulary.find(token.content);
    if (const auto known = by_content_.find(token.content); known != by_content_.end()) {
      token.id = known->second;
    }
    if (token.id == no_id) token.id = next++;
    if (token.normalized && normalizer != nullptr) {
      Aligned text;
      text.start(token.content, 0, false);
      HONE_TRY_DO(normalizer->apply(text));
      if (text.text() != token.content) texts_[token.id] = std::string(text.text());
    }
    by_content_[token.content] = token.id;
    if (token.special) specials_.insert(token.content);
    const auto [place, is_new] = by_id_.try_emplace(token.id, tokens_.size());
    if (is_new) {
      tokens_.push_back(std::move(token));
    } else {
      tokens_[place->second] = std::move(token);
    }
  }
  std::vector<std::pair<std::string, std::uint32_t>> plain, normalized;
  for (const AddedToken& token : tokens_) {
    if (token.normalized) {
      normalized.emplace_back(*text(token.id), token.id);
    } else {
      plain.emplace_back(token.content, token.id);
    }
  }
  plain_ = make_finder(plain);
  normalized_ = make_finder(normalized);
  return done();
}

const AddedToken* AddedTokens::by_id(std::uint32_t id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &tokens_[found->second];
}

std::uint32_t AddedTokens::id(std::string_view content) const {
  const auto found = by_content_.find(std::string(content));
  return found == by_content_.end() ? no_id : found->second;
}

const std::string* AddedTokens::text(std::uint32_t id) const {
  if (const auto found = texts_.find(id); found != texts_.end()) return &found->second;
  const AddedToken* token = by_id(id);
  return token == nullptr ? nullptr : &token->content;
}

bool AddedTokens::stands_alone(std::string_view text, std::size_t begin, std::size_t end) const {
  const bool touches_before = begin > 0 && is_word_or_joiner(character_before(text, begin).code);
  const bool touches_behind = end < text.size() && is_word_or_joiner(character_at(text, end).code);
  return !touches_before && !touches_behind;
}

void AddedTokens::find(const Scratch& scratch, const Split& split, bool normalized,
                       bool reads_special, std::vector<Split>& splits) const {
  const Finder& finder = normalized ? normalized_ : plain_;
  const std::string_view text = scratch.text(split);
  const auto put = [&](std::size_t begin, std::size_t end, std::uint32_t added) {
    if (begin >= end) return;
    splits.push_back({split.buffer, split.begin + static_cast<std::uint32_t>(begin),
                      split.begin + static_cast<std::uint32_t>(end), added});
  };
  if (finder.trie.empty()) return put(0, text.size(), no_id);
  std::size_t start = 0;  // of what no token took yet
  for (std::size_t at = 0; at < text.size();) {
    if (!finder.first_bytes[static_cast<unsigned char>(text[at])]) {
      ++at;
      continue;
    }
    std::size_t end = at;
    std::uint32_t id = no_id;
    for (std::uint32_t node = Trie::root, i = 0; at + i < text.size(); ++i) {
      node = finder.trie.next(node, text[at + i]);
      if (node == Trie::none) break;
      if (const std::uint32_t value = finder.trie.value(node); value != Trie::none) {
        id = value;
        end = at + i + 1;
      }
    }
    if (id == no_id) {
      ++at;
      continue;
    }
    const AddedToken& token = *by_id(id);
    std::size_t first = at;
    at = end;
    if (!reads_special && is_special(token.content)) continue;
    if (token.single_word && !stands_alone(text, first, end)) continue;
    if (token.lstrip) first = std::max(space_before(text, first), start);
    if (token.rstrip) end = space_behind(text, end);
    put(start, first, no_id);
    put(first, end, id);
    start = end;
  }
  put(start, text.size(), no_id);
}

}  // namespace hone::tokenize
