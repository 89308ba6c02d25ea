#pragma once
// What the optimizer can be asked for, by name: ONNX Runtime's own optimizers, which are a row each
// in ort_capabilities.cpp, and our passes, which are a file each. Some names are both: then both
// are switched on.

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "transform/pass.h"

namespace hone {

struct Capability {
  std::string_view name;  // kebab-case on the command line, snake_case in JSON
  std::string_view category;
  std::string_view summary;
  int level =
      0;  // of ONNX Runtime's graph optimization: 1 basic, 2 extended, 3 layout; 0: not ORT's
  std::vector<std::string_view> optimizers{};  // ONNX Runtime's names
  std::vector<std::string_view> depends_on{};  // switched on with it
  std::string_view session_option{};           // set to 1 with it
  // ONNX Runtime's optimizers promise nothing in words; most keep to rounding.
  Numerics numerics = Numerics::close;
  std::vector<std::string_view> only_on{};  // the EPs it acts on alone; empty: all
  const Pass* pass = nullptr;
  std::optional<Detection> detection{};  // nothing: no analysis looks for it
};

// ONNX Runtime's own, a row each; the pass of the same name is joined to one.
std::vector<Capability> ort_capabilities();

std::span<const Capability> all_capabilities();
// The one of that name, in kebab-case or snake_case; the error names the nearest.
Result<const Capability*> find_capability(std::string_view name);
// "gelu-fusion" is "gelu_fusion" in JSON.
std::string json_name(const Capability& capability);
// "CUDA", "CUDA and DirectML": the EPs it acts on alone, as their makers write them; empty: all.
std::string limit_of(const Capability& capability);
// Whose it is: "onnxruntime", "hone", "onnxruntime and hone".
std::string_view source_of(const Capability& capability);

using CapabilitySet = std::set<const Capability*>;

// What is on when nothing is asked for.
CapabilitySet default_capabilities();
// With all that these depend on.
CapabilitySet closure_of(CapabilitySet capabilities);

// Optimizers of ONNX Runtime that no capability stands for and that are always off: they make
// operators that only some EPs run.
std::span<const std::string_view> optimizers_kept_off();

}  // namespace hone
