#include "flow/numerics.h"

#include "base/counted.h"
#include "report/trace/text.h"

namespace hone {

AccuracyCheck judge_outputs(const CompareReport& report, double least) {
  AccuracyCheck check;
  check.metric = "cosine";
  check.reference = 1;
  check.max_drop = 1 - least;
  check.samples = report.samples;
  check.verdict = CheckVerdict::pass;
  check.value = 1;
  for (const OutputComparison& output : report.outputs) {
    if (output.not_comparable > 0) {
      check.verdict = CheckVerdict::fail;
      check.reason =
          "'" + output.output + "' cannot be compared: " + output.why_not.value_or("unknown why");
      return check;
    }
    if (!output.cosine || output.cosine->value >= *check.value) continue;
    check.value = output.cosine->value;
    check.interval = {output.cosine->low - 1, output.cosine->high - 1};
    check.reason =
        "'" + output.output + "' has a cosine of " + text_form::fixed(output.cosine->value, 4);
  }
  if (*check.value < least) {
    check.verdict = CheckVerdict::fail;
    check.reason += ", and " + text_form::fixed(least, 3) + " are asked for";
  }
  return check;
}

AccuracyCheck judge_task(const EvalReport& report, double max_drop) {
  AccuracyCheck check;
  const EvalMetric& metric = report.metrics.front();
  check.metric = metric.name;
  check.value = metric.model.value;
  if (metric.reference) check.reference = metric.reference->value;
  if (metric.difference) check.interval = {metric.difference->low, metric.difference->high};
  check.max_drop = max_drop;
  check.samples = report.samples;
  const Inferiority verdict = report.verdict ? report.verdict->verdict : Inferiority::inconclusive;
  switch (verdict) {
    case Inferiority::pass:
      check.verdict = CheckVerdict::pass;
      break;
    case Inferiority::fail:
      check.verdict = CheckVerdict::fail;
      check.reason = metric.name + " drops by more than is allowed";
      break;
    case Inferiority::inconclusive:
      check.verdict = CheckVerdict::fail;
      check.reason = "that " + metric.name + " drops by less than is allowed is not shown";
      if (report.verdict && report.verdict->samples_needed) {
        check.reason +=
            "; about " + counted(*report.verdict->samples_needed, "sample") + " would tell";
      }
      break;
  }
  return check;
}

}  // namespace hone
