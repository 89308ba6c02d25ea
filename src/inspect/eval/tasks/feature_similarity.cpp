// Embeddings: do they point where those of the reference model do. Needs no labels.

#include "base/text.h"
#include "inspect/eval/judge.h"
#include "inspect/eval/similarity.h"

namespace hone::tasks {
namespace {

class FeatureJudge : public Judge {
 public:
  explicit FeatureJudge(std::string output) : output_(std::move(output)) {}

  Result<std::optional<Unit>> judge(const Judged& judged) override {
    HONE_TRY(const std::vector<double> own, numbers_of_output(judged.outputs, output_));
    HONE_TRY(const std::vector<double> wanted, numbers_of_output(*judged.reference, output_));
    if (own.size() != wanted.size()) {
      return fail(Fault::bad_input, "the output '" + printable(output_) + "' has " +
                                        std::to_string(own.size()) + " elements, and " +
                                        std::to_string(wanted.size()) + " in the reference");
    }
    return std::optional<Unit>({.scores = {cosine_of(wanted, own)}, .expected = {}, .got = {}});
  }

 private:
  std::string output_;
};

Result<std::unique_ptr<Judge>> open(const TaskSettings& settings) {
  return std::unique_ptr<Judge>(std::make_unique<FeatureJudge>(settings.output));
}

}  // namespace

Task feature_similarity() {
  return {.name = "feature-similarity",
          .summary = "Embeddings beside those of the reference: their cosine",
          .feed = Feed::anything,
          .metrics = {{"cosine", false}},
          .needs_labels = false,
          .needs_reference = true,
          .open = open};
}

}  // namespace hone::tasks
