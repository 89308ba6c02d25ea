#include "report/eval/eval_text.h"

#include <cmath>

#include "base/counted.h"
#include "base/text.h"
#include "report/trace/text.h"

namespace hone {
namespace {

using text_form::Row;

constexpr std::size_t widest_name = 60;
constexpr std::size_t most_misses = 5;

// Percent, with as many decimals as tell one sample of ten thousand.
std::string percent(double share, int decimals = 1) {
  return text_form::fixed(100 * share, decimals);
}

std::string percent_with_interval(const Estimate& estimate) {
  return percent(estimate.value) + " % (" + percent(estimate.low) + " to " +
         percent(estimate.high) + ")";
}

// A difference of two shares, in points of percent: "-0.3".
std::string points(double difference) {
  const std::string text = percent(std::abs(difference), 2);
  if (text == "0.00") return text;
  return (difference < 0 ? "-" : "+") + text;
}

std::string number(double value) {
  // Small numbers keep three digits that mean something.
  if (value != 0 && std::abs(value) < 0.01) {
    const auto digits = 2 - static_cast<int>(std::floor(std::log10(std::abs(value))));
    return text_form::fixed(value, std::min(digits, 12));
  }
  return text_form::fixed(value, std::abs(value) < 10 ? 4 : 1);
}

std::string number_with_interval(const std::optional<Estimate>& estimate) {
  if (!estimate) return "-";
  return number(estimate->value) + " (" + number(estimate->low) + " to " + number(estimate->high) +
         ")";
}

std::string comparison_text(const OutputComparison& output) {
  std::string text = printable(output.output);
  const std::string still = output.constant ? ", and the same for every sample" : "";
  if (output.identical == output.samples)
    return text + ": identical on every sample" + still + "\n";
  if (output.identical > 0) text += ": identical on " + counted(output.identical, "sample");
  text += "\n";
  std::vector<Row> rows = {{"SQNR dB", number_with_interval(output.sqnr_db)},
                           {"PSNR dB", number_with_interval(output.psnr_db)},
                           {"cosine", number_with_interval(output.cosine)},
                           {"max abs", number_with_interval(output.max_abs)}};
  if (output.top1_agreement)
    rows.push_back({"top-1 agreement", percent_with_interval(*output.top1_agreement)});
  if (output.not_comparable > 0)
    rows.push_back({"not comparable", counted(output.not_comparable, "sample") +
                                          (output.why_not ? ": " + *output.why_not : "")});
  if (output.constant) rows.push_back({"constant", "the reference's is the same for every sample"});
  return text + text_form::columns(rows, widest_name, "1");
}

// Of a figure that is no share: the difference between its two bounds.
Row number_row(const EvalMetric& metric) {
  Row row = {metric.name, number_with_interval(metric.model) + " " + *metric.unit};
  if (!metric.reference) return row;
  row.push_back(number_with_interval(metric.reference));
  const MetricDifference& difference = *metric.difference;
  row.push_back(number(difference.value) + " (" + number(difference.low) + " to " +
                number(difference.high) + ") " + *metric.unit);
  return row;
}

Row metric_row(const EvalMetric& metric) {
  if (metric.unit) return number_row(metric);
  Row row = {metric.name, percent_with_interval(metric.model)};
  if (!metric.reference) return row;
  row.push_back(percent_with_interval(*metric.reference));
  const MetricDifference& difference = *metric.difference;
  std::string text = points(difference.value) + ", above " + points(difference.low);
  if (difference.lost) {
    text += " (" + std::to_string(*difference.lost) + " lost, " +
            std::to_string(*difference.gained) + " gained)";
  }
  row.push_back(text);
  return row;
}

std::string verdict_text(const EvalReport& report) {
  const InferiorityVerdict& verdict = *report.verdict;
  const MetricDifference& difference = *report.metrics.front().difference;
  const std::string margin = percent(verdict.max_drop, 2) + " points";
  switch (verdict.verdict) {
    case Inferiority::pass:
      return "pass: " + verdict.metric + " drops by less than " + margin + ", shown\n";
    case Inferiority::fail:
      return "fail: " + verdict.metric + " drops by more than " + margin + ", shown\n";
    case Inferiority::inconclusive:
      break;
  }
  std::string text = "inconclusive: that " + verdict.metric + " drops by less than " + margin +
                     " is not shown; it may drop by " + percent(-difference.low, 2);
  if (verdict.samples_needed)
    text += "; about " + counted(*verdict.samples_needed, "sample") + " would tell";
  return text + "\n";
}

std::string misses_text(const EvalReport& report) {
  std::vector<Row> rows;
  for (const EvalMiss& miss : report.misses) {
    if (rows.size() == most_misses) break;
    rows.push_back({std::to_string(miss.sample), printable(miss.expected), printable(miss.got)});
  }
  if (rows.empty()) return "";
  rows.insert(rows.begin(), {"missed", "expected", "got"});
  return text_form::columns(rows, widest_name, "12");
}

// How samples became inputs and outputs became answers: what the figures hold for.
std::string processing_text(const EvalReport& report) {
  std::vector<Row> rows;
  for (const auto& [part, how] : report.processing)
    rows.push_back({printable(part), printable(how)});
  if (!report.used.sha256.empty()) rows.push_back({"data", "sha256 " + report.used.sha256});
  return text_form::columns(rows, 120, "1");
}

std::string notes_text(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) text += "note: " + printable(note) + "\n";
  return text;
}

}  // namespace

std::string describe_comparison(const CompareReport& report) {
  std::string text = printable(report.model) + " beside " + printable(report.reference) + ", " +
                     counted(report.samples, "sample") + " (" + printable(report.samples_from) +
                     "), mean and 95 % interval\n";
  if (report.target.ep != "cpu") text += describe(report.placement) + "\n";
  for (const OutputComparison& output : report.outputs) text += comparison_text(output);
  return text + notes_text(report.notes);
}

std::string describe_evaluation(const EvalReport& report) {
  std::string text = printable(report.model) + ": " + report.task + " on " +
                     counted(report.samples, "sample") + " of " + printable(report.data) +
                     ", 95 % intervals\n";
  if (report.target.ep != "cpu") text += describe(report.placement) + "\n";
  std::vector<Row> rows;
  if (report.reference) rows.push_back({"", "model", "reference", "difference, points"});
  for (const EvalMetric& metric : report.metrics) rows.push_back(metric_row(metric));
  text += text_form::columns(rows, widest_name, "123");
  text += misses_text(report);
  text += processing_text(report);
  text += notes_text(report.notes);
  if (report.verdict) text += verdict_text(report);
  return text;
}

std::string describe_schema(const TaskSchema& schema) {
  std::string text = schema.task + ": " + schema.summary + "\n";
  std::vector<Row> rows;
  for (const SchemaColumn& column : schema.columns)
    rows.push_back({column.name, column.holds + (column.required ? "" : " (may be left out)")});
  text += rows.empty() ? "it takes arrays (.npz) with labels.json alone\n"
                       : "a row (CSV, TSV, JSON lines, JSON) holds\n" +
                             text_form::columns(rows, widest_name, "1");
  if (!schema.label.empty()) text += "a label of an array is " + schema.label + "\n";
  text += "measured: " + join(schema.metrics, ", ") + "; the first decides\n";
  if (!schema.made.empty()) text += "hone makes " + join(schema.made, ", ") + " for it\n";
  return text;
}

std::string describe_made_data(const MadeData& made) {
  return printable(made.output) + ": " + made.dataset + ", " + counted(made.samples, "sample") +
         " in " + counted(made.files, "file") + "\n";
}

}  // namespace hone
