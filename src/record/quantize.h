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
};

template <RecordOf<OutputError> Self>
void for_each_field(Self& error, auto&& field) {
  field("output", error.output);
  field("sqnr_db", error.sqnr_db);
  field("max_abs_error", error.max_abs_error);
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

inline constexpr std::int64_t quantize_schema_version = 1;

struct QuantizeResult {
  std::string model;
  std::string output;
  std::vector<std::string> precision;
  std::string preset;
  std::string method;
  std::int64_t opset = 0;
  std::uint64_t nodes = 0;            // of the float model
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
  field("notes", result.notes);
  field("times_ms", result.times_ms);
}

}  // namespace hone
