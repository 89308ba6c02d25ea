//   Before:  W(int8) -> DequantizeLinear -> Gather -> y      W(int8) -> DequantizeLinear -> MatMul
//   After:   W(int8) -> Gather -> DequantizeLinear -> y      W(float) -> MatMul
//   Only the rows that are gathered are dequantized at a run, and what is used whole never again.
//   The floats are the same to the bit; a kernel may add up in another order what is a constant.
//   Declines in a QDQ group, which EPs run in integers, and where a scale for each row is gathered
//   by indices of more than one dimension.
#include <algorithm>

#include "model/elements.h"
#include "transform/pass.h"

namespace hone::passes {
namespace {

struct Dequantized {
  Node* node;
  TensorPtr weight;
  std::vector<double> scales;
  std::vector<double> zero_points;  // empty: 0
  std::size_t axis = 0;             // of more than one scale
  bool is_per_axis() const { return scales.size() > 1; }
};

// Null for elements of less than a byte.
TensorPtr transposed(const Tensor& tensor, const std::vector<std::int64_t>& perm) {
  const auto bytes = tensor.bytes();
  const std::uint64_t count = tensor.element_count();
  if (!bytes || count == 0 || tensor.byte_size() % count != 0) return nullptr;
  const std::size_t size = tensor.byte_size() / count;
  const std::size_t rank = perm.size();
  std::vector<std::int64_t> dims(rank);
  std::vector<std::size_t> steps(rank);  // in the source, for each axis of the result
  for (std::size_t i = 0; i < rank; ++i) {
    const auto axis = static_cast<std::size_t>(perm[i]);
    dims[i] = tensor.dims[axis];
    steps[i] = size;
    for (std::size_t k = axis + 1; k < rank; ++k) {
      steps[i] *= static_cast<std::size_t>(tensor.dims[k]);
    }
  }
  std::string made;
  made.reserve(bytes->size());
  std::vector<std::int64_t> index(rank);
  std::size_t at = 0;
  while (made.size() < bytes->size()) {
    made.append(*bytes, at, size);
    for (std::size_t i = rank; i-- > 0;) {
      at += steps[i];
      if (++index[i] < dims[i]) break;
      at -= steps[i] * static_cast<std::size_t>(dims[i]);
      index[i] = 0;
    }
  }
  return make_tensor(tensor.name, tensor.type, std::move(dims), Blob::own(std::move(made)));
}

// The constant, as it is or turned by a Transpose.
TensorPtr constant_behind(const Value* value) {
  if (value == nullptr) return nullptr;
  if (TensorPtr constant = value->constant()) return constant;
  const Node* turn = producer_of(value, "Transpose");
  const Value* data = turn != nullptr ? turn->input(0) : nullptr;
  const TensorPtr constant = data != nullptr ? data->constant() : nullptr;
  const auto perm = constant ? perm_of(*turn, constant->dims.size()) : std::nullopt;
  return perm ? transposed(*constant, *perm) : nullptr;
}

std::optional<Dequantized> read(Rewriter& rewriter, Node& node) {
  const TensorPtr weight = constant_behind(node.input(0));
  const auto scales = doubles_of(node.input(1));
  if (!weight || !scales || scales->empty()) return std::nullopt;
  Dequantized found{&node, weight, *scales, {}};
  if (node.input(2) != nullptr) {
    const auto zero_points = doubles_of(node.input(2));
    if (!zero_points || zero_points->size() != scales->size()) return std::nullopt;
    found.zero_points = *zero_points;
  }
  if (node.int_or("block_size", 0) != 0 || !holds_numbers(weight->type)) {
    rewriter.decline(node, "it is quantized in blocks, or of a type that is not read");
    return std::nullopt;
  }
  if (node.input(1)->constant()->type != ElementType::float32) {
    rewriter.decline(node, "its scale is not float32");
    return std::nullopt;
  }
  if (!found.is_per_axis()) return found;
  const auto axis = axis_of(node.int_or("axis", 1), weight->dims.size());
  const bool fits = axis && weight->dims[*axis] == static_cast<std::int64_t>(found.scales.size());
  if (!fits) return std::nullopt;
  found.axis = *axis;
  return found;
}

// --- QDQ groups

bool is_quantized_behind(const Node& node) {
  return std::ranges::any_of(node.outputs(), [](const Value* output) {
    return output != nullptr && std::ranges::any_of(output->uses(), [](const Use& use) {
             return use.node->is("QuantizeLinear");
           });
  });
}

bool only_moves(const Node& node) {
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"Transpose", "Reshape", "Squeeze", "Unsqueeze",
                                              "Flatten", "Identity"},
      [&](std::string_view op) { return node.is(op); });
}

