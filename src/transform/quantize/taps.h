#pragma once
// The model with a look inside: extra outputs that tell what tensors hold.

#include <string>
#include <vector>

#include "base/result.h"
#include "model/model.h"

namespace hone {

// The outputs that tell about one tensor, by name.
struct ExtremeTap {
  std::string tensor;
  std::string low;
  std::string high;
  std::string least_magnitude;  // empty unless asked for
  std::string elements;
};

struct ExtremeTaps {
  Model model;
  std::vector<ExtremeTap> taps;
};

// The tensors are reduced inside the graph, so that none of them outlives its use: memory is that
// of the model. Tensors that the main graph does not have are refused.
Result<ExtremeTaps> tap_extremes(const Model& model, const std::vector<std::string>& tensors,
                                 bool with_magnitudes);

struct ValueTap {
  std::string tensor;
  std::string output;
};

struct ValueTaps {
  Model model;
  std::vector<ValueTap> taps;
};

// The tensors as a whole; they all live until the run is over.
Result<ValueTaps> tap_values(const Model& model, const std::vector<std::string>& tensors);

}  // namespace hone
