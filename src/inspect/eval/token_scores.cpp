#include "inspect/eval/token_scores.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "model/elements.h"

namespace hone {

Result<VocabularyScores> VocabularyScores::read(const NamedTensors& outputs,
                                                const std::string& name) {
  const auto found = outputs.find(name);
  if (found == outputs.end())
    return fail(Fault::bad_input, "the model has no output '" + printable(name) + "'");
  const Tensor& tensor = *found->second;
  const std::size_t rank = tensor.dims.size();
  const bool fits = is_float(tensor.type) && (rank == 2 || (rank == 3 && tensor.dims[0] == 1)) &&
                    tensor.dims.back() > 0;
  if (!fits) {
    return fail(Fault::bad_input,
                "the output '" + printable(name) + "' is not [1, tokens, vocabulary]: " +
                    to_string(Type::tensor(tensor.type, shape_of(tensor.dims))),
                {}, "name another one: --output-name NAME");
  }
  VocabularyScores scores(tensor);
  scores.tokens_ = static_cast<std::size_t>(tensor.dims[rank - 2]);
  scores.vocabulary_ = static_cast<std::size_t>(tensor.dims.back());
  return scores;
}

Result<TokenScore> VocabularyScores::of(std::size_t place, std::uint64_t token) const {
  if (token >= vocabulary_) {
    return fail(Fault::bad_input, "the tokenizer has token " + std::to_string(token) +
                                      ", and the model scores " + std::to_string(vocabulary_));
  }
  // One row of it: the whole of a vocabulary for each token is large.
  const std::size_t row_bytes = *bytes_of(tensor_->type, vocabulary_);
  std::vector<double> row(vocabulary_);
  decode_elements(tensor_->type, tensor_->dense.view().substr(place * row_bytes, row_bytes), row);
  const double largest = *std::ranges::max_element(row);
  double sum = 0;
  std::size_t higher = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    sum += std::exp(row[i] - largest);
    // Of equal ones the first is chosen: a model that likes all the same is not always right.
    higher += row[i] > row[token] || (row[i] == row[token] && i < token) ? 1 : 0;
  }
  return TokenScore{.loss = largest + std::log(sum) - row[token], .rank = higher};
}

void TextScore::add(const TokenScore& score) {
  first += score.rank == 0 ? 1 : 0;
  among_five += score.rank < 5 ? 1 : 0;
  loss += score.loss;
  ++tokens;
}

Unit TextScore::unit(std::vector<double> scores) const {
  return {.scores = std::move(scores), .expected = {}, .got = {}, .facts = {loss, tokens}};
}

WholeFigure perplexity_of(std::span<const std::vector<double>> facts) {
  return [facts](std::span<const std::uint32_t> times) {
    double loss = 0;
    double tokens = 0;
    for (std::size_t i = 0; i < facts.size(); ++i) {
      loss += times[i] * facts[i][0];
      tokens += times[i] * facts[i][1];
    }
    return tokens > 0 ? std::exp(loss / tokens) : 0;
  };
}

}  // namespace hone