// Whether the node computes on integers where an EP can: its other input is dequantized too, or its
// output is quantized.
bool is_in_group(const Node& node, const Value& weight, int depth = 0) {
  constexpr int deepest = 8;
  if (node.is("QuantizeLinear") || is_quantized_behind(node)) return true;
  for (const Value* input : node.inputs()) {
    if (input == &weight) continue;
    const Node* before = producer_of(input, "DequantizeLinear");
    if (before != nullptr && before->input(0) != nullptr && !before->input(0)->constant()) {
      return true;
    }
  }
  if (!only_moves(node) || depth == deepest) return false;
  return std::ranges::any_of(node.output(0)->uses(), [&](const Use& use) {
    return is_in_group(*use.node, *node.output(0), depth + 1);
  });
}

// --- Rows

bool takes_rows(const Use& use) {
  return use.node->is("Gather") && use.index == 0 && use.node->output(0) != nullptr;
}

// What a rewrite has left without users goes at the end of the pass.
bool is_left_over(const Node& node) {
  return std::ranges::none_of(
      node.outputs(), [](const Value* output) { return output != nullptr && output->is_used(); });
}

// Where the axis of the scales is in what is gathered; nothing when they are gathered as well and
// cannot be.
std::optional<std::size_t> axis_behind(const Dequantized& from, std::size_t gathered,
                                       std::optional<std::size_t> rank_of_indices) {
  if (!from.is_per_axis() || from.axis < gathered) return from.axis;
  if (!rank_of_indices) return std::nullopt;
  if (from.axis > gathered) return from.axis - 1 + *rank_of_indices;
  return *rank_of_indices == 1 ? std::optional(gathered) : std::nullopt;
}

Value& gather(Rewriter& rewriter, const Node& like, Value& data, std::int64_t axis) {
  NewNode made{.op = "Gather", .inputs = {&data, like.input(1)}};
  made.attributes.push_back(make_attribute("axis", axis));
  return rewriter.add(like, std::move(made));
}

void gather_first(Rewriter& rewriter, const Dequantized& from, Node& node) {
  const auto axis = axis_of(node.int_or("axis", 0), from.weight->dims.size());
  if (!axis || node.input(1) == nullptr) return;
  const auto behind = axis_behind(from, *axis, rank_of(node.input(1)));
  if (!behind) {
    return rewriter.decline(node, "each row has a scale, and the indices are not of one dimension");
  }
  const auto of_rows = static_cast<std::int64_t>(*axis);
  std::vector<Value*> inputs = from.node->inputs();
  inputs[0] = &gather(rewriter, node, *inputs[0], of_rows);
  const bool gathers_scales = from.is_per_axis() && from.axis == *axis;
  for (std::size_t i = 1; gathers_scales && i < inputs.size(); ++i) {
    if (inputs[i] != nullptr) inputs[i] = &gather(rewriter, node, *inputs[i], 0);
  }
  NewNode made{.op = "DequantizeLinear", .inputs = std::move(inputs)};
  if (from.is_per_axis()) {
    made.attributes.push_back(make_attribute("axis", static_cast<std::int64_t>(*behind)));
  }
  rewriter.replace(*node.output(0), rewriter.add(node, std::move(made)));
}

