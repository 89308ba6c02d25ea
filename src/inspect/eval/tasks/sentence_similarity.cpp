// Pairs of sentences, and how alike people find them: do cosines rise as their judgements do.

#include "base/text.h"
#include "inspect/eval/embedding.h"
#include "inspect/eval/metrics/ranks.h"
#include "inspect/eval/text_encoder.h"

namespace hone::tasks {
namespace {

class PairEncoder : public TextEncoder {
 public:
  using TextEncoder::TextEncoder;

  Result<std::vector<LabelledSample>> encode(const Json& row) override {
    HONE_TRY(const double score, number_in(row, "score"));
    std::vector<LabelledSample> samples;
    for (const char* column : {"sentence1", "sentence2"}) {
      HONE_TRY(const tokenize::Encoding encoding, tokens_in(row, column));
      samples.push_back(embedding_sample(inputs(), encoding));
    }
    samples.back().label.set("score", score);
    return samples;
  }
};

class PairJudge : public Judge {
 public:
  explicit PairJudge(const TaskSettings& settings) : embedder_(settings) {}

  Result<std::optional<Unit>> judge(const Judged& judged) override {
    HONE_TRY(std::vector<double> vector, embedder_.read(judged.outputs, judged.label));
    const Json* score = judged.label.find("score");
    if (score == nullptr) {
      first_ = std::move(vector);
      return std::optional<Unit>();
    }
    HONE_TRY(const double expected, score->to_double());
    if (first_.size() != vector.size())
      return fail(Fault::bad_input, "a pair is two samples, the score being with the second");
    return std::optional<Unit>(
        {.scores = {0}, .expected = {}, .got = {}, .facts = {dot(first_, vector), expected}});
  }

  std::map<std::string, std::string> described() const override { return embedder_.described(); }

 private:
  Embedder embedder_;
  std::vector<double> first_;
};

WholeFigure spearman_of(std::span<const std::vector<double>> facts) {
  std::vector<double> got;
  std::vector<double> expected;
  for (const std::vector<double>& pair : facts) {
    got.push_back(pair[0]);
    expected.push_back(pair[1]);
  }
  return [got, expected](std::span<const std::uint32_t> times) {
    return spearman(expected, got, times);
  };
}

}  // namespace

Task sentence_similarity() {
  return {.name = "sentence-similarity",
          .summary = "Pairs of sentences: do cosines rise with how alike they are",
          .feed = Feed::tokens,
          .metrics = {{.name = "spearman", .of_all = spearman_of}},
          .label = "{\"tokens\": NUMBER, \"score\": NUMBER with the second of a pair}",
          .open = open_judge<PairJudge>,
          .columns = {{.name = "sentence1", .holds = "a sentence"},
                      {.name = "sentence2", .holds = "another one"},
                      {.name = "score", .holds = "how alike they are, on any scale"}},
          .encode = open_text_encoder<PairEncoder>};
}

}  // namespace hone::tasks
