#include "model/opset/convert.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "base/text.h"
#include "model/opset/history.h"
#include "model/opset/step.h"

namespace hone {
namespace {

using namespace opset;

// Names of model-local functions that stand in the default domain: calls to them are not ONNX's
// ops.
using Names = std::unordered_set<std::string>;

bool is_ours(const Node& node, const Names& local) {
  return node.is_default_domain() && !local.contains(node.op_type);
}

std::vector<std::string> known_ops() {
  std::vector<std::string> names;
  for (const OpHistory& history : all_histories()) names.emplace_back(history.op);
  return names;
}

// That the opset the model claims has this op at all.
Status check_known(const Converter& converter, const Node& node, int opset) {
  const OpHistory* history = find_history(node.op_type);
  if (history == nullptr) {
    const std::string near = nearest(node.op_type, known_ops());
    return converter.refuse(node, "no opset of the default domain has this op",
                            near.empty() ? "is its domain missing?" : "did you mean " + near + "?");
  }
  const std::string claimed = "the model says opset " + std::to_string(opset);
  if (opset < history->since) {
    return converter.refuse(
        node, claimed + ", but this op came with opset " + std::to_string(history->since));
  }
  if (history->until != 0 && opset >= history->until) {
    return converter.refuse(
        node, claimed + ", but this op ended with opset " + std::to_string(history->until));
  }
  return done();
}

Status check_known(const Converter& converter, Graph& graph, const Names& local, int opset) {
  for (const Node& node : graph.nodes()) {
    if (is_ours(node, local)) HONE_TRY_DO(check_known(converter, node, opset));
    for (Graph* subgraph : node.subgraphs()) {
      HONE_TRY_DO(check_known(converter, *subgraph, local, opset));
    }
  }
  return done();
}

Status take_step(Converter& converter, Graph& graph, const Names& local, bool upwards) {
  for (Node* node : graph.node_list()) {
    if (node->is_removed()) continue;
    for (Graph* subgraph : node->subgraphs()) {
      HONE_TRY_DO(take_step(converter, *subgraph, local, upwards));
    }
    if (!is_ours(*node, local)) continue;
    HONE_TRY_DO(upwards ? step_up(converter, *node) : step_down(converter, *node));
  }
  return done();
}

Status convert_graph(Converter& converter, Graph& graph, const Names& local, int from, int to) {
  HONE_TRY_DO(check_known(converter, graph, local, from));
  converter.facts.learn(graph);
  // One opset at a time: what an adapter inserts is written for the opset it adapts to, and the
  // next step finds it like any other node.
  for (int opset = from; opset != to;) {
    const bool upwards = to > opset;
    opset += upwards ? 1 : -1;
    converter.set_step(opset, upwards);
    HONE_TRY_DO(take_step(converter, graph, local, upwards));
  }
  return done();
}

OpsetImport* default_import(std::vector<OpsetImport>& imports) {
  for (OpsetImport& import : imports) {
    if (import.domain.empty() || import.domain == "ai.onnx") return &import;
  }
  return nullptr;
}

Result<int> checked_opset(std::int64_t opset, std::string_view whose, int oldest) {
  if (opset >= oldest && opset <= newest_opset) return static_cast<int>(opset);
  return fail(Fault::unsupported, std::string(whose) + " opset " + std::to_string(opset) +
                                      ", and conversion knows " + std::to_string(oldest) + " to " +
                                      std::to_string(newest_opset));
}

Status convert_functions(Converter& converter, Model& model, const Names& local, int to) {
  converter.set_in_function(true);
  for (Function& function : model.functions) {
    OpsetImport* import = default_import(function.opsets);
    if (import == nullptr || !function.body) continue;
    HONE_TRY(const int from,
             checked_opset(import->version, "function '" + function.name + "' has", oldest_source));
    HONE_TRY_DO(convert_graph(converter, *function.body, local, from, to));
    import->version = to;
  }
  return done();
}

std::int64_t ir_version_of(ElementType type) {
  switch (type) {
    case ElementType::float8e4m3fn:
    case ElementType::float8e4m3fnuz:
    case ElementType::float8e5m2:
    case ElementType::float8e5m2fnuz:
      return 9;
    case ElementType::uint4:
    case ElementType::int4:
      return 10;
    case ElementType::float4e2m1:
      return 11;
    case ElementType::float8e8m0:
      return 12;
    case ElementType::uint2:
    case ElementType::int2:
      return 13;
    default:
      return 0;
  }
}

// What the model holds that an older reader would misread. Metadata is not among it: readers skip
// it.
std::int64_t ir_version_of_content(const Model& model) {
  std::int64_t needed = model.functions.empty() ? 0 : 8;
  for_each_graph(model, [&](Graph& graph) {
    for (const Value* value : graph.values()) {
      needed = std::max(needed, ir_version_of(value->type.element));
    }
    for (const Node& node : graph.nodes()) {
      if (!node.overload.empty()) needed = std::max<std::int64_t>(needed, 10);
    }
  });
  for_each_tensor(model, [&](const TensorPtr& tensor, const Node*) {
    needed = std::max(needed, ir_version_of(tensor->type));
  });
  return needed;
}

void set_ir_version(Model& model, int from, int to) {
  const std::int64_t needed = std::max(ir_version_of_opset(to), ir_version_of_content(model));
  if (to > from) model.ir_version = std::max(model.ir_version, needed);
  if (to < from) model.ir_version = std::min(model.ir_version, needed);
}

}  // namespace

std::int64_t ir_version_of_opset(int opset) {
  // For opsets 9, 10, ... 25.
  constexpr std::array versions{4, 5, 6, 7, 7, 7, 8, 8, 8, 8, 9, 9, 10, 10, 11, 12, 13};
  static_assert(versions.size() == newest_opset - oldest_opset + 1);
  const int index = std::clamp(opset, oldest_opset, newest_opset) - oldest_opset;
  return versions[static_cast<std::size_t>(index)];
}

Result<ConversionReport> convert_opset(Model& model, int to) {
  HONE_TRY_DO(checked_opset(to, "cannot convert to", oldest_opset));
  if (model.opset() == 0) {
    return fail(Fault::bad_input,
                "the model does not say which opset of the default domain it uses");
  }
  HONE_TRY(const int from, checked_opset(model.opset(), "the model has", oldest_source));
  ConversionReport report{.from = from, .to = to, .ir_from = model.ir_version};
  Model converted = clone(model);
  Names local;
  for (const Function& function : model.functions) {
    if (function.domain.empty() || function.domain == "ai.onnx") local.insert(function.name);
  }
  Converter converter;
  HONE_TRY_DO(convert_graph(converter, *converted.graph, local, from, to));
  HONE_TRY_DO(convert_functions(converter, converted, local, to));
  converted.set_opset("", to);
  set_ir_version(converted, from, to);
  converter.fill(report);
  report.ir_to = converted.ir_version;
  model = std::move(converted);
  return report;
}

}  // namespace hone
