#include "model/model.h"

namespace hone {
namespace {

bool same_domain(std::string_view a, std::string_view b) {
  const auto normal = [](std::string_view domain) { return domain == "ai.onnx" ? "" : domain; };
  return normal(a) == normal(b);
}

using Visit = std::function<void(Graph&)>;
using Map = std::function<TensorPtr(const TensorPtr&, const Node*)>;

void visit_graphs(Graph& graph, const Visit& visit) {
  visit(graph);
  for (Node& node : graph.nodes()) {
    for (Graph* subgraph : node.subgraphs()) visit_graphs(*subgraph, visit);
  }
}

SparseTensorPtr map_sparse(const SparseTensorPtr& sparse, const Node* holder, const Map& map) {
  SparseTensor copy = *sparse;
  copy.values = map(sparse->values, holder);
  copy.indices = map(sparse->indices, holder);
  if (copy.values == sparse->values && copy.indices == sparse->indices) return sparse;
  return std::make_shared<const SparseTensor>(std::move(copy));
}

void map_attribute(Attribute& attribute, const Node* holder, const Map& map) {
  if (auto* tensor = std::get_if<TensorPtr>(&attribute.held)) *tensor = map(*tensor, holder);
  if (auto* tensors = std::get_if<std::vector<TensorPtr>>(&attribute.held)) {
    for (TensorPtr& tensor : *tensors) tensor = map(tensor, holder);
  }
  if (auto* sparse = std::get_if<SparseTensorPtr>(&attribute.held))
    *sparse = map_sparse(*sparse, holder, map);
  if (auto* sparses = std::get_if<std::vector<SparseTensorPtr>>(&attribute.held)) {
    for (SparseTensorPtr& sparse : *sparses) sparse = map_sparse(sparse, holder, map);
  }
}

void map_graph_tensors(Graph& graph, const Map& map) {
  for (Value* value : graph.values()) {
    if (value->initializer()) graph.set_initializer(*value, map(value->initializer(), nullptr));
    if (value->sparse_initializer()) {
      graph.set_sparse_initializer(*value, map_sparse(value->sparse_initializer(), nullptr, map));
    }
  }
  for (Node& node : graph.nodes()) {
    for (Attribute& attribute : node.attributes) map_attribute(attribute, &node, map);
  }
}

}  // namespace

std::int64_t Model::opset(std::string_view domain_name) const {
  for (const OpsetImport& import : opsets) {
    if (same_domain(import.domain, domain_name)) return import.version;
  }
  return 0;
}

void Model::set_opset(std::string_view domain_name, std::int64_t version) {
  for (OpsetImport& import : opsets) {
    if (!same_domain(import.domain, domain_name)) continue;
    import.version = version;
    return;
  }
  opsets.push_back({std::string(domain_name), version, {}});
}

void for_each_graph(const Model& model, const Visit& visit) {
  visit_graphs(*model.graph, visit);
  for (const Function& function : model.functions) visit_graphs(*function.body, visit);
}

void map_tensors(Model& model, const Map& map) {
  for_each_graph(model, [&](Graph& graph) { map_graph_tensors(graph, map); });
  for (Function& function : model.functions) {
    for (Attribute& attribute : function.attribute_defaults) map_attribute(attribute, nullptr, map);
  }
}

void for_each_tensor(const Model& model,
                     const std::function<void(const TensorPtr&, const Node*)>& visit) {
  const Map keep = [&](const TensorPtr& tensor, const Node* holder) {
    visit(tensor, holder);
    return tensor;
  };
  // Mapping every tensor to itself changes nothing, so this is a read; one walk serves both.
  map_tensors(const_cast<Model&>(model), keep);
}

}  // namespace hone
