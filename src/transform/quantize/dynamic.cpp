#include "transform/quantize/dynamic.h"

#include <cstring>
#include <map>

#include "base/misuse.h"
#include "model/edit.h"
#include "transform/quantize/tensors.h"

namespace hone {
namespace {

Status check(const Model& model, const DynamicOptions& options) {
  for (const ElementType type : {options.weight_type, options.filter_type}) {
    if (type == ElementType::int8 || type == ElementType::uint8) continue;
    return misuse(
        "weights of type " + name_of(type) + " are not possible with dynamic quantization",
        "int8 and uint8 are");
  }
  if (model.opset() < 11) {
    return fail(Fault::unsupported,
                "opset " + std::to_string(model.opset()) + " has no DynamicQuantizeLinear", {},
                "convert the model to opset 11 or later first");
  }
  return done();
}

// [N, K] as [K, N].
Result<TensorPtr> transposed(const Tensor& tensor) {
  HONE_TRY(const std::string_view bytes, tensor.bytes());
  const auto rows = static_cast<std::size_t>(tensor.dims[0]);
  const auto columns = static_cast<std::size_t>(tensor.dims[1]);
  std::string turned(bytes.size(), '\0');
  constexpr std::size_t width = sizeof(float);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      std::memcpy(turned.data() + (column * rows + row) * width,
                  bytes.data() + (row * columns + column) * width, width);
    }
  }
  return make_tensor(tensor.name, tensor.type, {tensor.dims[1], tensor.dims[0]},
                     Blob::own(std::move(turned)));
}

// A quantized value with what it takes to read it.
struct Quantized {
  Value* value = nullptr;
  Value* scale = nullptr;
  Value* zero_point = nullptr;
};

// A node whose product is computed in integers.
struct Product {
  Node* node = nullptr;
  Value* weight = nullptr;
  TensorPtr tensor;
  bool transposed = false;
  std::string_view op;
  ElementType type = ElementType::undefined;  // of the integers
};

class DynamicQuantizer {
 public:
  DynamicQuantizer(Model& model, const DynamicOptions& options)
      : rewriter_(model), options_(options) {}

  Result<DynamicReport> run() {
    for (const ConstantMatMul& matmul : find_constant_matmuls(rewriter_, options_.takes)) {
      HONE_TRY_DO(quantize_matmul(matmul));
    }
    for (Node* conv : rewriter_.nodes("Conv")) HONE_TRY_DO(quantize_conv(*conv));
    Graph& graph = *rewriter_.model().graph;
    remove_dead_nodes(graph);
    remove_unused_initializers(graph);
    // A Conv and a MatMul behind it may share what quantizes their input.
    HONE_TRY_DO(sort_topologically(graph));
    report_.left_alone = rewriter_.take_declined();
    return std::move(report_);
  }

 private:
  Status quantize_matmul(const ConstantMatMul& matmul) {
    if (matmul.tensor->type != ElementType::float32) {
      return declined(*matmul.node, "its weight is of type " + name_of(matmul.tensor->type));
    }
    const Product product{matmul.node,       matmul.weight,   matmul.tensor,
                          matmul.transposed, "MatMulInteger", options_.weight_type};
    std::optional<std::size_t> axis;
    // MatMulInteger takes a zero point per column of a matrix, not of a stack of them.
    if (options_.per_channel && matmul.tensor->dims.size() == 2) axis = 1;
    HONE_TRY(Node * scaled, multiply(product, axis));
    put_in_place(matmul, *scaled);
    ++report_.matmuls;
    return done();
  }

  Status quantize_conv(Node& conv) {
    const std::string reason = why_not(conv);
    if (!reason.empty()) return declined(conv, reason);
    const Product product{&conv, conv.input(1), conv.input(1)->constant(),
                          false, "ConvInteger", options_.filter_type};
    HONE_TRY(Node * scaled, multiply(product, std::nullopt));
    const ConstantMatMul place{.node = &conv,
                               .weight = product.weight,
                               .tensor = product.tensor,
                               .bias = conv.input(2) ? &bias_of(conv, *product.tensor) : nullptr};
    put_in_place(place, *scaled);
    ++report_.convolutions;
    return done();
  }

  std::string why_not(const Node& conv) const {
    if (options_.takes && !options_.takes(conv)) return "it was not selected";
    const TensorPtr filter = conv.input(1) != nullptr ? conv.input(1)->constant() : nullptr;
    if (!filter) return "its filter is no constant";
    if (filter->type != ElementType::float32) {
      return "its filter is of type " + name_of(filter->type);
    }
    if (filter->dims.size() < 3 || filter->element_count() == 0) return "its filter is empty";
    return {};
  }

  Status declined(const Node& node, std::string reason) {
    rewriter_.decline(node, std::move(reason));
    return done();
  }

