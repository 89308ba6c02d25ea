// WordPiece: the longest piece first. WordLevel: the word as a whole.

#include "base/text.h"
#include "tokenize/model.h"
#include "tokenize/trie.h"
#include "tokenize/utf8.h"

namespace hone::tokenize {
namespace {

Failure no_unknown(std::string_view word, std::string_view unknown) {
  return fail(Fault::bad_input, "cannot tokenize '" + printable(word.substr(0, 40)) + "'",
              "the unknown token '" + printable(unknown) + "' is not in the vocabulary");
}

Status put_unknown(std::uint32_t id, std::string_view unknown, std::string_view word,
                   std::vector<Token>& tokens) {
  if (id == no_id) return no_unknown(word, unknown);
  tokens.push_back({id, 0, static_cast<std::uint32_t>(word.size())});
  return done();
}

class WordPiece final : public Model {
 public:
  WordPiece(Vocabulary given, std::string unknown, std::string_view prefix, std::size_t longest)
      : unknown_(std::move(unknown)), longest_(longest) {
    vocabulary = std::move(given);
    vocabulary.finish();
    unknown_id_ = vocabulary.find(unknown_);
    std::vector<Trie::Key> all, inner;
    vocabulary.for_each([&](std::string_view token, std::uint32_t id) {
      all.emplace_back(token, id);
      if (token.starts_with(prefix)) inner.emplace_back(token.substr(prefix.size()), id);
    });
    first_ = Trie(std::move(all));
    inner_ = Trie(std::move(inner));
  }

  std::string_view kind() const override { return "WordPiece"; }

  Status tokenize(std::string_view word, Scratch&, std::vector<Token>& tokens) const override {
    if (word.size() > longest_ && count_characters(word) > longest_) {
      return put_unknown(unknown_id_, unknown_, word, tokens);
    }
    const std::size_t before = tokens.size();
    for (std::size_t at = 0; at < word.size();) {
      const Token piece = longest(at == 0 ? first_ : inner_, word, at);
      if (piece.end == piece.begin) {
        tokens.resize(before);
        return put_unknown(unknown_id_, unknown_, word, tokens);
      }
      tokens.push_back(piece);
      at = piece.end;
    }
    return done();
  }

 private:
  static Token longest(const Trie& trie, std::string_view word, std::size_t at) {
    const auto begin = static_cast<std::uint32_t>(at);
    Token found{0, begin, begin};
    if (trie.empty()) return found;
    std::uint32_t node = Trie::root;
    for (std::size_t i = at; i < word.size(); ++i) {
      node = trie.next(node, word[i]);
      if (node == Trie::none) break;
      const std::uint32_t id = trie.value(node);
      if (id != Trie::none) found = {id, begin, static_cast<std::uint32_t>(i + 1)};
    }
    return found;
  }

  std::string unknown_;
  std::uint32_t unknown_id_ = no_id;
  std::size_t longest_;
  Trie first_{};
  Trie inner_{};
};

class WordLevel final : public Model {
 public:
  WordLevel(Vocabulary given, std::string unknown) : unknown_(std::move(unknown)) {
    vocabulary = std::move(given);
    vocabulary.finish();
    unknown_id_ = vocabulary.find(unknown_);
  }
  std::string_view kind() const override { return "WordLevel"; }
  Status tokenize(std::string_view word, Scratch&, std::vector<Token>& tokens) const override {
    const std::uint32_t id = vocabulary.find(word);
    return put_unknown(id != no_id ? id : unknown_id_, unknown_, word, tokens);
  }

 private:
  std::string unknown_;
  std::uint32_t unknown_id_ = no_id;
};

}  // namespace

std::unique_ptr<Model> make_word_piece(Vocabulary vocabulary, std::string unknown,
                                       std::string_view prefix, std::size_t longest_word) {
  return std::make_unique<WordPiece>(std::move(vocabulary), std::move(unknown), prefix,
                                     longest_word);
}

std::unique_ptr<Model> make_word_level(Vocabulary vocabulary, std::string unknown) {
  return std::make_unique<WordLevel>(std::move(vocabulary), std::move(unknown));
}

}  // namespace hone::tokenize
