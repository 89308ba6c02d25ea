#include "inspect/eval/class_figures.h"

#include <cmath>

#include "base/text.h"
#include "inspect/eval/metrics/classes.h"
#include "inspect/eval/similarity.h"

namespace hone {
namespace {

using Figure = double (*)(std::span<const ClassCount>);

template <Figure figure>
WholeFigure of_classes(std::span<const std::vector<double>> facts) {
  std::vector<ClassCount> counts;
  for (const std::vector<double>& unit : facts) {
    counts.push_back({static_cast<std::uint32_t>(unit[0]), static_cast<std::uint32_t>(unit[1]), 0});
  }
  return [counts](std::span<const std::uint32_t> times) mutable {
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i].times = times[i];
    return figure(counts);
  };
}

double f1_of_one(std::span<const ClassCount> counts) { return binary_f1(counts, 1); }

class ClassJudge : public Judge {
 public:
  explicit ClassJudge(const TaskSettings& settings) : settings_(settings) {}

  Result<std::optional<Unit>> judge(const Judged& judged) override {
    HONE_TRY(const std::vector<double> scores, numbers_of_output(judged.outputs, settings_.output));
    is_single_ = scores.size() == 1;
    const std::size_t classes = std::max<std::size_t>(scores.size(), 2);
    const auto label = judged.label.to_uint();
    if (!label || *label >= classes) {
      return fail(Fault::bad_input, "the label is the number of a class, below " +
                                        std::to_string(classes) + ", not " + judged.label.dump(-1));
    }
    const std::size_t chosen = chosen_class(scores, settings_.threshold);
    return std::optional<Unit>(
        {.scores = {chosen == *label ? 1.0 : 0.0, 0, 0, 0},
         .expected = name_of(*label),
         .got = name_of(chosen),
         .facts = {static_cast<double>(*label), static_cast<double>(chosen)}});
  }

  std::map<std::string, std::string> described() const override {
    if (!is_single_) return {{"decoding", "the class of the largest score"}};
    return {{"decoding", "class 1 where the sigmoid is above the threshold"},
            {"threshold", Json(settings_.threshold).dump(-1)}};
  }

 private:
  std::string name_of(std::size_t number) const {
    const auto& names = settings_.class_names;
    return number < names.size() ? names[number] : std::to_string(number);
  }

  TaskSettings settings_;
  bool is_single_ = false;
};

}  // namespace

std::size_t chosen_class(std::span<const double> scores, double threshold) {
  if (scores.size() > 1) return index_of_largest(scores);
  return 1 / (1 + std::exp(-scores.front())) > threshold ? 1 : 0;
}

std::vector<MetricFacts> class_metrics() {
  return {{.name = "accuracy", .is_yes_no = true},
          {.name = "f1_macro", .of_all = of_classes<macro_f1>},
          {.name = "f1_of_class_1", .of_all = of_classes<f1_of_one>},
          {.name = "mcc", .of_all = of_classes<matthews_correlation>}};
}

Result<std::unique_ptr<Judge>> open_class_judge(const TaskSettings& settings) {
  return std::unique_ptr<Judge>(std::make_unique<ClassJudge>(settings));
}

}  // namespace hone
