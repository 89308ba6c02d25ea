#pragma once
// A model with integers in the place of floats: from what a user says to the file that is written,
// and what is left of the outputs.

#include <string>

#include "flow/eval.h"
#include "flow/watch.h"
#include "record/quantize.h"
#include "record/recipe.h"
#include "record/where.h"

namespace hone {

// What a command quantizes to where nobody said.
inline constexpr std::string_view usual_quantized_precision = "w8a8";

struct QuantizeOrder {
  static constexpr std::string_view job = "quantize";
  using Answer = QuantizeResult;

  std::string model;  // a file, or a folder with one
  std::string output;
  bool overwrite = false;   // an output that exists may be replaced
  QuantizeRecipe quantize;  // as in a recipe
  // What calibrates instead of quantize.calibration_data: samples of a task.
  std::string task;
  std::string data;
  RowOrder rows{};
  std::string calibration_cache;  // keeps what calibration finds; empty: only while it runs
  bool tries_remedies = true;     // finds out what would help where too little is left
  std::string shape_config;
  Where where;  // the host; calibration runs on the CPU
};
template <RecordOf<QuantizeOrder> Self>
void for_each_field(Self& order, auto&& field) {
  field("model", order.model, Presence::required);
  field("output", order.output, Presence::required);
  field("overwrite", order.overwrite);
  field("quantize", order.quantize, Presence::required);
  field("task", order.task);
  field("data", order.data);
  field("rows", order.rows);
  field("calibration_cache", order.calibration_cache);
  field("tries_remedies", order.tries_remedies);
  field("shape_config", order.shape_config);
  field("where", order.where);
}

// Where too little is left nothing is written, and the result says so.
Result<QuantizeResult> quantize_model(const QuantizeOrder& order, const Watch& watch);

// The same in a process of its own: ONNX Runtime has yet to open what is made, and there are models
// on which it crashes then. That is an answer, which leaves no unfinished file.
Result<QuantizeResult> quantize_apart(const QuantizeOrder& order, const Watch& watch);

}  // namespace hone
