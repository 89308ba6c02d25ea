#pragma once
// What may help a model of which quantization left too little: changes to the request, the mildest
// first.

#include <functional>
#include <string>
#include <vector>

#include "model/model.h"
#include "transform/quantize/quantize.h"

namespace hone {

struct Remedy {
  TriedRemedy facts;  // what it is called, and how it is asked for
  std::function<void(QuantizeRequest&)> apply;
  // Costs speed or size, or other kernels: worth a try when nothing milder holds.
  bool is_last_resort = false;
};

// What is not done yet and can be; none for several precisions in turn, which are the user's own
// composition. The list depends on what the model holds: what would change nothing is not in it.
std::vector<Remedy> remedies_for(const Model& model, const QuantizeRequest& request);

}  // namespace hone
