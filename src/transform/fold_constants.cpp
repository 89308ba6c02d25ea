#include "transform/fold_constants.h"

#include <algorithm>
#include <unordered_set>

#include "model/edit.h"
#include "model/extract.h"
#include "runtime/session.h"
#include "transform/optimize.h"
#include "transform/patterns.h"
#include "transform/rewriter.h"

namespace hone {
namespace {

// A mask of 512 x 512 floats is 1 MiB. What is larger is no part of a shape, and would only make
// the file larger.
constexpr std::uint64_t most_bytes = std::uint64_t{4} << 20;

// Shape and Size of what is static, as constants.
std::size_t fold_shapes(Rewriter& rewriter) {
  std::size_t folded = 0;
  for (Node* node : rewriter.nodes()) {
    const bool is_shape = node->is("Shape");
    if (!(is_shape || node->is("Size")) || node->output(0) == nullptr ||
        !node->output(0)->is_used())
      continue;
    auto dims = static_shape(node->input(0));
    if (!dims || node->output(0)->is_graph_output()) continue;
    const auto rank = static_cast<std::int64_t>(dims->size());
    const auto place = [&](std::string_view name, std::int64_t otherwise) {
      const std::int64_t said = node->int_or(name, otherwise);
      return std::clamp<std::int64_t>(said < 0 ? said + rank : said, 0, rank);
    };
    const std::int64_t first = is_shape ? place("start", 0) : 0;
    const std::int64_t last = is_shape ? std::max(first, place("end", rank)) : rank;
    const std::vector<std::int64_t> cut(dims->begin() + first, dims->begin() + last);
    const std::int64_t elements = static_cast<std::int64_t>(count_elements(*dims).value_or(0));
    const std::string name = node->output(0)->name() + "_constant";
    TensorPtr tensor = is_shape ? make_int64_tensor(name, cut)
                                : make_int64_tensor(name, std::span(&elements, 1), true);
    rewriter.replace(*node->output(0), rewriter.add_constant(*node, std::move(tensor)));
    ++folded;
  }
  return folded;
}

bool is_random(const Node& node) {
  return node.op_type.starts_with("Random") || node.is("Bernoulli") || node.is("Multinomial");
}

// Whether the node is one that may be computed ahead, were all its inputs constants.
bool may_be_computed(const Node& node) {
  if (!node.is_default_domain() || is_random(node) || !node.subgraphs().empty()) return false;
  if (node.is("QuantizeLinear") || node.is("DequantizeLinear") || node.is("DynamicQuantizeLinear"))
    return false;
  if (node.inputs().empty() && !node.is("Constant")) return false;
  return std::ranges::none_of(node.outputs(), [](const Value* output) {
    if (output == nullptr) return false;
    const auto dims = static_shape(output);
    const auto elements = dims ? count_elements(*dims) : std::nullopt;
    const auto bytes = elements ? bytes_of(output->type.element, *elements) : std::nullopt;
    return output->is_graph_output() || !output->type.is_tensor() ||
           output->type.element == ElementType::string || bytes.value_or(0) > most_bytes;
  });
}

// The nodes that compute from constants alone, in their order, and what others need of them.
struct ConstantPart {
  std::vector<const Node*> nodes;
  std::vector<const Value*> results;
};

ConstantPart find_constant_part(const Model& model) {
  ConstantPart part;
  std::unordered_set<const Node*> taken;
  const auto is_known = [&](const Value* value) {
    return value == nullptr || value->constant() || taken.contains(value->producer());
  };
  for (const Node& node : model.graph->nodes()) {
    if (!may_be_computed(node) || !std::ranges::all_of(node.inputs(), is_known)) continue;
    taken.insert(&node);
    part.nodes.push_back(&node);
  }
  for (const Node* node : part.nodes) {
    for (const Value* output : node->outputs()) {
      const bool is_needed = output != nullptr && !output->constant() &&
                             std::ranges::any_of(output->uses(), [&](const Use& use) {
                               return !taken.contains(use.node);
                             });
      if (is_needed) part.results.push_back(output);
    }
  }
  return part;
}

Result<NamedTensors> compute(const std::shared_ptr<Runtime>& runtime, const Model& model,
                             const ConstantPart& part) {
  SessionSettings settings;
  settings.options = {{"graph_optimization_level", "disable"}};
  const Model cut = extract(model, {part.nodes, {}, part.results});
  HONE_TRY(const Session session, Session::open_model(runtime, cut, settings));
  return session.run({});
}

TensorPtr renamed(const TensorPtr& tensor, std::string name) {
  auto copy = std::make_shared<Tensor>(*tensor);
  copy->name = std::move(name);
  return copy;
}

}  // namespace

Result<std::size_t> fold_constants(const std::shared_ptr<Runtime>& runtime, Model& model) {
  HONE_TRY_DO(sort_topologically(*model.graph));
  const std::uint64_t before = count_nodes(model);
  Rewriter rewriter(model);
  fold_shapes(rewriter);
  const ConstantPart part = find_constant_part(model);
  if (!part.results.empty()) {
    HONE_TRY(const NamedTensors computed, compute(runtime, model, part));
    for (const Value* result : part.results) {
      Value& value = *model.graph->find(result->name());
      const TensorPtr& tensor = computed.at(value.name());
      if (tensor->byte_size() > most_bytes) continue;
      Value& constant =
          rewriter.add_constant(*value.producer(), renamed(tensor, value.name() + "_constant"));
      rewriter.replace(value, constant);
    }
  }
  remove_dead_nodes(*model.graph);
  remove_unused_initializers(*model.graph);
  HONE_TRY_DO(sort_topologically(*model.graph));
  return before - count_nodes(model);
}

}  // namespace hone
