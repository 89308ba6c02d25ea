#pragma once
// What `hone run` says: what went into a model, where it ran, and what came out.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/fields.h"
#include "record/target.h"

namespace hone {

inline constexpr std::int64_t run_schema_version = 1;

struct RunInput {
  std::string name;
  std::string type;  // of its elements, in ONNX's words
  std::vector<std::int64_t> shape;
  std::string from;  // the file, the words of the command line, or the seed
};
template <RecordOf<RunInput> Self>
void for_each_field(Self& input, auto&& field) {
  field("name", input.name);
  field("type", input.type);
  field("shape", input.shape);
  field("from", input.from);
}

// One class of an output of scores.
struct RunScore {
  std::uint64_t index = 0;
  std::optional<std::string> label{};
  double score = 0;
};
template <RecordOf<RunScore> Self>
void for_each_field(Self& score, auto&& field) {
  field("index", score.index);
  field("label", score.label);
  field("score", score.score);
}

struct RunOutput {
  std::string name;
  std::string type;                                // a tensor: of its elements; else as declared
  std::optional<std::vector<std::int64_t>> shape;  // null: no tensor
  std::uint64_t elements = 0;                      // of a sequence or a map: entries
  // Of the finite ones; null where there are none, and of what is no number.
  std::optional<double> min;
  std::optional<double> max;
  std::optional<double> mean;
  std::uint64_t nan = 0;
  std::uint64_t infinite = 0;
  std::vector<Json> values;   // all of them, of a small output; NaN and infinity are null
  std::vector<RunScore> top;  // of an output that looks like scores of classes, the best first
  std::optional<std::string> not_saved{};  // why it is not among the arrays
};
template <RecordOf<RunOutput> Self>
void for_each_field(Self& output, auto&& field) {
  field("name", output.name);
  field("type", output.type);
  field("shape", output.shape);
  field("elements", output.elements);
  field("min", output.min);
  field("max", output.max);
  field("mean", output.mean);
  field("nan", output.nan);
  field("infinite", output.infinite);
  field("values", output.values);
  field("top", output.top);
  field("not_saved", output.not_saved, Presence::when_given);
}

// One run: what went in and what came out.
struct RunOfSample {
  std::uint64_t sample = 0;
  std::vector<RunInput> inputs;
  std::vector<RunOutput> outputs;  // in the model's order
};
template <RecordOf<RunOfSample> Self>
void for_each_field(Self& run, auto&& field) {
  field("sample", run.sample);
  field("inputs", run.inputs);
  field("outputs", run.outputs);
}

struct RunReport {
  std::string model;
  Target target;
  std::string device;  // cpu, gpu or npu; empty: the EP does not tell
  std::string runtime_version;
  Placement placement;
  std::uint64_t samples = 0;
  std::vector<RunOfSample> runs;
  std::optional<std::string> labels_from;
  std::optional<std::string> output;  // the .npz
  std::vector<std::string> notes;
};
template <RecordOf<RunReport> Self>
void for_each_field(Self& report, auto&& field) {
  field("model", report.model);
  field("target", report.target);
  field("device", report.device);
  field("runtime_version", report.runtime_version);
  field("placement", report.placement);
  field("samples", report.samples);
  field("runs", report.runs);
  field("labels_from", report.labels_from);
  field("output", report.output);
  field("notes", report.notes);
}

}  // namespace hone
