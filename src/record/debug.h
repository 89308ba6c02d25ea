#pragma once
// What quantization did to each tensor of a model: what `hone debug` found.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/fields.h"

namespace hone {

// originator: loss begins at this tensor. inheritor: most of its loss came with its inputs. clean:
// there is little loss.
enum class LossClass { originator, inheritor, clean };
constexpr auto enum_names(LossClass) {
  return std::to_array<EnumName<LossClass>>({{LossClass::originator, "originator"},
                                             {LossClass::inheritor, "inheritor"},
                                             {LossClass::clean, "clean"}});
}

// Why a tensor loses more than its width must. clipping: it holds numbers beyond its range.
// wrong_range: its range is wider than what it holds. kernel: neither explains the noise. In half
// precision: overflow: it holds numbers that are infinite there. underflow: it, or what it is
// computed from, holds numbers that are zero there, or nearly. few_digits: its numbers are within
// range, but depend on more digits than there are (a difference of large numbers).
enum class LossCause { clipping, wrong_range, kernel, weights, overflow, underflow, few_digits };
constexpr auto enum_names(LossCause) {
  return std::to_array<EnumName<LossCause>>({{LossCause::clipping, "clipping"},
                                             {LossCause::wrong_range, "wrong_range"},
                                             {LossCause::kernel, "kernel"},
                                             {LossCause::weights, "weights"},
                                             {LossCause::overflow, "overflow"},
                                             {LossCause::underflow, "underflow"},
                                             {LossCause::few_digits, "few_digits"}});
}

// A decibel is null where it is not known, and where there is no noise at all: `exact` tells the
// two apart.
struct ActivationLoss {
  std::string tensor_name;  // the float model's name where it is matched
  std::optional<double> local_sqnr_db;
  std::optional<double> cumulative_sqnr_db;
  std::string node;  // that makes the tensor; of an input of the model, the one that reads it
  std::string op_type;
  std::string layer;  // the part of the model the node's name places it in; empty: none
  LossClass loss_class = LossClass::clean;
  bool local_exact = false;
  bool cumulative_exact = false;
  std::string type;  // of its integers, or its half precision
  // What a uniform quantizer of that width makes of the range that was seen, or rounding to half
  // precision of any numbers in its range, and how much the tensor falls short of it. Null where
  // each channel has a scale.
  std::optional<double> expected_sqnr_db;
  std::optional<double> excess_loss_db;
  std::optional<LossCause> cause;  // of an excess loss above 3 dB, or of what the inputs had not
  std::optional<double> cosine;    // of the float tensor and the quantized one
  std::optional<double> max_abs_error;
  std::optional<std::string> absorbed;  // a Relu or Clip that the quantized range stands for
  std::uint64_t not_finite = 0;         // elements that are NaN or infinite on one side
  // In half precision. Where an element is not finite, so is the loss: its decibels are null.
  std::uint64_t local_not_finite = 0;  // by its node alone
  std::uint64_t overflow = 0;          // elements of the float tensor that are infinite there
  std::uint64_t underflow = 0;         // that are zero there
  std::optional<double> largest;       // magnitude of the float tensor
  // With a target other than the CPU: the device against the same model on the CPU, and against the
  // float model.
  std::optional<double> device_sqnr_db;
  std::optional<double> device_cumulative_sqnr_db;
  bool device_exact = false;
};

template <RecordOf<ActivationLoss> Self>
void for_each_field(Self& loss, auto&& field) {
  field("tensor_name", loss.tensor_name);
  field("local_sqnr_db", loss.local_sqnr_db);
  field("cumulative_sqnr_db", loss.cumulative_sqnr_db);
  field("node", loss.node);
  field("op_type", loss.op_type);
  field("layer", loss.layer);
  field("classification", loss.loss_class);
  field("local_exact", loss.local_exact);
  field("cumulative_exact", loss.cumulative_exact);
  field("type", loss.type);
  field("expected_sqnr_db", loss.expected_sqnr_db);
  field("excess_loss_db", loss.excess_loss_db);
  field("cause", loss.cause);
  field("cosine", loss.cosine);
  field("max_abs_error", loss.max_abs_error);
  field("absorbed", loss.absorbed);
  field("not_finite", loss.not_finite);
  field("local_not_finite", loss.local_not_finite);
  field("overflow", loss.overflow);
  field("underflow", loss.underflow);
  field("largest", loss.largest);
  field("device_sqnr_db", loss.device_sqnr_db);
  field("device_cumulative_sqnr_db", loss.device_cumulative_sqnr_db);
  field("device_exact", loss.device_exact);
}

struct WeightLoss {
  std::string weight_name;  // the float model's name
  std::optional<double> weight_sqnr_db;
  bool exact = false;
  std::string node;  // that reads it
  std::string op_type;
  std::string layer;
  std::string type;
  std::optional<double> max_abs_error;
  std::uint64_t overflow = 0;   // numbers beyond the range of half precision
  std::uint64_t underflow = 0;  // numbers that are zero there
};

template <RecordOf<WeightLoss> Self>
void for_each_field(Self& loss, auto&& field) {
  field("weight_name", loss.weight_name);
  field("weight_sqnr_db", loss.weight_sqnr_db);
  field("exact", loss.exact);
  field("node", loss.node);
  field("op_type", loss.op_type);
  field("layer", loss.layer);
  field("type", loss.type);
  field("max_abs_error", loss.max_abs_error);
  field("overflow", loss.overflow);
  field("underflow", loss.underflow);
}

struct OutputLoss {
  std::string output_name;
  std::optional<double> cumulative_sqnr_db;
  bool exact = false;
  std::optional<double> cosine;
  std::optional<double> max_abs_error;
  std::uint64_t not_finite = 0;
  std::optional<double> device_sqnr_db;
  std::optional<double> device_cumulative_sqnr_db;
  bool device_exact = false;
};

template <RecordOf<OutputLoss> Self>
void for_each_field(Self& loss, auto&& field) {
  field("output_name", loss.output_name);
  field("cumulative_sqnr_db", loss.cumulative_sqnr_db);
  field("exact", loss.exact);
  field("cosine", loss.cosine);
  field("max_abs_error", loss.max_abs_error);
  field("not_finite", loss.not_finite);
  field("device_sqnr_db", loss.device_sqnr_db);
  field("device_cumulative_sqnr_db", loss.device_cumulative_sqnr_db);
  field("device_exact", loss.device_exact);
}

// What has a decibel; the deviation is that of the whole population.
struct LossSummary {
  std::uint64_t count = 0;
  std::optional<double> mean;
  std::optional<double> std;
  std::optional<double> min;
  std::optional<double> max;
};

template <RecordOf<LossSummary> Self>
void for_each_field(Self& summary, auto&& field) {
  field("count", summary.count);
  field("mean", summary.mean);
  field("std", summary.std);
  field("min", summary.min);
  field("max", summary.max);
}

struct LossSummaries {
  LossSummary local;
  LossSummary cumulative;
  LossSummary weight;
};

template <RecordOf<LossSummaries> Self>
void for_each_field(Self& summaries, auto&& field) {
  field("local", summaries.local);
  field("cumulative", summaries.cumulative);
  field("weight", summaries.weight);
}

// What has no counterpart, or could not be looked at.
struct UnmatchedTensor {
  std::string tensor;  // of the quantized model
  std::string kind;    // activation, weight or output
  std::string reason;
};

template <RecordOf<UnmatchedTensor> Self>
void for_each_field(Self& unmatched, auto&& field) {
  field("tensor", unmatched.tensor);
  field("kind", unmatched.kind);
  field("reason", unmatched.reason);
}

// Of a model in half precision.
struct HalfSummary {
  std::string type;            // float16, bfloat16
  bool simulated = true;       // on the CPU: floats, rounded at the border of every tensor
  std::uint64_t overflow = 0;  // tensors that a node of theirs makes infinite, and that do harm
  std::uint64_t harmless_overflow = 0;        // that do none: what reads them is right (masks)
  std::uint64_t underflow = 0;                // tensors with numbers that become zero
  std::optional<std::string> first_overflow;  // where it begins
};

template <RecordOf<HalfSummary> Self>
void for_each_field(Self& half, auto&& field) {
  field("type", half.type);
  field("simulated", half.simulated);
  field("overflow", half.overflow);
  field("harmless_overflow", half.harmless_overflow);
  field("underflow", half.underflow);
  field("first_overflow", half.first_overflow);
}

struct DebugTimes {
  double total = 0;
  double in_run = 0;   // inside of ONNX Runtime's Run
  double open = 0;     // sessions
  double compare = 0;  // tensors
  double weights = 0;  // beside the rest
};

template <RecordOf<DebugTimes> Self>
void for_each_field(Self& times, auto&& field) {
  field("total", times.total);
  field("in_run", times.in_run);
  field("open", times.open);
  field("compare", times.compare);
  field("weights", times.weights);
}

inline constexpr std::int64_t debug_schema_version = 1;

struct DebugResult {
  std::string float_model;
  std::string quant_model;
  std::string ep = "cpu";
  std::uint64_t samples = 0;
  std::string samples_from;                 // a path, or "seed N"
  std::uint64_t stretches = 0;              // parts the models were run in to stay within memory
  std::vector<ActivationLoss> activations;  // in the order in which the quantized model makes them
  std::vector<WeightLoss> weights;
  std::vector<OutputLoss> model_outputs;  // in the order of the float model
  LossSummaries summary;
  std::optional<HalfSummary> half;  // null: the model has no half precision
  std::vector<UnmatchedTensor> unmatched;
  // What looking changed: outputs that differ from those of the model as it is, or its placement.
  std::vector<std::string> perturbed;
  std::vector<std::string> notes;
  DebugTimes times_ms;
};

template <RecordOf<DebugResult> Self>
void for_each_field(Self& result, auto&& field) {
  field("float_model", result.float_model);
  field("quant_model", result.quant_model);
  field("ep", result.ep);
  field("samples", result.samples);
  field("samples_from", result.samples_from);
  field("stretches", result.stretches);
  field("activations", result.activations);
  field("weights", result.weights);
  field("model_outputs", result.model_outputs);
  field("summary", result.summary);
  field("half", result.half);
  field("unmatched", result.unmatched);
  field("perturbed", result.perturbed);
  field("notes", result.notes);
  field("times_ms", result.times_ms);
}

}  // namespace hone
