#pragma once
// What a user decides about single tensors and nodes, from a JSON file:
//
//   {"tensors": {"logits": {"quant_type": "uint16", "rmin": -8, "rmax": 8}},
//    "float_nodes": ["/head/*", "Softmax"]}

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "model/types.h"
#include "transform/quantize/numbers.h"

namespace hone {

// Names and meaning in the file are those of ONNX Runtime's TensorQuantOverrides.
struct TensorOverride {
  std::optional<ElementType> type{};   // "quant_type"
  std::optional<std::int64_t> axis{};  // of a weight: a scale for each index of it
  std::vector<Scale> scales{};  // "scale" with "zero_point": a number each, or as many as the axis
  std::optional<RealRange> range{};     // "rmin" with "rmax"; not with scales
  std::optional<bool> symmetric{};      // not with scales
  std::optional<bool> reduced_range{};  // "reduce_range"; of weights, not with scales
};

struct Overrides {
  std::map<std::string, TensorOverride> tensors;
  std::vector<std::string> float_nodes;  // names, globs or op types that stay in float
};

Result<Overrides> read_overrides(const Path& file);

}  // namespace hone
