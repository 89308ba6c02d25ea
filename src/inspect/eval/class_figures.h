#pragma once
// What is judged of a model that chooses one class for all of a sample: a text, a clip of sound.

#include "inspect/eval/judge.h"

namespace hone {

// accuracy, f1_macro, f1 of class 1 against all others, and Matthews' correlation.
std::vector<MetricFacts> class_metrics();
// The label is the number of the class. Of an output with one score, class 1 is where its sigmoid
// is above the threshold.
Result<std::unique_ptr<Judge>> open_class_judge(const TaskSettings& settings);

// The class that a row of scores chooses, and "largest score" or what else was done.
std::size_t chosen_class(std::span<const double> scores, double threshold);

}  // namespace hone
