#include "model/fingerprint.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "model/edit.h"

namespace hone {
namespace {

// Every value gets a digest of how it is computed: a Merkle hash over the graph. Names never enter;
// where a name carries meaning (two dimensions called N are equal) its order of appearance does.
class Fingerprinter {
 public:
  Fingerprinter(const Model& model, bool with_content)
      : model_(model), with_content_(with_content) {}

  // REQUIRES: before run().
  void tell(const ByteProgress& progress) {
    progress_ = progress;
    for_each_tensor(
        model_, [&](const TensorPtr& tensor, const Node*) { total_bytes_ += tensor->byte_size(); });
  }

  Digest run() {
    for (const Function& function : model_.functions) note_domains(*function.body);
    note_domains(*model_.graph);
    Sha256 hash;
    for (const auto& [domain, version] : used_opsets()) hash.add_field(domain).add_number(version);
    return hash.add(digest_of(*model_.graph).view()).finish();
  }

  const std::optional<Error>& error() const { return error_; }

 private:
  static std::string normal_domain(std::string_view domain) {
    return domain == "ai.onnx" ? std::string() : std::string(domain);
  }

  void note_domains(const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      domains_.insert(normal_domain(node.domain));
      for (const Graph* subgraph : node.subgraphs()) note_domains(*subgraph);
    }
  }

  // A domain that is imported but not used says nothing about the model.
  std::map<std::string, std::uint64_t> used_opsets() const {
    std::map<std::string, std::uint64_t> used;
    for (const std::string& domain : domains_)
      used[domain] = static_cast<std::uint64_t>(model_.opset(domain));
    return used;
  }

  Digest digest_of(const Type& type) {
    Sha256 hash;
    hash.add_number(static_cast<std::uint64_t>(type.kind))
        .add_number(static_cast<std::uint64_t>(type.element));
    hash.add_field(type.opaque_domain).add_field(type.opaque_name);
    hash.add_number(type.shape ? type.shape->size() + 1 : 0);
    if (type.shape) {
      for (const Dim& dim : *type.shape) add_dim(hash, dim);
    }
    if (type.inner) hash.add(digest_of(*type.inner).view());
    return hash.finish();
  }

  void add_dim(Sha256& hash, const Dim& dim) {
    if (dim.value) {
      hash.add("n").add_number(static_cast<std::uint64_t>(*dim.value));
    } else if (!dim.symbol.empty()) {
      hash.add("s").add_number(symbols_.emplace(dim.symbol, symbols_.size()).first->second);
    } else {
      hash.add("?");
    }
  }

  static void add_shape(Sha256& hash, ElementType type, const std::vector<std::int64_t>& dims) {
    hash.add_number(static_cast<std::uint64_t>(type)).add_number(dims.size());
    for (const std::int64_t dim : dims) hash.add_number(static_cast<std::uint64_t>(dim));
  }

  Digest digest_of(const Tensor& tensor, bool with_bytes) {
    Sha256 hash;
    add_shape(hash, tensor.type, tensor.dims);
    if (!with_bytes) return hash.finish();
    for (const std::string& text : tensor.strings) hash.add_field(text);
    const auto bytes = tensor.bytes();
    if (bytes) {
      hash.add_field(*bytes);
    } else if (with_content_) {
      if (!error_) error_ = bytes.error();
    }
    return hash.finish();
  }

  Digest digest_of(const SparseTensor& tensor, bool with_bytes) {
    Sha256 hash;
    add_shape(hash, tensor.values->type, tensor.dims);
    hash.add(digest_of(*tensor.values, with_bytes).view());
    return hash.add(digest_of(*tensor.indices, with_bytes).view()).finish();
  }

  Digest digest_of_weight(const TensorPtr& tensor) {
    const auto known = weights_.find(tensor.get());
    if (known != weights_.end()) return known->second;
    const Digest digest = digest_of(*tensor, with_content_);
    if (progress_) progress_(done_bytes_ += tensor->byte_size(), total_bytes_);
    return weights_.emplace(tensor.get(), digest).first->second;
  }

  // The digest of what a value stands for before any node has run: an input, a weight, or nothing.
  Digest digest_of_source(const Graph& graph, const Value& value) {
    Sha256 hash;
    if (value.is_graph_input()) {
      const auto& inputs = graph.inputs();
      const auto index = std::find(inputs.begin(), inputs.end(), &value) - inputs.begin();
      hash.add("input")
          .add_number(static_cast<std::uint64_t>(index))
          .add(digest_of(value.type).view());
    }
    if (value.initializer()) hash.add("weight").add(digest_of_weight(value.initializer()).view());
    if (value.sparse_initializer()) {
      hash.add("sparse").add(digest_of(*value.sparse_initializer(), with_content_).view());
    }
    return hash.finish();
  }

  Digest digest_of(const Value* value) {
    if (value == nullptr) return {};
    const auto known = values_.find(value);
    return known == values_.end() ? sha256("undefined") : known->second;
  }

