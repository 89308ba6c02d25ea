// Questions, and texts of which some are meant: do those come first by their cosine.

#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "inspect/eval/embedding.h"
#include "inspect/eval/metrics/ranks.h"
#include "inspect/eval/text_encoder.h"

namespace hone::tasks {
namespace {

constexpr std::size_t places = 10;

class QueryEncoder : public TextEncoder {
 public:
  using TextEncoder::TextEncoder;

  Result<std::vector<LabelledSample>> encode(const Json& row) override {
    HONE_TRY(const std::string query, text_in(row, "query"));
    HONE_TRY(std::vector<std::string> texts, texts_in(row, "texts"));
    HONE_TRY(const std::vector<std::string> relevant, texts_in(row, "relevant"));
    Json gains = Json::array();
    for (std::size_t i = 0; i < texts.size(); ++i)
      gains.push(std::ranges::find(relevant, std::to_string(i)) != relevant.end() ? 1 : 0);
    texts.insert(texts.begin(), query);
    std::vector<LabelledSample> samples;
    for (const std::string& text : texts) {
      HONE_TRY(const tokenize::Encoding encoding, tokens_of(text));
      samples.push_back(embedding_sample(inputs(), encoding));
    }
    samples.back().label.set("gains", std::move(gains));
    return samples;
  }
};

class QueryJudge : public Judge {
 public:
  explicit QueryJudge(const TaskSettings& settings) : embedder_(settings) {}

  Result<std::optional<Unit>> judge(const Judged& judged) override {
    HONE_TRY(std::vector<double> vector, embedder_.read(judged.outputs, judged.label));
    vectors_.push_back(std::move(vector));
    const Json* list = judged.label.find("gains");
    if (list == nullptr) return std::optional<Unit>();
    std::vector<double> gains;
    if (list->as_array() != nullptr) {
      for (const Json& gain : *list->as_array()) {
        HONE_TRY(const double value, gain.to_double());
        gains.push_back(value);
      }
    }
    if (gains.size() + 1 != vectors_.size())
      return fail(Fault::bad_input, "a question is a sample, and each of its texts is one");
    const std::vector<double> ordered = in_order(gains);
    vectors_.clear();
    const auto relevant = static_cast<std::size_t>(
        std::ranges::count_if(gains, [](double gain) { return gain > 0; }));
    return std::optional<Unit>(
        {.scores = {ndcg_at(ordered, gains, places), recall_at(ordered, relevant, places)},
         .expected = {},
         .got = {}});
  }

  std::map<std::string, std::string> described() const override { return embedder_.described(); }

 private:
  std::vector<double> in_order(const std::vector<double>& gains) const {
    std::vector<double> cosines;
    for (std::size_t i = 1; i < vectors_.size(); ++i)
      cosines.push_back(dot(vectors_[0], vectors_[i]));
    std::vector<std::size_t> order(gains.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order,
                             [&](std::size_t a, std::size_t b) { return cosines[a] > cosines[b]; });
    std::vector<double> ordered;
    for (const std::size_t place : order) ordered.push_back(gains[place]);
    return ordered;
  }

  Embedder embedder_;
  std::vector<std::vector<double>> vectors_;
};

}  // namespace

Task text_retrieval() {
  return {.name = "text-retrieval",
          .summary = "Questions, and texts of which some are meant: do those come first",
          .feed = Feed::tokens,
          .metrics = {{.name = "ndcg_at_10"}, {.name = "recall_at_10"}},
          .label = "{\"tokens\": NUMBER, \"gains\": NUMBERS with the last text of a question}",
          .open = open_judge<QueryJudge>,
          .columns = {{.name = "query", .holds = "what is looked for"},
                      {.name = "texts", .holds = "where, a list of texts"},
                      {.name = "relevant", .holds = "which of them are meant, numbers from 0"}},
          .encode = open_text_encoder<QueryEncoder>};
}

}  // namespace hone::tasks
