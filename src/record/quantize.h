#pragma once
// What `hone quantize` made of a model.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/fields.h"
#include "record/model_facts.h"

namespace hone {

// One tensor that became integers.
struct QuantizedRangeFacts {
  std::string tensor;
  QuantizedKind kind = QuantizedKind::activation;
  std::string type;
  std::optional<double> low;  // of the range that was measured, fixed or given
  std::optional<double> high;
  std::optional<std::string> shares;  // the tensor whose range it has
  std::optional<double> movement;     // the share of it that half of the samples would have missed
};

template <RecordOf<QuantizedRangeFacts> Self>
void for_each_field(Self& range, auto&& field) {
  field("tensor", range.tensor);
  field("kind", range.kind);
  field("type", range.type);
  field("low", range.low);
  field("high", range.high);
  field("shares", range.shares);
  field("movement", range.movement);
}

struct OutputError {
  std::string output;
  std::optional<double> sqnr_db;  // unknown where there is no error, or no float
  double max_abs_error = 0;
  // Whether the floor can be held against it. Not where the samples show too little of it: a
  // detector that finds nothing says 1e-6 or 2e-6.
  bool judged = true;
  std::optional<std::string> not_judged_because{};
};

template <RecordOf<OutputError> Self>
void for_each_field(Self& error, auto&& field) {
  field("output", error.output);
  field("sqnr_db", error.sqnr_db);
  field("max_abs_error", error.max_abs_error);
  field("judged", error.judged);
  field("not_judged_because", error.not_judged_because);
}

struct QuantizeTimes {
  double total = 0;
  double in_run = 0;  // inside of ONNX Runtime's Run
  double infer = 0;
  double calibrate = 0;
  double quantize = 0;
  double save = 0;
  double verify = 0;
};

template <RecordOf<QuantizeTimes> Self>
void for_each_field(Self& times, auto&& field) {
  field("total", times.total);
  field("in_run", times.in_run);
  field("infer", times.infer);
  field("calibrate", times.calibrate);
  field("quantize", times.quantize);
  field("save", times.save);
  field("verify", times.verify);
}

// What was tried because too little was left, and what it left.
struct TriedRemedy {
  std::string name{};                      // "per-channel weights"
  std::string options{};                   // of `hone quantize` that ask for it
  std::string recipe{};                    // the same in the "quantize" of a recipe
  bool only_in_recipe = false;             // `hone build` has no options for it
  bool replaces_precision = false;         // the options stand in the place of --precision
  std::optional<std::string> precision{};  // that they ask for then
  bool optimizes_first = false;            // `hone optimize` runs before
  std::vector<std::string> enables{};      // with these capabilities
  std::optional<double> worst_sqnr_db{};   // of all outputs, judged or not
  bool judged = false;                     // all of them
  bool holds = false;
  bool best = false;                            // of those that hold
  std::optional<std::string> failed_because{};  // it does not work at all
  std::optional<std::string> command{};         // that does it
};

template <RecordOf<TriedRemedy> Self>
void for_each_field(Self& tried, auto&& field) {
  field("name", tried.name);
  field("options", tried.options);
  field("recipe", tried.recipe);
  field("only_in_recipe", tried.only_in_recipe);
  field("replaces_precision", tried.replaces_precision);
  field("precision", tried.precision);
  field("optimizes_first", tried.optimizes_first);
  field("enables", tried.enables);
  field("worst_sqnr_db", tried.worst_sqnr_db);
  field("judged", tried.judged);
  field("holds", tried.holds);
  field("best", tried.best);
  field("failed_because", tried.failed_because);
  field("command", tried.command);
}

inline constexpr std::int64_t quantize_schema_version = 1;

// Below this, a tenth of an output's power is noise: rankings and masks begin to turn over. Sound
// 8-bit models keep 20 to 40 dB.
inline constexpr double usual_least_sqnr_db = 10;

struct QuantizeResult {
  std::string model;
  std::string output;
  std::vector<std::string> precision;
  std::string preset;
  std::string method;
  std::int64_t opset = 0;
  std::string oldest_ort;             // the oldest ONNX Runtime that opens the result
  std::string oldest_ort_because;     // what in it asks for that one
  std::uint64_t float16_widened = 0;  // tensors of float16 that were brought to float first
  std::uint64_t nodes = 0;            // of the float model, in subgraphs too
  std::uint64_t nodes_quantized = 0;  // whose inputs or outputs are quantized
  std::uint64_t nodes_removed = 0;    // Relu and Clip that quantized ranges stand for
  std::uint64_t nodes_inserted = 0;   // QuantizeLinear and DequantizeLinear
  std::uint64_t tensors = 0;          // quantized: the sum of the three below
  std::uint64_t activations = 0;
  std::uint64_t weights = 0;
  std::uint64_t biases = 0;
  std::uint64_t bytes_before = 0;  // of all weights
  std::uint64_t bytes_after = 0;
  std::uint64_t samples = 0;
  std::string samples_from;  // a path, or "seed N"
  bool ranges_sufficient = false;
  std::vector<QuantizedRangeFacts> ranges;
  bool verified = false;
  std::optional<std::string> not_verified_because;
  std::uint64_t verified_samples = 0;
  std::vector<OutputError> outputs;
  double least_sqnr_db = usual_least_sqnr_db;  // the floor
  std::optional<double> worst_sqnr_db;         // of the outputs that are judged
  std::optional<std::string> worst_output;
  // It works, no output is below the floor and, where the user states one, all are judged.
  bool holds = false;
  bool written = false;  // to `output`
  std::vector<TriedRemedy> tried;
  std::vector<std::string> notes;
  QuantizeTimes times_ms;
};

template <RecordOf<QuantizeResult> Self>
void for_each_field(Self& result, auto&& field) {
  field("model", result.model);
  field("output", result.output);
  field("precision", result.precision);
  field("preset", result.preset);
  field("method", result.method);
  field("opset", result.opset);
  field("oldest_ort", result.oldest_ort);
  field("oldest_ort_because", result.oldest_ort_because);
  field("float16_widened", result.float16_widened);
  field("nodes", result.nodes);
  field("nodes_quantized", result.nodes_quantized);
  field("nodes_removed", result.nodes_removed);
  field("nodes_inserted", result.nodes_inserted);
  field("tensors", result.tensors);
  field("activations", result.activations);
  field("weights", result.weights);
  field("biases", result.biases);
  field("bytes_before", result.bytes_before);
  field("bytes_after", result.bytes_after);
  field("samples", result.samples);
  field("samples_from", result.samples_from);
  field("ranges_sufficient", result.ranges_sufficient);
  field("ranges", result.ranges);
  field("verified", result.verified);
  field("not_verified_because", result.not_verified_because);
  field("verified_samples", result.verified_samples);
  field("outputs", result.outputs);
  field("least_sqnr_db", result.least_sqnr_db);
  field("worst_sqnr_db", result.worst_sqnr_db);
  field("worst_output", result.worst_output);
  field("holds", result.holds);
  field("written", result.written);
  field("tried", result.tried);
  field("notes", result.notes);
  field("times_ms", result.times_ms);
}

}  // namespace hone
