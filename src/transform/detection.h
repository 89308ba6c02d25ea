#pragma once
// What analysis looks for before it suggests a capability, and what it must know to do so. A
// capability says so beside its other facts: a pass in its own file.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "transform/detect/detectors.h"

namespace hone {

// Whom a capability is for.
enum class Aim {
  everybody,
  accelerators,  // the CPU EP has a better way to do the same
};

struct Detection {
  std::string_view makes{};  // the operator in the place of the nodes; empty: none that is new
  // The opset it is ONNX's own from; 0: never, it is com.microsoft's.
  std::int64_t native_since = 0;
  Aim aim = Aim::everybody;
  // Null: hone's pass of that name is tried on a copy.
  detect::Found (*find)(const Rewriter& model) = nullptr;
  // Larger fusions whose parts it would take away: with one of them on, it had better stay off.
  std::vector<std::string_view> yields_to{};
};

// "Gelu", "com.microsoft.FusedConv": what is made in a model of that opset; empty: nothing new.
inline std::string op_made_by(const Detection& detection, std::int64_t opset) {
  if (detection.makes.empty()) return {};
  const bool is_native = detection.native_since > 0 && opset >= detection.native_since;
  return (is_native ? "" : "com.microsoft.") + std::string(detection.makes);
}

}  // namespace hone
