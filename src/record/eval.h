#pragma once
// How good a model is: beside another model on the same inputs, and at its task.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/fields.h"
#include "record/target.h"

namespace hone {

constexpr std::int64_t eval_schema_version = 1;

// How an interval was found; docs/eval.md says when each is used.
enum class IntervalMethod { wilson, bootstrap, tango };
constexpr auto enum_names(IntervalMethod) {
  return std::to_array<EnumName<IntervalMethod>>({{IntervalMethod::wilson, "wilson"},
                                                  {IntervalMethod::bootstrap, "bootstrap"},
                                                  {IntervalMethod::tango, "tango"}});
}

// A mean over samples, and where the mean over all samples there could be lies.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;
  double confidence = 0.95;
  IntervalMethod method = IntervalMethod::bootstrap;
  std::uint64_t samples = 0;
};
template <RecordOf<Estimate> Self>
void for_each_field(Self& estimate, auto&& field) {
  field("value", estimate.value);
  field("low", estimate.low);
  field("high", estimate.high);
  field("confidence", estimate.confidence);
  field("method", estimate.method);
  field("samples", estimate.samples);
}

// One output of two models. Each figure is a mean over samples.
struct OutputComparison {
  std::string output;
  std::uint64_t samples = 0;
  std::uint64_t identical = 0;  // bit for bit; they have no SQNR and no PSNR
  std::uint64_t not_comparable = 0;
  std::optional<std::string> why_not{};  // the first of them is not
  std::optional<Estimate> sqnr_db{};
  std::optional<Estimate> psnr_db{};
  std::optional<Estimate> cosine{};
  std::optional<Estimate> max_abs{};
  std::optional<Estimate> top1_agreement{};  // of rows whose largest element is at the same place
  std::optional<bool> constant{};            // true: the reference's is the same for every sample
};
template <RecordOf<OutputComparison> Self>
void for_each_field(Self& comparison, auto&& field) {
  field("output", comparison.output);
  field("samples", comparison.samples);
  field("identical", comparison.identical);
  field("not_comparable", comparison.not_comparable);
  field("why_not", comparison.why_not, Presence::when_given);
  field("sqnr_db", comparison.sqnr_db);
  field("psnr_db", comparison.psnr_db);
  field("cosine", comparison.cosine);
  field("max_abs", comparison.max_abs);
  field("top1_agreement", comparison.top1_agreement);
  field("constant", comparison.constant, Presence::when_given);
}

struct CompareReport {
  std::string model;
  std::string reference;
  Target target;
  Target reference_target;
  Placement placement{};  // of the model
  std::string samples_from;
  std::uint64_t samples = 0;
  std::vector<OutputComparison> outputs;
  std::vector<std::string> notes;
};
template <RecordOf<CompareReport> Self>
void for_each_field(Self& report, auto&& field) {
  field("model", report.model);
  field("reference", report.reference);
  field("target", report.target);
  field("reference_target", report.reference_target);
  field("placement", report.placement);
  field("samples_from", report.samples_from);
  field("samples", report.samples);
  field("outputs", report.outputs);
  field("notes", report.notes);
}

// Model less reference on the same samples. `low` is a bound that the difference is above with 95 %
// confidence, `high` one that it is below.
struct MetricDifference {
  double value = 0;
  double low = 0;
  double high = 0;
  IntervalMethod method = IntervalMethod::bootstrap;
  std::optional<std::uint64_t> lost;    // right in the reference only; for yes/no scores
  std::optional<std::uint64_t> gained;  // right in the model only
};
template <RecordOf<MetricDifference> Self>
void for_each_field(Self& difference, auto&& field) {
  field("value", difference.value);
  field("low", difference.low);
  field("high", difference.high);
  field("method", difference.method);
  field("lost", difference.lost);
  field("gained", difference.gained);
}

struct EvalMetric {
  std::string name;
  std::optional<std::string> unit{};  // of its numbers; none: it is a share, 0 to 1
  Estimate model;
  std::optional<Estimate> reference{};
  std::optional<MetricDifference> difference;
};
template <RecordOf<EvalMetric> Self>
void for_each_field(Self& metric, auto&& field) {
  field("name", metric.name);
  field("unit", metric.unit, Presence::when_given);
  field("model", metric.model);
  field("reference", metric.reference);
  field("difference", metric.difference);
}

// pass: no worse than the reference by more than the margin, shown. fail: worse by more, shown.
enum class Inferiority { pass, fail, inconclusive };
constexpr auto enum_names(Inferiority) {
  return std::to_array<EnumName<Inferiority>>({{Inferiority::pass, "pass"},
                                               {Inferiority::fail, "fail"},
                                               {Inferiority::inconclusive, "inconclusive"}});
}

