#pragma once
// Scores over a vocabulary, token by token: how likely a token was, and how many were likelier.

#include <cstdint>

#include "inspect/eval/judge.h"

namespace hone {

struct TokenScore {
  double loss = 0;       // minus the natural logarithm of its probability
  std::size_t rank = 0;  // how many tokens would be chosen before it
};

// What the tokens of one text come to.
struct TextScore {
  double first = 0;       // tokens that would be chosen
  double among_five = 0;  // or be among the first five
  double loss = 0;
  double tokens = 0;

  void add(const TokenScore& score);
  double share(double some) const { return tokens > 0 ? some / tokens : 0; }
  // With the facts of perplexity_of().
  Unit unit(std::vector<double> scores) const;
};

// [1, tokens, vocabulary], or [tokens, vocabulary].
class VocabularyScores {
 public:
  static Result<VocabularyScores> read(const NamedTensors& outputs, const std::string& name);

  std::size_t tokens() const { return tokens_; }
  // REQUIRES: place < tokens().
  Result<TokenScore> of(std::size_t place, std::uint64_t token) const;

 private:
  explicit VocabularyScores(const Tensor& tensor) : tensor_(&tensor) {}

  const Tensor* tensor_;
  std::size_t tokens_ = 0;
  std::size_t vocabulary_ = 0;
};

// exp of the mean loss: of facts {sum of losses, tokens}.
WholeFigure perplexity_of(std::span<const std::vector<double>> facts);

}  // namespace hone
