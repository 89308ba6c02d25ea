#pragma once
// A quantization, for people.

#include <string>

#include "record/quantize.h"

namespace hone {

// How much of its outputs is left, in a clause: "'y' keeps 31.2 dB". Empty where all are exact.
std::string describe_what_is_left(const QuantizeResult& result);

std::string describe_quantization(const QuantizeResult& result);

}  // namespace hone