// --- The whole

// In float32, as the operator computes it.
TensorPtr in_float(const Dequantized& from) {
  const Tensor& weight = *from.weight;
  const auto bytes = weight.bytes();
  if (!bytes) return nullptr;
  std::vector<double> numbers(weight.element_count());
  decode_elements(weight.type, *bytes, numbers);
  std::size_t inner = 1;
  for (std::size_t i = from.axis + 1; i < weight.dims.size(); ++i) {
    inner *= static_cast<std::size_t>(weight.dims[i]);
  }
  std::string floats(numbers.size() * sizeof(float), '\0');
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::size_t channel = from.is_per_axis() ? i / inner % from.scales.size() : 0;
    const double zero = from.zero_points.empty() ? 0 : from.zero_points[channel];
    const float value =
        static_cast<float>(numbers[i] - zero) * static_cast<float>(from.scales[channel]);
    std::copy_n(reinterpret_cast<const char*>(&value), sizeof value,
                floats.data() + i * sizeof value);
  }
  return make_tensor(from.node->output(0)->name() + "_constant", ElementType::float32, weight.dims,
                     Blob::own(std::move(floats)));
}

// The floats of a constant, once for all branches that dequantize the same.
class Floats {
 public:
  // Null when the bytes are not there.
  Value* of(Rewriter& rewriter, const Dequantized& from) {
    const bool can_share = rewriter.model().ir_version >= 4;
    const auto same = std::ranges::find_if(
        made_, [&](const auto& one) { return can_share && is_same(one.first, from); });
    if (same != made_.end()) return same->second;
    const TensorPtr tensor = in_float(from);
    if (!tensor) return nullptr;
    // Where every branch sees it.
    Value& value = can_share ? rewriter.model().graph->add_initializer(tensor)
                             : rewriter.add_constant(*from.node, tensor);
    made_.emplace_back(from, &value);
    return &value;
  }

 private:
  static bool is_same(const Dequantized& a, const Dequantized& b) {
    return a.scales == b.scales && a.zero_points == b.zero_points && a.axis == b.axis &&
           a.weight->type == b.weight->type && a.weight->dims == b.weight->dims &&
           a.weight->dense.view() == b.weight->dense.view();
  }

  std::vector<std::pair<Dequantized, Value*>> made_;
};

// For those that use all of it.
void fold(Rewriter& rewriter, const Dequantized& from, Floats& all) {
  Value& output = *from.node->output(0);
  if (output.is_graph_output()) return;
  bool is_needed = false;
  for (const Use& use : output.uses()) {
    if (is_left_over(*use.node)) continue;
    if (takes_rows(use)) return;  // it was declined
    if (is_in_group(*use.node, output)) {
      return rewriter.decline(*from.node, "it is part of a QDQ group: an EP runs it in integers");
    }
    is_needed = true;
  }
  Value* floats = is_needed ? all.of(rewriter, from) : nullptr;
  if (floats != nullptr) rewriter.replace(output, *floats);
}

Status run(Rewriter& rewriter) {
  Floats floats;
  for (Node* node : rewriter.nodes("DequantizeLinear")) {
    if (node->is_removed()) continue;
    const auto from = read(rewriter, *node);
    if (!from) continue;
    const std::vector<Use> uses = node->output(0)->uses();
    for (const Use& use : uses) {
      const bool is_plain = node->input(0)->constant() != nullptr;
      if (is_plain && takes_rows(use) && !is_in_group(*use.node, *node->output(0))) {
        gather_first(rewriter, *from, *use.node);
      }
    }
    fold(rewriter, *from, floats);
  }
  return done();
}

}  // namespace

Pass constant_dequantize_folding() {
  return {.name = "constant-dequantize-folding",
          .summary = "Dequantize the gathered rows of a constant, or all of it ahead of time",
          .category = "quantization",
          .numerics = Numerics::close,
          .run = run,
          .detection = Detection{}};
}

}  // namespace hone::passes
