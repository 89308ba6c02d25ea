#pragma once
// What one quantization works with, and what it finds out.

#include <memory>

#include "record/quantize.h"
#include "runtime/sample_stream.h"
#include "transform/quantize/calibrate.h"
#include "transform/quantize/settings.h"

namespace hone {

struct QuantizeJob {
  std::shared_ptr<Runtime> runtime;
  Path probe_library;  // libhone_ep.so, for shapes and types
  QuantizeSettings settings;
  // Chosen by the user; undefined leaves them to precision and preset.
  ElementType weight_type = ElementType::undefined;
  ElementType activation_type = ElementType::undefined;
  SampleStream samples;
  bool samples_are_random = false;
  CalibrationFile calibration_file;
  CalibrationProgress progress;
  // Filled in by the work.
  QuantizeResult result;
  std::map<std::size_t, NamedTensors> float_outputs;  // by sample, as far as they are known
};

}  // namespace hone
