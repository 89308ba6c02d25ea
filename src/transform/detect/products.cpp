#include <algorithm>
#include <array>
#include <string_view>

#include "transform/affine.h"
#include "transform/detect/detectors.h"
#include "transform/match/motif.h"
#include "transform/matmul_add.h"
#include "transform/patterns.h"

namespace hone::detect {
namespace {

// What ONNX Runtime's FusedConv knows on every EP that has it.
constexpr std::array conv_activations = {std::string_view("Relu"), std::string_view("Sigmoid"),
                                         std::string_view("Tanh"), std::string_view("LeakyRelu"),
                                         std::string_view("Clip"), std::string_view("HardSigmoid")};
// And what FusedGemm and FusedMatMul know.
constexpr std::array gemm_activations = {
    std::string_view("Relu"),        std::string_view("Sigmoid"),
    std::string_view("Tanh"),        std::string_view("LeakyRelu"),
    std::string_view("Elu"),         std::string_view("Selu"),
    std::string_view("Softplus"),    std::string_view("Softsign"),
    std::string_view("HardSigmoid"), std::string_view("ThresholdedRelu")};

bool is_activation(const Node* node, std::span<const std::string_view> ops) {
  if (node == nullptr || std::ranges::none_of(ops, [&](auto op) { return node->is(op); })) {
    return false;
  }
  // The bounds of a Clip are inputs; only constants can become attributes.
  return std::ranges::all_of(node->inputs().begin() + 1, node->inputs().end(),
                             [](const Value* bound) { return !bound || bound->constant(); });
}

// The nodes of `op` whose result goes into one node alone that `holds` says yes to.
template <class Test>
Found followed(const Rewriter& model, std::string_view op, const Test& holds) {
  Found found;
  for (Node* node : model.nodes(op)) {
    Node* next = only_consumer(*node->output(0));
    if (next != nullptr && holds(*node, *next)) found.push_back(next);
  }
  return found;
}

bool has_constant_weights(const Node& conv) {
  return conv.input(1) != nullptr && conv.input(1)->constant() != nullptr;
}

// Whether `node` combines the result of the convolution with one number per channel.
bool is_per_channel(const Node& conv, const Node& node) {
  if (!has_constant_weights(conv)) return false;
  const auto& dims = conv.input(1)->constant()->dims;
  const auto operands = constant_operand(node);
  if (!operands || dims.size() < 3) return false;
  return per_channel(*operands->constant, Channels{.count = static_cast<std::size_t>(dims[0]),
                                                   .behind = dims.size() - 2,
                                                   .rank = dims.size()})
      .has_value();
}

bool swaps_last_two(const Node& transpose) {
  const auto rank = rank_of(transpose.input(0));
  const auto perm = rank && *rank >= 2 ? perm_of(transpose, *rank) : std::nullopt;
  if (!perm) return false;
  std::vector<std::int64_t> wanted(*rank);
  for (std::size_t i = 0; i < *rank; ++i) wanted[i] = static_cast<std::int64_t>(i);
  std::swap(wanted[*rank - 1], wanted[*rank - 2]);
  return *perm == wanted;
}

// Zeros around the last axes, as many as a convolution's attribute says.
bool is_zero_border(const Node& pad) {
  if (pad.string_or("mode", "constant") != "constant" || pad.input(3) != nullptr) return false;
  const bool is_zero =
      pad.input(2) == nullptr ? pad.float_or("value", 0) == 0 : scalar_of(pad.input(2)) == 0;
  const auto pads = ints_from(pad, "pads", 1);
  if (!is_zero || !pads || pads->size() % 2 != 0 || pads->size() < 6) return false;
  const std::size_t rank = pads->size() / 2;
  for (std::size_t i = 0; i < pads->size(); ++i) {
    const bool is_spatial = i % rank >= 2;
    if ((*pads)[i] < 0 || (!is_spatial && (*pads)[i] != 0)) return false;
  }
  return true;
}

bool is_scaling(const Node* node) { return node != nullptr && match_scaled(*node).has_value(); }

}  // namespace

Found matmul_add(const Rewriter& model) {
  constexpr std::size_t any_rank = 64;
  Found found;
  for (const MatMulAdd& layer : find_matmul_adds(model, 2, any_rank)) found.push_back(layer.add);
  return found;
}

Found matmul_add_of_one_open_dim(const Rewriter& model) {
  constexpr std::size_t any_rank = 64;
  Found found;
  for (const MatMulAdd& layer : find_matmul_adds(model, 2, any_rank)) {
    const auto open = std::ranges::count_if(layer.shape.begin(), layer.shape.end() - 1,
                                            [](const Dim& dim) { return !dim.value; });
    if (open <= 1) found.push_back(layer.add);
  }
  return found;
}

Found matmul_activation(const Rewriter& model) {
  return followed(model, "MatMul", [](const Node&, const Node& next) {
    return is_activation(&next, gemm_activations);
  });
}

Found matmul_transpose(const Rewriter& model) {
  Found found;
  for (Node* matmul : model.nodes("MatMul")) {
    const bool has_transpose = std::ranges::any_of(matmul->inputs(), [](const Value* operand) {
      const Node* transpose = producer_of(operand, "Transpose");
      return transpose != nullptr && swaps_last_two(*transpose) &&
             transpose->input(0)->constant() == nullptr && is_float(operand->type.element);
    });
    if (has_transpose) found.push_back(matmul);
  }
  return found;
}

Found matmul_scale(const Rewriter& model) {
  Found found;
  for (Node* matmul : model.nodes("MatMul")) {
    const bool is_before = std::ranges::any_of(matmul->inputs(), [&](const Value* operand) {
      return operand != nullptr && only_consumer(*operand) == matmul &&
             is_scaling(operand->producer());
    });
    if (is_before || is_scaling(only_consumer(*matmul->output(0)))) found.push_back(matmul);
  }
  return found;
}

Found gemm_activation(const Rewriter& model) {
  return followed(model, "Gemm", [](const Node&, const Node& next) {
    return is_activation(&next, gemm_activations);
  });
}

Found gemm_sum(const Rewriter& model) {
  return followed(model, "Gemm", [](const Node& gemm, const Node& next) {
    return gemm.input(2) == nullptr && next.is("Sum") && next.inputs().size() == 2;
  });
}

Found gemm_transpose(const Rewriter& model) {
  Found found;
  for (Node* gemm : model.nodes("Gemm")) {
    const auto is_turned = [](const Value* operand) {
      const Node* transpose = producer_of(operand, "Transpose");
      return transpose != nullptr && swaps_last_two(*transpose) &&
             transpose->input(0)->constant() == nullptr;
    };
    const Node* next = only_consumer(*gemm->output(0));
    if (is_turned(gemm->input(0)) || is_turned(gemm->input(1)) ||
        (next != nullptr && next->is("Transpose"))) {
      found.push_back(gemm);
    }
  }
  return found;
}

Found conv_batch_norm(const Rewriter& model) {
  return followed(model, "Conv", [](const Node& conv, const Node& next) {
    if (!next.is("BatchNormalization") || !has_constant_weights(conv)) return false;
    return std::ranges::all_of(next.inputs().begin() + 1, next.inputs().end(),
                               [](const Value* input) { return input && input->constant(); });
  });
}

Found conv_add(const Rewriter& model) {
  return followed(model, "Conv", [](const Node& conv, const Node& next) {
    return next.is("Add") && is_per_channel(conv, next);
  });
}

Found conv_mul(const Rewriter& model) {
  return followed(model, "Conv", [](const Node& conv, const Node& next) {
    return next.is("Mul") && is_per_channel(conv, next);
  });
}

Found conv_activation(const Rewriter& model) {
  return followed(model, "Conv", [](const Node&, const Node& next) {
    return is_activation(&next, conv_activations);
  });
}

Found conv_add_activation(const Rewriter& model) {
  Found found;
  const Found adds = followed(model, "Conv", [](const Node&, const Node& next) {
    return next.is("Add") && !constant_operand(next);
  });
  for (const Node* add : adds) {
    Node* next = only_consumer(*add->output(0));
    // An Add of two convolutions is found from both of them.
    const bool is_new = std::ranges::find(found, next) == found.end();
    if (is_new && is_activation(next, conv_activations)) found.push_back(next);
  }
  return found;
}

Found pad_conv(const Rewriter& model) {
  return followed(model, "Pad", [](const Node& pad, const Node& next) {
    return next.is("Conv") && next.input(0) == pad.output(0) &&
           next.string_or("auto_pad", "NOTSET") == "NOTSET" && is_zero_border(pad);
  });
}

}  // namespace hone::detect
