#pragma once
// A model file quantized to another: load, bring to each precision, save, run what was saved, and
// judge what is left of the float model.

#include "record/recipe.h"
#include "transform/quantize/precisions.h"

namespace hone {

struct QuantizeRequest {
  Path model;
  Path output;
  bool overwrite = false;
  std::vector<const Precision*> precisions;  // one after the other
  QuantizeSettings settings;
  ElementType weight_type = ElementType::undefined;  // undefined: as precision and preset have it
  ElementType activation_type = ElementType::undefined;
  // What calibrates: a file or folder, or else a seed.
  Path calibration_data;
  std::optional<std::size_t> samples;  // default: all of the data, or 10 of the seed
  std::uint64_t seed = 0;
  ShapeRules shapes;
  // Where calibration keeps what it has; empty: beside the output while it runs, and not after.
  Path calibration_cache;
  // Runs what was saved, and writes it only when it works; else `verified` stays false and the file
  // is written as it is.
  bool verifies = true;
  // Of every output: where one is below it, or cannot be judged, nothing is written. Not stated: 10
  // dB, of those that can be judged.
  std::optional<double> least_sqnr_db;
  bool allows_loss = false;    // writes it all the same, as long as it works
  bool tries_remedies = true;  // finds out what would help where it does not hold
};

struct QuantizeTools {
  std::shared_ptr<Runtime> runtime;
  Path probe_library;  // libhone_ep.so
  CalibrationProgress progress;
  std::function<void(const std::string& step)> tell = [](const std::string&) {};
};

// Refuses a precision, preset, method or type that there is not.
Status check_quantize_recipe(const QuantizeRecipe& recipe);
// What a recipe asks for; the files of model and output are the caller's to fill in. Reads the
// overrides.
Result<QuantizeRequest> request_of(const QuantizeRecipe& recipe);

// What does not work, or is below the floor and not allowed to be, is an answer and no error: it
// says what it left and what was tried, and no file is written.
Result<QuantizeResult> quantize_file(const QuantizeRequest& request, const QuantizeTools& tools);

}  // namespace hone
