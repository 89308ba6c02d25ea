#pragma once
// Tokens that are found in a text before anything else happens to it.

#include <bitset>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "tokenize/model.h"
#include "tokenize/normalizer.h"
#include "tokenize/tokenizer.h"
#include "tokenize/trie.h"

namespace hone::tokenize {

class AddedTokens {
 public:
  // Gives ids as the published library does: the model's where it has the token, else those behind
  // the model's, one after the other.
  Status add(std::vector<AddedToken> tokens, const Model& model, const Normalizer* normalizer);

  // Splits the given one where added tokens stand in it: `normalized` looks for those that match
  // the normalized text, else for the others.
  void find(const Scratch& scratch, const Split& split, bool normalized, bool reads_special,
            std::vector<Split>& splits) const;

  const std::vector<AddedToken>& all() const { return tokens_; }
  const AddedToken* by_id(std::uint32_t id) const;
  std::uint32_t id(std::string_view content) const;
  // What decoding reads for the token: as it looks once it is normalized.
  const std::string* text(std::uint32_t id) const;
  bool is_special(std::string_view text) const { return specials_.contains(std::string(text)); }

 private:
  struct Finder {
    Trie trie{};
    std::bitset<256> first_bytes{};
  };
  static Finder make_finder(const std::vector<std::pair<std::string, std::uint32_t>>& texts);
  bool stands_alone(std::string_view text, std::size_t begin, std::size_t end) const;

  std::vector<AddedToken> tokens_{};
  std::unordered_map<std::uint32_t, std::size_t> by_id_{};
  std::unordered_map<std::string, std::uint32_t> by_content_{};
  std::unordered_map<std::uint32_t, std::string> texts_{};
  std::unordered_set<std::string> specials_{};
  Finder plain_{};
  Finder normalized_{};
};

}  // namespace hone::tokenize
