#include "inspect/facts.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "inspect/precision.h"
#include "inspect/quantized_ops.h"
#include "model/fingerprint.h"

namespace hone {
namespace {

void visit_nodes(const Graph& graph, const auto& visit) {
  for (const Node& node : graph.nodes()) {
    visit(node);
    for (const Graph* subgraph : node.subgraphs()) visit_nodes(*subgraph, visit);
  }
}

Json dimension(const Dim& dim) {
  if (dim.value) return *dim.value;
  return dim.symbol.empty() ? Json() : Json(dim.symbol);
}

ValueFacts facts_of(const Value& value) { return value_facts(value.name(), value.type); }

// Initializers of old models are listed as inputs too; nobody feeds them.
std::vector<ValueFacts> fed_inputs(const Graph& graph) {
  std::vector<ValueFacts> facts;
  for (const Value* value : graph.inputs()) {
    if (!value->initializer()) facts.push_back(facts_of(*value));
  }
  return facts;
}

void note_axes(const std::vector<ValueFacts>& values,
               std::map<std::string, std::vector<std::string>>& axes) {
  for (const ValueFacts& value : values) {
    for (std::size_t i = 0; value.shape && i < value.shape->size(); ++i) {
      const Json& dim = (*value.shape)[i];
      if (dim.is_number()) continue;
      const std::string symbol = dim.as_string() ? *dim.as_string() : "?";
      axes[symbol].push_back(value.name + "[" + std::to_string(i) + "]");
    }
  }
}

// Which tensors are weights and how many parameters each stands for.
class WeightCensus {
 public:
  explicit WeightCensus(const Model& model) {
    for_each_graph(model, [&](const Graph& graph) {
      for (const Node& node : graph.nodes()) note_operands(node);
    });
    for_each_graph(model, [&](const Graph& graph) { count(graph); });
  }

  WeightTotals totals;

 private:
  // Scales and zero points describe weights and are none.
  void note_operands(const Node& node) {
    const QuantizedOp* op = quantized_op(node);
    if (op == nullptr) return;
    for (const QuantizedOperand& operand : op->operands) {
      for (const int position : {operand.scale, operand.zero_point}) {
        if (position >= 0) describing_.insert(node.input(static_cast<std::size_t>(position)));
      }
    }
    if (is_dequantize(&node)) dequantized_.insert(node.input(0));
    if (node.op_type == "MatMulNBits") note_packed(node);
  }

  // MatMulNBits keeps several weights in a byte.
  void note_packed(const Node& node) {
    const std::int64_t rows = node.int_or("N", 0);
    const std::int64_t columns = node.int_or("K", 0);
    if (const auto count = count_elements({rows, columns})) packed_.emplace(node.input(1), *count);
  }

  void count(const Graph& graph) {
    for (const Value* value : graph.values()) {
      const Node* producer = value->producer();
      const bool is_constant = producer != nullptr && producer->is("Constant");
      if (const TensorPtr tensor = is_constant ? value->constant() : value->initializer()) {
        count(*value, *tensor);
      }
      if (const SparseTensorPtr& sparse = value->sparse_initializer()) {
        count(*value, *sparse->values);
        add_bytes(*sparse->indices);
      }
    }
  }

  void count(const Value& value, const Tensor& tensor) {
    add_bytes(tensor);
    if (const auto packed = packed_.find(&value); packed != packed_.end()) {
      totals.parameters += packed->second;
    } else if (is_parameter(value, tensor.type)) {
      totals.parameters += tensor.element_count();
    }
  }

  // 32-bit integers and wider are shapes and indices, unless they are the biases of a quantized
  // model.
  bool is_parameter(const Value& value, ElementType type) const {
    if (describing_.contains(&value)) return false;
    if (is_float(type) || dequantized_.contains(&value)) return true;
    return type != ElementType::boolean && bits_of(type) > 0 && bits_of(type) <= 16;
  }

  void add_bytes(const Tensor& tensor) {
    totals.bytes[name_of(tensor.type)] += tensor.byte_size();
    if (tensor.absent) totals.absent_bytes += tensor.byte_size();
  }

  std::unordered_set<const Value*> describing_;
  std::unordered_set<const Value*> dequantized_;
  std::unordered_map<const Value*, std::uint64_t> packed_;
};

std::uint64_t bytes_of_data_files(const Model& model) {
  std::map<std::string, std::uint64_t> files;
  for_each_tensor(model, [&](const TensorPtr& tensor, const Node*) {
    if (!tensor->external || tensor->absent || !tensor->dense.backing()) return;
    files[tensor->external->location] = tensor->dense.backing()->bytes().size();
  });
  std::uint64_t total = 0;
  for (const auto& [location, bytes] : files) total += bytes;
  return total;
}

std::string producer_of(const Model& model) {
  const bool has_both = !model.producer_name.empty() && !model.producer_version.empty();
  return model.producer_name + (has_both ? " " : "") + model.producer_version;
}

}  // namespace

ValueFacts value_facts(const std::string& name, const Type& type) {
  ValueFacts facts{name, {}, std::nullopt};
  if (!type.is_tensor()) {
    facts.type = to_string(type);
    return facts;
  }
  facts.type = name_of(type.element);
  if (!type.shape) return facts;
  facts.shape.emplace();
  for (const Dim& dim : *type.shape) facts.shape->push_back(dimension(dim));
  return facts;
}

std::string name_of_op(const Node& node) {
  return node.is_default_domain() ? node.op_type : node.domain + "." + node.op_type;
}

std::map<std::string, std::uint64_t> count_ops(const Model& model) {
  std::map<std::string, std::uint64_t> counts;
  visit_nodes(*model.graph, [&](const Node& node) { ++counts[name_of_op(node)]; });
  return counts;
}

WeightTotals count_weights(const Model& model) { return WeightCensus(model).totals; }

Result<ModelFacts> gather_facts(const Model& model, const Path& path) {
  ModelFacts facts;
  facts.path = path.string();
  HONE_TRY(const std::uint64_t model_bytes, size_of_file(path));
  facts.bytes = model_bytes + bytes_of_data_files(model);
  facts.ir_version = model.ir_version;
  for (const OpsetImport& import : model.opsets) {
    facts.opsets[import.domain.empty() ? "ai.onnx" : import.domain] = import.version;
  }
  facts.producer = producer_of(model);
  facts.op_counts = count_ops(model);
  for (const auto& [op, count] : facts.op_counts) facts.nodes += count;
  facts.functions = model.functions.size();
  const WeightTotals weights = count_weights(model);
  facts.parameters = weights.parameters;
  facts.weight_bytes = weights.bytes;
  facts.absent_weight_bytes = weights.absent_bytes;
  facts.precision = precision_of(model);
  facts.inputs = fed_inputs(*model.graph);
  for (const Value* value : model.graph->outputs()) facts.outputs.push_back(facts_of(*value));
  note_axes(facts.inputs, facts.dynamic_axes);
  note_axes(facts.outputs, facts.dynamic_axes);
  facts.fingerprint = structure_fingerprint(model).hex();
  return facts;
}

}  // namespace hone
