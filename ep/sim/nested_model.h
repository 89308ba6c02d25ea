#pragma once
// A group of nodes as a model of its own, made with ONNX Runtime's model editor.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ep/graph.h"
#include "ep/provider.h"

namespace hone::ep::sim {

struct NestedModel {
  // Copies, as a device has its own: ONNX Runtime frees those of the graph once it is compiled.
  // They must outlive every session of the model.
  std::vector<std::unique_ptr<char[]>> weights;
  Owned<OrtModel> model{nullptr, nullptr};
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

Result<NestedModel> build_model(const Ort& ort, const CompileRequest& group);

// What stands in the way of running a node there, whatever a profile says: a subgraph, a type that
// is not a plain tensor, an attribute that cannot be copied, an op that only the host knows.
Result<std::optional<std::string>> obstacle_to_nesting(const Ort& ort, const GraphNode& node);

}  // namespace hone::ep::sim
