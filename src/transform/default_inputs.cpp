#include "transform/default_inputs.h"

#include <algorithm>

#include "base/counted.h"

namespace hone {

std::size_t fix_default_inputs(Model& model) {
  Graph& graph = *model.graph;
  const std::vector<Value*> weights = graph.initializers();
  if (!std::ranges::all_of(weights, &Value::is_graph_input)) return 0;
  for (Value* weight : weights) graph.remove_input(*weight);
  if (!weights.empty()) model.ir_version = std::max<std::int64_t>(model.ir_version, 4);
  return weights.size();
}

std::string note_of_fixed_inputs(std::size_t count) {
  if (count == 0) return {};
  return counted(count, "weight") +
         " could be handed in as inputs, as old exporters write it; they are constants now";
}

}  // namespace hone
