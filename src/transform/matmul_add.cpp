#include "transform/matmul_add.h"

#include "transform/patterns.h"

namespace hone {
namespace {

using Dims = std::vector<std::int64_t>;

std::optional<MatMulAdd> layer_of(Node& matmul) {
  const auto weight_shape = static_shape(matmul.input(1));
  Node* add = only_consumer(*matmul.output(0));
  if (!weight_shape || weight_shape->size() != 2 || add == nullptr || !add->is("Add")) {
    return std::nullopt;
  }
  Value* input = matmul.input(0);
  Value* bias = other_operand(*add, *matmul.output(0));
  if (!rank_of(input) || input->constant()) return std::nullopt;
  if (static_shape(bias) != Dims{weight_shape->at(1)}) return std::nullopt;
  return MatMulAdd{.matmul = &matmul,
                   .add = add,
                   .input = input,
                   .weight = matmul.input(1),
                   .bias = bias,
                   .shape = *input->type.shape,
                   .features_in = weight_shape->at(0),
                   .features_out = weight_shape->at(1)};
}

}  // namespace

std::vector<MatMulAdd> find_matmul_adds(const Rewriter& rewriter, std::size_t least_rank,
                                        std::size_t most_rank) {
  std::vector<MatMulAdd> layers;
  for (Node* matmul : rewriter.nodes("MatMul")) {
    auto layer = layer_of(*matmul);
    if (!layer || layer->shape.size() < least_rank || layer->shape.size() > most_rank) continue;
    layers.push_back(std::move(*layer));
  }
  return layers;
}

Value* convolution_weight(Rewriter& rewriter, const MatMulAdd& layer) {
  const TensorPtr tensor = layer.weight->constant();
  const auto numbers = tensor && is_float(tensor->type) ? doubles_of(layer.weight) : std::nullopt;
  if (!numbers) {
    rewriter.decline(*layer.matmul, "its second operand is no constant of floats");
    return nullptr;
  }
  const auto rows = static_cast<std::size_t>(layer.features_in);
  const auto columns = static_cast<std::size_t>(layer.features_out);
  std::vector<double> transposed(numbers->size());
  for (std::size_t i = 0; i < transposed.size(); ++i) {
    transposed[i] = (*numbers)[i % rows * columns + i / rows];
  }
  const TensorPtr weight = encode(layer.weight->name() + "_conv", tensor->type,
                                  {layer.features_out, layer.features_in, 1, 1}, transposed);
  if (weight) return &rewriter.add_constant(*layer.add, weight);
  rewriter.decline(*layer.matmul, "a weight is not finite");
  return nullptr;
}

Value& add_convolution(Rewriter& rewriter, const MatMulAdd& layer, Value& input, Value& weight) {
  NewNode conv{.op = "Conv", .inputs = {&input, &weight, layer.bias}};
  conv.attributes.push_back(make_attribute("kernel_shape", Attribute::Ints{1, 1}));
  if (input.type.shape) {
    conv.type = input.type;
    (*conv.type.shape)[1] = Dim{.value = layer.features_out};
  }
  return rewriter.add(*layer.add, std::move(conv));
}

}  // namespace hone
