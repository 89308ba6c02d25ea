// Images, each of one class: is it the model's first choice, is it among its first five.

#include <algorithm>

#include "inspect/eval/evaluator.h"
#include "inspect/eval/similarity.h"

namespace hone::evaluators {
namespace {

class ClassJudge : public Judge {
 public:
  explicit ClassJudge(std::string output) : output_(std::move(output)) {}

  Result<std::optional<Unit>> judge(const Judged& judged) override {
    HONE_TRY(const std::vector<double> scores, numbers_of_output(judged.outputs, output_));
    const std::vector<std::int64_t>& dims = judged.outputs.at(output_)->dims;
    if (!dims.empty() && dims.front() != 1 && dims.size() > 1) {
      return fail(Fault::bad_input,
                  "a sample has a batch of " + std::to_string(dims.front()) + ", and one label", {},
                  "give one image per sample");
    }
    const auto label = judged.label.to_uint();
    if (!label || *label >= scores.size()) {
      return fail(Fault::bad_input, "the label of an image is the number of its class, below " +
                                        std::to_string(scores.size()) + ", not " +
                                        judged.label.dump(-1));
    }
    const double own = scores[*label];
    const auto better = std::ranges::count_if(scores, [&](double score) { return score > own; });
    const std::size_t first = index_of_largest(scores);
    return std::optional<Unit>({.scores = {first == *label ? 1.0 : 0.0, better < 5 ? 1.0 : 0.0},
                                .expected = std::to_string(*label),
                                .got = std::to_string(first)});
  }

 private:
  std::string output_;
};

Result<std::unique_ptr<Judge>> open(const TaskSettings& settings) {
  return std::unique_ptr<Judge>(std::make_unique<ClassJudge>(settings.output));
}

}  // namespace

Evaluator image_classification() {
  return {.name = "image-classification",
          .summary = "images of one class each: first choice, among the first five",
          .metrics = {{"top1", true}, {"top5", true}},
          .open = open};
}

}  // namespace hone::evaluators