  // x * w in integers, as floats again: what comes back makes the product.
  Result<Node*> multiply(const Product& product, std::optional<std::size_t> axis) {
    Node& node = *product.node;
    HONE_TRY(const Quantized* weight, quantized_weight(product, axis));
    const Quantized& input = quantized_input(node);
    const std::string name = node.name.empty() ? std::string() : node.name + "_quant";
    const std::string output = node.output(0)->name() + "_output_quantized";
    Node& integers =
        make(node, std::string(product.op),
             {input.value, weight->value, input.zero_point, weight->zero_point}, output, name);
    if (product.op == "ConvInteger") integers.attributes = std::move(node.attributes);
    node.attributes.clear();
    Node& cast =
        make(node, "Cast", {integers.output(0)}, output + "_cast_output", output + "_cast");
    cast.set_attribute(make_attribute("to", static_cast<std::int64_t>(ElementType::float32)));
    Node& scale = make(node, "Mul", {input.scale, weight->scale}, output + "_scale",
                       name.empty() ? name : name + "_scales_mul");
    return &make(node, "Mul", {cast.output(0), scale.output(0)}, node.output(0)->name() + "_MatMul",
                 name.empty() ? name : name + "_output_scale_mul");
  }

  Node& make(const Node& position, std::string op, std::vector<Value*> inputs,
             const std::string& output, std::string name) {
    Graph& graph = position.graph();
    Node& node =
        graph.insert_before(position, std::move(op), std::move(inputs), {&graph.add_value(output)});
    node.name = std::move(name);
    return node;
  }

  // The bias of a Conv belongs to the second dimension of what it makes.
  Value& bias_of(const Node& conv, const Tensor& filter) {
    std::vector<std::int64_t> shape(filter.dims.size(), 1);
    shape[1] = -1;
    const std::string& name = conv.output(0)->name();
    Value& wanted =
        conv.graph().add_initializer(make_int64_tensor(name + "_bias_reshape_shape", shape));
    return *make(conv, "Reshape", {conv.input(2), &wanted}, name + "_bias_reshape_output", "")
                .output(0);
  }

  // One DynamicQuantizeLinear for all that take the value in one graph.
  const Quantized& quantized_input(const Node& node) {
    Value& input = *node.input(0);
    const auto key = std::pair(&input, &node.graph());
    if (const auto known = inputs_.find(key); known != inputs_.end()) return known->second;
    Graph& graph = node.graph();
    const Quantized made{&graph.add_value(input.name() + "_quantized"),
                         &graph.add_value(input.name() + "_scale"),
                         &graph.add_value(input.name() + "_zero_point")};
    graph
        .insert_before(node, "DynamicQuantizeLinear", {&input},
                       {made.value, made.scale, made.zero_point})
        .name = input.name() + "_QuantizeLinear";
    ++report_.activations;
    return inputs_.emplace(key, made).first->second;
  }

  Result<const Quantized*> quantized_weight(const Product& product,
                                            std::optional<std::size_t> axis) {
    const auto key = std::tuple(product.weight, product.transposed, axis.has_value(), product.type);
    if (const auto known = weights_.find(key); known != weights_.end()) return &known->second;
    TensorPtr tensor = product.tensor;
    if (product.transposed) {
      HONE_TRY(tensor, transposed(*tensor));
    }
    HONE_TRY(const std::vector<RealRange> ranges, ranges_of(*tensor, axis));

    // As in ONNX Runtime's tools: signed weights are symmetric, unsigned ones are not.
    const ScaleRules rules{.type = product.type,
                           .symmetric = product.type == ElementType::int8,
                           .reduced = options_.reduced};
    TensorScales scales;
    scales.type = product.type;
    scales.axis = axis;
    for (const RealRange& range : ranges) {
      const Scale scale = scale_for(range, rules);
      scales.scales.push_back(scale.scale);
      scales.zero_points.push_back(scale.zero_point);
    }
    const std::string& name = product.weight->name();
    HONE_TRY(TensorPtr integers, quantize_tensor(*tensor, scales, name + "_quantized"));
    ++report_.weights;
    report_.bytes_before += tensor->byte_size();
    const Quantized made{&add(product, std::move(integers)),
                         &add(product, make_float_tensor(name + "_scale", scales.scales, !axis)),
                         &add(product, zero_points(name + "_zero_point", scales))};
    return &weights_.emplace(key, made).first->second;
  }

  static TensorPtr zero_points(std::string name, const TensorScales& scales) {
    std::string bytes;
    for (const std::int32_t zero_point : scales.zero_points) {
      bytes.push_back(static_cast<char>(zero_point));
    }
    std::vector<std::int64_t> dims;
    if (scales.axis) dims.push_back(static_cast<std::int64_t>(bytes.size()));
    return make_tensor(std::move(name), scales.type, std::move(dims), Blob::own(std::move(bytes)));
  }

  // In the graph of the weight, so that every graph that saw the weight sees it.
  Value& add(const Product& product, TensorPtr tensor) {
    report_.bytes_after += tensor->byte_size();
    return product.weight->graph().add_initializer(std::move(tensor));
  }

  Rewriter rewriter_;
  const DynamicOptions& options_;
  DynamicReport report_;
  std::map<std::pair<const Value*, const Graph*>, Quantized> inputs_;
  std::map<std::tuple<const Value*, bool, bool, ElementType>, Quantized> weights_;
};

}  // namespace

Result<DynamicReport> quantize_dynamic(Model& model, const DynamicOptions& options) {
  HONE_TRY_DO(check(model, options));
  return DynamicQuantizer(model, options).run();
}

}  // namespace hone
