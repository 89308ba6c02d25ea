// Operators that compute: what their weights say about the dimensions they meet.

#include <algorithm>
#include <array>
#include <span>

#include "runtime/dim_rules.h"

namespace hone {
namespace {

std::int64_t at_or(const std::optional<std::vector<std::int64_t>>& numbers, std::size_t index,
                   std::int64_t otherwise) {
  return numbers && index < numbers->size() ? (*numbers)[index] : otherwise;
}

constexpr std::size_t no_input = 99;

DimSystem::Id slide(DimTracer& tracer, const Node& node, DimSystem::Id in, std::size_t axis,
                    std::size_t axes, std::int64_t extent) {
  const auto strides = ints_of(node, "strides", no_input);
  const auto pads = ints_of(node, "pads", no_input);
  DimSystem::Window window;
  window.stride = at_or(strides, axis, 1);
  const std::int64_t dilation = at_or(ints_of(node, "dilations", no_input), axis, 1);
  window.extent = (extent - 1) * dilation + 1;
  window.pad = at_or(pads, axis, 0) + at_or(pads, axis + axes, 0);
  if (node.string_or("auto_pad", "").starts_with("SAME"))
    window = {window.stride, window.stride, window.stride - 1};
  if (node.int_or("ceil_mode", 0) != 0) window.pad += window.stride - 1;
  const DimSystem::Id out = tracer.system.open();
  tracer.system.add_window(out, in, window);
  return out;
}

void convolve(DimTracer& tracer, const Node& node, std::size_t weight_index) {
  const DimIds* weight = tracer.shape(node.input(weight_index));
  if (weight == nullptr || weight->size() < 3) return;
  const DimIds& kernel = *weight;
  const DimIds* found = tracer.shape(node.input(0));
  if (found == nullptr || found->size() != kernel.size()) return;
  const DimIds& in = *found;
  if (const auto per_group = tracer.system.size(kernel[1]))
    tracer.system.equate(in[1], tracer.system.known(*per_group * node.int_or("group", 1)));
  DimIds out = {in[0], kernel[0]};
  const std::size_t axes = in.size() - 2;
  for (std::size_t i = 0; i < axes; ++i) {
    const auto extent = tracer.system.size(kernel[i + 2]);
    out.push_back(extent ? slide(tracer, node, in[i + 2], i, axes, *extent) : tracer.system.open());
  }
  tracer.set_shape(node.output(0), std::move(out));
}

void convolution(DimTracer& tracer, const Node& node) { convolve(tracer, node, 1); }
void quantized_convolution(DimTracer& tracer, const Node& node) { convolve(tracer, node, 3); }

void transposed_convolution(DimTracer& tracer, const Node& node) {
  const DimIds* weight = tracer.shape(node.input(1));
  if (weight == nullptr || weight->size() < 3) return;
  const DimIds& kernel = *weight;
  const DimIds* found = tracer.shape(node.input(0));
  if (found == nullptr || found->size() != kernel.size()) return;
  const DimIds& in = *found;
  tracer.system.equate(in[1], kernel[0]);
  const auto per_group = tracer.system.size(kernel[1]);
  DimIds out = {in[0], per_group ? tracer.system.known(*per_group * node.int_or("group", 1))
                                 : tracer.system.open()};
  while (out.size() < in.size()) out.push_back(tracer.system.open());
  tracer.set_shape(node.output(0), std::move(out));
}

void pool(DimTracer& tracer, const Node& node) {
  const DimIds* found = tracer.shape(node.input(0));
  const auto extents = ints_of(node, "kernel_shape", no_input);
  if (found == nullptr || found->size() < 3 || !extents) return;
  const DimIds& in = *found;
  DimIds out = {in[0], in[1]};
  const std::size_t axes = in.size() - 2;
  for (std::size_t i = 0; i < axes; ++i)
    out.push_back(slide(tracer, node, in[i + 2], i, axes, at_or(extents, i, 1)));
  tracer.set_shape(node.output(0), std::move(out));
}

void global_pool(DimTracer& tracer, const Node& node) {
  const DimIds* found = tracer.shape(node.input(0));
  if (found == nullptr || found->size() < 2) return;
  DimIds out = *found;
  for (std::size_t i = 2; i < out.size(); ++i) out[i] = tracer.system.known(1);
  tracer.set_shape(node.output(0), std::move(out));
}

void multiply(DimTracer& tracer, const Node& node, std::size_t second) {
  const DimIds* left = tracer.shape(node.input(0));
  if (left == nullptr || left->empty()) return;
  const DimIds& a = *left;
  const DimIds* right = tracer.shape(node.input(second));
  if (right == nullptr || right->empty()) return;
  const DimIds& b = *right;
  const DimSystem::Id inner = b.size() == 1 ? b[0] : b[b.size() - 2];
  tracer.system.equate(a.back(), inner);
  if (a.size() < 2 || b.size() < 2) return;
  DimIds out = broadcast(tracer, DimIds(a.begin(), a.end() - 2), DimIds(b.begin(), b.end() - 2));
  out.push_back(a[a.size() - 2]);
  out.push_back(b.back());
  tracer.set_shape(node.output(0), std::move(out));
}

void matmul(DimTracer& tracer, const Node& node) { multiply(tracer, node, 1); }
void quantized_matmul(DimTracer& tracer, const Node& node) { multiply(tracer, node, 3); }

void packed_matmul(DimTracer& tracer, const Node& node) {
  const DimIds* found = tracer.shape(node.input(0));
  if (found == nullptr || found->empty()) return;
  DimIds out = *found;
  tracer.system.equate(out.back(), tracer.system.known(node.int_or("K", -1)));
  out.back() = tracer.system.known(node.int_or("N", -1));
  tracer.set_shape(node.output(0), std::move(out));
}

void gemm(DimTracer& tracer, const Node& node) {
  const DimIds* left = tracer.shape(node.input(0));
  if (left == nullptr || left->size() != 2) return;
  const DimIds& a = *left;
  const DimIds* right = tracer.shape(node.input(1));
  if (right == nullptr || right->size() != 2) return;
  const DimIds& b = *right;
  const bool turns_a = node.int_or("transA", 0) != 0;
  const bool turns_b = node.int_or("transB", 0) != 0;
  tracer.system.equate(a[turns_a ? 0 : 1], b[turns_b ? 1 : 0]);
  tracer.set_shape(node.output(0), {a[turns_a ? 1 : 0], b[turns_b ? 0 : 1]});
}

// Where the dimensions of a recurrent network stand, by its `layout`.
struct RecurrentPlaces {
  std::size_t sequence, batch, state_batch, state_directions;
};

void recurrent(DimTracer& tracer, const Node& node) {
  const DimIds* w = tracer.shape(node.input(1));
  if (w == nullptr || w->size() != 3) return;
  const DimIds& weight = *w;
  const DimIds* r = tracer.shape(node.input(2));
  if (r == nullptr || r->size() != 3) return;
  const DimSystem::Id directions = weight[0];
  const DimSystem::Id hidden = tracer.system.known(node.int_or("hidden_size", -1));
  tracer.system.equate(hidden, (*r)[2]);
  const RecurrentPlaces at =
      node.int_or("layout", 0) == 0 ? RecurrentPlaces{0, 1, 1, 0} : RecurrentPlaces{1, 0, 0, 1};
  const DimIds* x = tracer.shape(node.input(0));
  const bool is_known = x != nullptr && x->size() == 3;
  const DimSystem::Id sequence = is_known ? (*x)[at.sequence] : tracer.system.open();
  const DimSystem::Id batch = is_known ? (*x)[at.batch] : tracer.system.open();
  // DynamicQuantizeLSTM has its weights the other way round, and [directions, input, 4 * hidden].
  const bool is_turned = node.op_type == "DynamicQuantizeLSTM";
  if (is_known) tracer.system.equate((*x)[2], weight[is_turned ? 1 : 2]);
  for (const std::size_t state : {std::size_t{5}, std::size_t{6}}) {
    const DimIds* held = tracer.shape(node.input(state));
    if (held == nullptr || held->size() != 3) continue;
    const DimIds& dims = *held;
    tracer.system.equate(dims[at.state_directions], directions);
    tracer.system.equate(dims[at.state_batch], batch);
    if (!is_turned) tracer.system.equate(dims[2], hidden);
  }
  DimIds last(3, hidden);
  last[at.state_directions] = directions;
  last[at.state_batch] = batch;
  const DimIds all = at.batch == 1 ? DimIds{sequence, directions, batch, hidden}
                                   : DimIds{batch, sequence, directions, hidden};
  tracer.set_shape(node.output(0), all);
  tracer.set_shape(node.output(1), last);
  tracer.set_shape(node.output(2), last);
}

// com.microsoft's operators among ONNX's.
constexpr auto rules = std::to_array<DimRuleRow>({
    {"AveragePool", pool},
    {"Conv", convolution},
    {"ConvInteger", convolution},
    {"ConvTranspose", transposed_convolution},
    {"DynamicQuantizeLSTM", recurrent},
    {"DynamicQuantizeMatMul", matmul},
    {"FusedConv", convolution},
    {"GRU", recurrent},
    {"Gemm", gemm},
    {"GlobalAveragePool", global_pool},
    {"GlobalMaxPool", global_pool},
    {"LSTM", recurrent},
    {"MatMul", matmul},
    {"MatMulInteger", matmul},
    {"MatMulIntegerToFloat", matmul},
    {"MatMulNBits", packed_matmul},
    {"MaxPool", pool},
    {"QLinearConv", quantized_convolution},
    {"QLinearMatMul", quantized_matmul},
    {"RNN", recurrent},
});

}  // namespace

DimRule find_dim_rule(const Node& node) {
  if (!node.is_default_domain() && node.domain != "com.microsoft") return nullptr;
  const std::string_view op = node.op_type;
  const auto row = std::ranges::find(rules, op, &DimRuleRow::op);
  if (row != rules.end()) return row->rule;
  for (const auto find : {find_elementwise_rule, find_attention_rule, find_layout_rule}) {
    if (const DimRule rule = find(op)) return rule;
  }
  return nullptr;
}

}  // namespace hone
