// Unigram: of all ways to make a word of tokens the one whose scores add up to the most.

#include <limits>

#include "base/text.h"
#include "tokenize/model.h"
#include "tokenize/trie.h"
#include "tokenize/utf8.h"

namespace hone::tokenize {
namespace {

constexpr double unknown_penalty = 10.0;

class Unigram final : public Model {
 public:
  Status set_up(const std::vector<ScoredToken>& tokens, std::optional<std::size_t> unknown,
                bool byte_fallback) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t id = 0; id < tokens.size(); ++id) {
      HONE_TRY_DO(vocabulary.add(tokens[id].token, id));
      scores_.push_back(tokens[id].score);
      if (tokens[id].score < least) least = tokens[id].score;
    }
    vocabulary.finish();
    unknown_score_ = least - unknown_penalty;
    if (unknown) unknown_ = static_cast<std::uint32_t>(*unknown);
    std::vector<Trie::Key> keys;
    vocabulary.for_each(
        [&](std::string_view token, std::uint32_t id) { keys.emplace_back(token, id); });
    trie_ = Trie(std::move(keys));
    for (unsigned byte = 0; byte < 256 && byte_fallback; ++byte) {
      fallback_.push_back(vocabulary.find(byte_token(static_cast<unsigned char>(byte))));
    }
    return done();
  }

  std::string_view kind() const override { return "Unigram"; }
  std::size_t size() const override { return scores_.size(); }

  Status tokenize(std::string_view word, Scratch& scratch,
                  std::vector<Token>& tokens) const override {
    std::vector<BestPath>& best = scratch.best;
    best.assign(word.size() + 1, BestPath{});
    for (std::size_t at = 0; at < word.size();) {
      const std::size_t length = length_from(word[at]);
      const bool has_single = extend(word, at, length, best);
      if (!has_single) {
        const double score = unknown_score_ + best[at].score;
        BestPath& target = best[at + length];
        if (target.begin == no_id || score > target.score) {
          if (unknown_ == no_id) return no_unknown(word.substr(at, length));
          target = {score, unknown_, static_cast<std::uint32_t>(at)};
        }
      }
      at += length;
    }
    return trace_back(word, best, tokens);
  }

 private:
  static Failure no_unknown(std::string_view piece) {
    return fail(Fault::bad_input, "cannot tokenize '" + printable(piece) + "'",
                "it is in no token, and the tokenizer has none for what is unknown");
  }

  // Every token that begins here; true where one of them is just this character.
  bool extend(std::string_view word, std::size_t at, std::size_t length,
              std::vector<BestPath>& best) const {
    if (trie_.empty()) return false;
    const double score = best[at].score;
    bool has_single = false;
    std::uint32_t node = Trie::root;
    for (std::size_t i = at; i < word.size(); ++i) {
      node = trie_.next(node, word[i]);
      if (node == Trie::none) break;
      const std::uint32_t id = trie_.value(node);
      if (id == Trie::none) continue;
      const double candidate = scores_[id] + score;
      BestPath& target = best[i + 1];
      if (target.begin == no_id || candidate > target.score) {
        target = {candidate, id, static_cast<std::uint32_t>(at)};
      }
      has_single = has_single || i + 1 - at == length;
    }
    return has_single;
  }

  Status trace_back(std::string_view word, std::vector<BestPath>& best,
                    std::vector<Token>& tokens) const {
    const std::size_t first = tokens.size();
    for (auto end = static_cast<std::uint32_t>(word.size()); end > 0;) {
      const BestPath& node = best[end];
      const bool is_unknown = unknown_ != no_id && node.id == unknown_;
      // Unknown characters in a row are one token.
      if (is_unknown && tokens.size() > first && tokens.back().id == unknown_) {
        tokens.back().begin = node.begin;
      } else {
        tokens.push_back({node.id, node.begin, end});
      }
      end = node.begin;
    }
    std::vector<Token> path(tokens.rbegin(), tokens.rend() - static_cast<std::ptrdiff_t>(first));
    tokens.resize(first);
    for (const Token& token : path) put(word, token, tokens);
    return done();
  }

  void put(std::string_view word, Token token, std::vector<Token>& tokens) const {
    if (unknown_ == no_id || token.id != unknown_) {
      tokens.push_back(token);
      return;
    }
    const std::string_view piece = word.substr(token.begin, token.end - token.begin);
    const std::uint32_t id = vocabulary.find(piece);
    if (id != no_id) {
      tokens.push_back({id, token.begin, token.end});
      return;
    }
    for (const char byte : piece) {
      const bool has = !fallback_.empty() && fallback_[static_cast<unsigned char>(byte)] != no_id;
      if (has) continue;
      tokens.push_back(token);
      return;
    }
    for (const char byte : piece) {
      tokens.push_back({fallback_[static_cast<unsigned char>(byte)], token.begin, token.end});
    }
  }

  std::vector<double> scores_{};
  double unknown_score_ = 0;
  std::uint32_t unknown_ = no_id;
  Trie trie_{};
  std::vector<std::uint32_t> fallback_{};
};

}  // namespace

Result<std::unique_ptr<Model>> make_unigram(const std::vector<ScoredToken>& tokens,
                                            std::optional<std::size_t> unknown,
                                            bool byte_fallback) {
  if (unknown && *unknown >= tokens.size()) {
    return fail(Fault::bad_input, "cannot use the tokenizer's vocabulary",
                "its unknown token is number " + std::to_string(*unknown) + " of " +
                    std::to_string(tokens.size()));
  }
  auto model = std::make_unique<Unigram>();
  HONE_TRY_DO(model->set_up(tokens, unknown, byte_fallback));
  return std::unique_ptr<Model>(std::move(model));
}

}  // namespace hone::tokenize
