#pragma once
// One small model per op and form, to be tried with every element type and opset.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"

namespace hone {

// Parts of a model in ONNX's text syntax, with places for types: T stands for the type under test,
// I for a second one, and #I for the number of that type.
struct Specimen {
  std::string inputs;                           // "T[1,2,3,4] a, I[2] i"
  std::string constants;                        // "I[1] axes = {1}"
  std::string node;                             // "y = Abs(a)"
  int since = 1;                                // the opsets that have this form
  int until = 0;                                // 0: no end
  std::vector<std::string> second = {"int64"};  // what I may be
};

const std::vector<Specimen>& all_specimens();

// The types T is tried with.
std::span<const std::string> probed_types();

// Fails where the types make no sense in the text (0.5 of int8): nothing to try.
Result<Model> make_specimen(const Specimen& specimen, std::int64_t opset, std::string_view type,
                            std::string_view second);

}  // namespace hone
