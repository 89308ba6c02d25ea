#pragma once
// Whether a quantized model works: it is opened from its file and run beside the float model.

#include <memory>
#include <vector>

#include "record/quantize.h"
#include "runtime/sample_stream.h"

namespace hone {

struct QuantizedCheck {
  bool holds = false;
  std::string reason;  // why not
  std::size_t samples = 0;
  std::vector<OutputError> outputs;
  std::chrono::nanoseconds in_run{0};
};

// Runs up to `most` samples on the CPU EP. `known` are outputs of the float model by the number of
// the sample; what is missing there is run on `original`. A model that does not load, does not run,
// or makes NaN where the float model does not is a verdict; what keeps us from looking is an error.
Result<QuantizedCheck> check_quantized(const std::shared_ptr<Runtime>& runtime,
                                       const Path& quantized, const Path& original,
                                       SampleStream& samples,
                                       const std::map<std::size_t, NamedTensors>& known,
                                       std::size_t most);

}  // namespace hone