  struct AttributeHasher {
    Fingerprinter& self;
    Sha256& hash;
    bool is_weight;

    void operator()(std::monostate) const {}
    void operator()(float value) const {
      hash.add({reinterpret_cast<const char*>(&value), sizeof value});
    }
    void operator()(std::int64_t value) const {
      hash.add_number(static_cast<std::uint64_t>(value));
    }
    void operator()(const Blob& value) const { hash.add_field(value.view()); }
    void operator()(const TensorPtr& value) const {
      hash.add((is_weight ? self.digest_of_weight(value) : self.digest_of(*value, true)).view());
    }
    void operator()(const std::unique_ptr<Graph>& value) const {
      hash.add(self.digest_of(*value).view());
    }
    void operator()(const SparseTensorPtr& value) const {
      hash.add(self.digest_of(*value, !is_weight || self.with_content_).view());
    }
    void operator()(const Type& value) const { hash.add(self.digest_of(value).view()); }
    template <class T>
    void operator()(const std::vector<T>& values) const {
      hash.add_number(values.size());
      for (const T& value : values) (*this)(value);
    }
  };

  Digest digest_of(const Attribute& attribute, bool is_weight) {
    Sha256 hash;
    hash.add_field(attribute.name).add_number(static_cast<std::uint64_t>(attribute.type()));
    hash.add_field(attribute.reference);
    std::visit(AttributeHasher{*this, hash, is_weight}, attribute.held);
    return hash.finish();
  }

  Digest digest_of(const Node& node) {
    Sha256 hash;
    hash.add_field(normal_domain(node.domain)).add_field(node.op_type).add_field(node.overload);
    if (const Function* function = function_called(node)) hash.add(digest_of(*function).view());
    hash.add_number(node.inputs().size());
    for (const Value* input : node.inputs()) hash.add(digest_of(input).view());
    hash.add_number(node.outputs().size());
    for (const Value* output : node.outputs()) hash.add(output ? "o" : "-");
    std::map<std::string, Digest> attributes;
    for (const Attribute& attribute : node.attributes) {
      attributes[attribute.name] = digest_of(attribute, node.is("Constant"));
    }
    for (const auto& [name, digest] : attributes) hash.add(digest.view());
    return hash.finish();
  }

  const Function* function_called(const Node& node) const {
    for (const Function& function : model_.functions) {
      if (function.name == node.op_type && function.overload == node.overload &&
          normal_domain(function.domain) == normal_domain(node.domain)) {
        return &function;
      }
    }
    return nullptr;
  }

  Digest digest_of(const Function& function) {
    const auto [known, is_new] = functions_.emplace(&function, Digest{});
    // A function that calls itself is not valid ONNX, but must not hang us: inside, it counts as
    // the zero digest.
    if (is_new) known->second = digest_of(*function.body);
    return functions_.at(&function);
  }

  Digest digest_of(Graph& graph) {
    std::vector<Digest> parts;
    for (const Value* input : graph.inputs()) values_[input] = digest_of_source(graph, *input);
    for (const Value* value : graph.values()) {
      if (value->is_graph_input() || (!value->initializer() && !value->sparse_initializer()))
        continue;
      parts.push_back(values_[value] = digest_of_source(graph, *value));
    }
    auto order = topological_order(graph);
    for (const Node* node : order ? *order : graph.node_list()) {
      const Digest digest = digest_of(*node);
      parts.push_back(digest);
      for (const Value* output : node->outputs()) {
        if (output == nullptr) continue;
        values_[output] = Sha256().add(digest.view()).add_number(output->output_index()).finish();
      }
    }
    // The parts in sorted order: everything in the graph counts, dead nodes too, and how often, but
    // not where.
    std::sort(parts.begin(), parts.end());
    Sha256 hash;
    hash.add_number(graph.inputs().size());
    for (const Value* input : graph.inputs()) hash.add(digest_of(input).view());
    hash.add_number(graph.outputs().size());
    for (const Value* output : graph.outputs()) hash.add(digest_of(output).view());
    for (const Digest& part : parts) hash.add(part.view());
    return hash.finish();
  }

  const Model& model_;
  bool with_content_;
  ByteProgress progress_;
  std::uint64_t done_bytes_ = 0;
  std::uint64_t total_bytes_ = 0;
  std::optional<Error> error_;
  std::set<std::string> domains_;
  std::map<std::string, std::size_t> symbols_;
  std::unordered_map<const Value*, Digest> values_;
  std::unordered_map<const Tensor*, Digest> weights_;
  std::unordered_map<const Function*, Digest> functions_;
};

}  // namespace

Digest structure_fingerprint(const Model& model) { return Fingerprinter(model, false).run(); }

Result<Digest> content_fingerprint(const Model& model, const ByteProgress& progress) {
  Fingerprinter fingerprinter(model, true);
  if (progress) fingerprinter.tell(progress);
  const Digest digest = fingerprinter.run();
  if (fingerprinter.error()) return fail(*fingerprinter.error());
  return digest;
}

}  // namespace hone