struct InferiorityVerdict {
  std::string metric;
  double max_drop = 0;
  Inferiority verdict = Inferiority::inconclusive;
  std::optional<std::uint64_t> samples_needed;  // about; where more would decide for `pass`
};
template <RecordOf<InferiorityVerdict> Self>
void for_each_field(Self& verdict, auto&& field) {
  field("metric", verdict.metric);
  field("max_drop", verdict.max_drop);
  field("verdict", verdict.verdict);
  field("samples_needed", verdict.samples_needed);
}

// A sample that the model got wrong, for a person to look at.
struct EvalMiss {
  std::uint64_t sample = 0;
  std::string expected;
  std::string got;
};
template <RecordOf<EvalMiss> Self>
void for_each_field(Self& miss, auto&& field) {
  field("sample", miss.sample);
  field("expected", miss.expected);
  field("got", miss.got);
}

// A row of the data that could not be used, and why.
struct BrokenRow {
  std::string where;  // "reviews.csv, line 17"
  std::string why;
};
template <RecordOf<BrokenRow> Self>
void for_each_field(Self& row, auto&& field) {
  field("where", row.where);
  field("why", row.why);
}

// What was judged on: the same samples have the same hash, whatever file they come from.
struct EvalSamples {
  std::string sha256;        // of the samples that were used and their labels, in their order
  std::uint64_t broken = 0;  // rows that were not
  std::vector<BrokenRow> broken_rows;  // the first of them
};
template <RecordOf<EvalSamples> Self>
void for_each_field(Self& samples, auto&& field) {
  field("sha256", samples.sha256);
  field("broken", samples.broken);
  field("broken_rows", samples.broken_rows);
}

struct EvalReport {
  std::string task;
  std::string model;
  std::optional<std::string> reference;
  std::string data;
  Target target;
  Placement placement;
  std::uint64_t samples = 0;
  EvalSamples used{};
  // How samples became inputs and outputs became answers: the tokenizer with its hash, the size of
  // pictures, how scores are read. A claim holds for these alone.
  std::map<std::string, std::string> processing{};
  std::vector<EvalMetric> metrics;  // the first one decides
  std::optional<InferiorityVerdict> verdict;
  std::vector<EvalMiss> misses;  // the first few
  std::vector<std::string> notes;
};
template <RecordOf<EvalReport> Self>
void for_each_field(Self& report, auto&& field) {
  field("task", report.task);
  field("model", report.model);
  field("reference", report.reference);
  field("data", report.data);
  field("target", report.target);
  field("placement", report.placement);
  field("samples", report.samples);
  field("used", report.used);
  field("processing", report.processing);
  field("metrics", report.metrics);
  field("verdict", report.verdict);
  field("misses", report.misses);
  field("notes", report.notes);
}

// labels.json beside the samples it speaks of.
struct EvalLabels {
  std::string task;
  std::vector<Json> labels;  // one per sample, in the samples' order; the task says what it is
  Json made;                 // what the data was made from, null for data from elsewhere
};
template <RecordOf<EvalLabels> Self>
void for_each_field(Self& labels, auto&& field) {
  field("task", labels.task, Presence::required);
  field("labels", labels.labels, Presence::required);
  field("made", labels.made);
}

// dataset.json beside files of rows: what they are, so that nobody has to say it each time.
struct DatasetCard {
  std::map<std::string, std::string> files;    // by split: {"test": "test.csv"}
  std::map<std::string, std::string> columns;  // the task's name for a column, and the file's
  std::map<std::string, std::string> labels;   // what the file says, and the model's name or number
};
template <RecordOf<DatasetCard> Self>
void for_each_field(Self& card, auto&& field) {
  field("files", card.files);
  field("columns", card.columns);
  field("labels", card.labels);
}

// What data a task takes, and what is measured on it.
struct SchemaColumn {
  std::string name;
  std::string holds;
  bool required = true;
};
template <RecordOf<SchemaColumn> Self>
void for_each_field(Self& column, auto&& field) {
  field("name", column.name);
  field("holds", column.holds);
  field("required", column.required);
}

struct TaskSchema {
  std::string task;
  std::string summary;
  std::vector<SchemaColumn> columns;  // of rows; empty: only arrays are taken
  std::string label;                  // of an array
  std::vector<std::string> metrics;   // the first one decides
  std::vector<std::string> made;      // data that hone makes for it
};
template <RecordOf<TaskSchema> Self>
void for_each_field(Self& schema, auto&& field) {
  field("task", schema.task);
  field("summary", schema.summary);
  field("columns", schema.columns);
  field("label", schema.label);
  field("metrics", schema.metrics);
  field("made", schema.made);
}

struct MadeData {
  std::string dataset;
  std::string output;
  std::uint64_t samples = 0;
  std::uint64_t files = 0;
};
template <RecordOf<MadeData> Self>
void for_each_field(Self& made, auto&& field) {
  field("dataset", made.dataset);
  field("output", made.output);
  field("samples", made.samples);
  field("files", made.files);
}

}  // namespace hone
