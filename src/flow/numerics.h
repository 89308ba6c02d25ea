#pragma once
// Whether a model still answers as it did: the same rules for a search that chooses builds and for
// whoever checks a published one.

#include "record/eval.h"
#include "record/recipe.h"
#include "record/search.h"

namespace hone {

// How many samples tell whether a build computes the same.
inline constexpr std::int64_t numeric_samples = 8;

// The output that fares worst, and what it comes to.
AccuracyCheck judge_outputs(const CompareReport& report, double least);

// What the first metric of a task comes to. REQUIRES: the report has a metric.
AccuracyCheck judge_task(const EvalReport& report, double max_drop);

}  // namespace hone
