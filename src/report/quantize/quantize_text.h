#pragma once
// A quantization, for people.

#include <string>

#include "record/quantize.h"

namespace hone {

std::string describe_quantization(const QuantizeResult& result);

}  // namespace hone
