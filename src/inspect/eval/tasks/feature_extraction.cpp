// Texts as vectors, judged by what they know of the texts' classes: would a text's neighbours tell
// its class, and would a plane between the classes.

#include "base/text.h"
#include "inspect/eval/embedding.h"
#include "inspect/eval/metrics/vectors.h"
#include "inspect/eval/text_encoder.h"

namespace hone::tasks {
namespace {

constexpr std::size_t neighbours = 5;

class VectorEncoder : public TextEncoder {
 public:
  using TextEncoder::TextEncoder;

  // Classes are the data's own: a model of vectors has none.
  Result<std::vector<LabelledSample>> encode(const Json& row) override {
    HONE_TRY(const std::string kind, text_in(row, "label"));
    HONE_TRY(const tokenize::Encoding encoding, tokens_in(row, "text"));
    LabelledSample sample = embedding_sample(inputs(), encoding);
    sample.label.set("class", kind);
    std::vector<LabelledSample> samples;
    samples.push_back(std::move(sample));
    return samples;
  }
};

// Holds the vectors of all texts: only together do they say anything.
class VectorJudge : public Judge {
 public:
  explicit VectorJudge(const TaskSettings& settings) : embedder_(settings) {}

  Result<std::optional<Unit>> judge(const Judged& judged) override {
    HONE_TRY(std::vector<double> vector, embedder_.read(judged.outputs, judged.label));
    HONE_TRY(const std::string kind, text_in(judged.label, "class"));
    const auto [place, is_new] = numbers_.try_emplace(kind, names_.size());
    if (is_new) names_.push_back(kind);
    vectors_.push_back({std::move(vector), place->second});
    return std::optional<Unit>();
  }

  std::vector<Unit> finish() override {
    const std::vector<std::uint64_t> near = classes_of_neighbours(vectors_, neighbours);
    const std::vector<std::uint64_t> planes = classes_of_planes(vectors_);
    std::vector<Unit> units;
    for (std::size_t i = 0; i < vectors_.size(); ++i) {
      const std::uint64_t kind = vectors_[i].kind;
      units.push_back({.scores = {planes[i] == kind ? 1.0 : 0.0, near[i] == kind ? 1.0 : 0.0},
                       .expected = names_[kind],
                       .got = names_[planes[i]]});
    }
    return units;
  }

  std::map<std::string, std::string> described() const override {
    auto described = embedder_.described();
    described["probe"] = "least squares on one half of each class for the other, ridge 1";
    described["neighbours"] = std::to_string(neighbours) + ", by cosine, all others";
    return described;
  }

 private:
  Embedder embedder_;
  std::map<std::string, std::uint64_t> numbers_;
  std::vector<std::string> names_;
  std::vector<LabelledVector> vectors_;
};

}  // namespace

Task feature_extraction() {
  return {.name = "feature-extraction",
          .summary = "Text as vectors: would a plane, would neighbours tell its class",
          .feed = Feed::tokens,
          .metrics = {{.name = "linear_probe", .is_yes_no = true},
                      {.name = "nearest_5", .is_yes_no = true}},
          .label = "{\"tokens\": NUMBER, \"class\": NAME}",
          .open = open_judge<VectorJudge>,
          .columns = {{.name = "text", .holds = "a text"},
                      {.name = "label", .holds = "its class, by any name"}},
          .encode = open_text_encoder<VectorEncoder>};
}

}  // namespace hone::tasks
