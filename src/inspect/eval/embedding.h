#pragma once
// Texts as vectors: what a model of sentences gives for one, pooled as it was trained, of length 1.

#include "inspect/eval/judge.h"
#include "inspect/eval/token_inputs.h"

namespace hone {

// How many tokens a text has, without what fills it up: what pooling needs to know.
LabelledSample embedding_sample(const TokenInputs& inputs, const tokenize::Encoding& encoding);

class Embedder {
 public:
  // The output called sentence_embedding where there is one and none was named.
  explicit Embedder(const TaskSettings& settings);

  // [1, D] as it is, [1, tokens, D] pooled. `label` holds "tokens".
  Result<std::vector<double>> read(const NamedTensors& outputs, const Json& label) const;
  std::map<std::string, std::string> described() const;

 private:
  std::string output_;
  std::string pooling_;
};

double dot(std::span<const double> a, std::span<const double> b);

// What the files of sentence-transformers beside a model say (1_Pooling/config.json); mean where
// there are none.
Result<std::string> find_pooling(const Path& folder);

}  // namespace hone
