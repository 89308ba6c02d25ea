// Of Net: layers, by the name of their module.

#include <cmath>

#include "checkpoint/net.h"

namespace hone {
namespace {

using Ints = std::vector<std::int64_t>;

// What a convolution says besides its weights. The output of `rank` dimensions of space.
Attributes attributes_of(const Convolution& conv) {
  const std::size_t rank = conv.kernel.size();
  Ints pads = conv.padding.empty() ? Ints(rank, 0) : conv.padding;
  const Ints after = conv.padding_after.empty() ? pads : conv.padding_after;
  pads.insert(pads.end(), after.begin(), after.end());
  return {{"kernel_shape", conv.kernel},
          {"strides", conv.stride.empty() ? Ints(rank, 1) : conv.stride},
          conv.pads_to_same ? NetAttribute("auto_pad", "SAME_UPPER") : NetAttribute("pads", pads),
          {"dilations", conv.dilation.empty() ? Ints(rank, 1) : conv.dilation},
          {"group", conv.groups}};
}

Attributes pooling(Ints kernel, Ints stride, Ints padding) {
  Ints pads = padding.empty() ? Ints(kernel.size(), 0) : std::move(padding);
  const Ints after = pads;
  pads.insert(pads.end(), after.begin(), after.end());
  return {{"kernel_shape", std::move(kernel)},
          {"strides", std::move(stride)},
          {"pads", std::move(pads)}};
}

}  // namespace

Value* Net::times_transposed(Value* x, Value* weight) {
  Value*& turned = used_weights_[weight->name() + " transposed"];
  if (!turned) turned = transpose(weight, {1, 0});
  return matmul(x, turned);
}

Value* Net::linear(std::string_view module, Value* x, std::int64_t in, std::int64_t out,
                   bool bias) {
  const Scope scope = enter(module);
  Value* product = times_transposed(x, weight("weight", {out, in}));
  return bias ? add(product, weight("bias", {out})) : product;
}

Value* Net::linear_as_it_lies(std::string_view module, Value* x, std::int64_t in, std::int64_t out,
                              bool bias) {
  const Scope scope = enter(module);
  Value* product = matmul(x, weight("weight", {in, out}));
  return bias ? add(product, weight("bias", {out})) : product;
}

Value* Net::embedding(std::string_view module, Value* ids, std::int64_t count, std::int64_t width) {
  const Scope scope = enter(module);
  Value* table = raw_weight("weight", {count, width});
  Value* rows = gather(table, ids);
  const bool is_other = table->initializer() && table->initializer()->type != options_.type;
  return is_other ? to_float(rows) : rows;
}

Value* Net::layer_norm(std::string_view module, Value* x, std::int64_t width, double epsilon,
                       bool bias) {
  const Scope scope = enter(module);
  std::vector<Value*> inputs = {x, weight("weight", {width})};
  if (bias) inputs.push_back(weight("bias", {width}));
  return op("LayerNormalization", inputs, {{"axis", -1}, {"epsilon", epsilon}});
}

Value* Net::add_layer_norm(std::string_view module, Value* x, Value* residual, std::int64_t width,
                           double epsilon, Value** sum) {
  if (options_.form != GraphForm::contrib) {
    Value* both = add(x, residual);
    if (sum) *sum = both;
    return layer_norm(module, both, width, epsilon);
  }
  const Scope scope = enter(module);
  const std::vector<Value*> made = ops(
      "SkipLayerNormalization", {x, residual, weight("weight", {width}), weight("bias", {width})},
      sum ? 4 : 1, {{"epsilon", epsilon}}, "com.microsoft");
  if (sum) *sum = made[3];
  return made[0];
}

Value* Net::rms_norm(std::string_view module, Value* x, std::int64_t width, double epsilon,
                     double offset) {
  const Scope scope = enter(module);
  Value* scale = weight("weight", {width});
  if (offset != 0) scale = add(scale, offset);
  if (options_.form != GraphForm::standard) {
    const bool is_onnx = options_.form == GraphForm::onnx_attention;
    return op(is_onnx ? "RMSNormalization" : "SimplifiedLayerNormalization", {x, scale},
              {{"axis", -1}, {"epsilon", epsilon}});
  }
  const bool is_half = options_.type != ElementType::float32;
  Value* wide = is_half ? cast(x, ElementType::float32) : x;
  const auto constant_of = [&](double number) {
    return constant(make_float_tensor("epsilon", std::vector{static_cast<float>(number)}, true));
  };
  Value* squares = mean(mul(wide, wide), {-1});
  Value* length = op("Sqrt", {add(squares, is_half ? constant_of(epsilon) : real(epsilon))});
  Value* normal = div(wide, length);
  return mul(is_half ? to_float(normal) : normal, scale);
}

Value* Net::add_rms_norm(std::string_view module, Value* x, Value* residual, std::int64_t width,
                         double epsilon, double offset, Value** sum) {
  if (options_.form != GraphForm::contrib) {
    Value* both = add(x, residual);
    if (sum) *sum = both;
    return rms_norm(module, both, width, epsilon, offset);
  }
  const Scope scope = enter(module);
  Value* scale = weight("weight", {width});
  if (offset != 0) scale = add(scale, offset);
  const std::vector<Value*> made = ops("SkipSimplifiedLayerNormalization", {x, residual, scale},
                                       sum ? 4 : 1, {{"epsilon", epsilon}}, "com.microsoft");
  if (sum) *sum = made[3];
  return made[0];
}

Value* Net::convolution(std::string_view module, Value* x, const Convolution& conv) {
  const Scope scope = enter(module);
  const std::int64_t groups = conv.groups < 1 ? 1 : conv.groups;
  Ints dims = {conv.out, conv.in / groups};
  dims.insert(dims.end(), conv.kernel.begin(), conv.kernel.end());
  std::vector<Value*> inputs = {x, weight("weight", dims)};
  if (conv.bias) inputs.push_back(weight("bias", {conv.out}));
  return op("Conv", inputs, attributes_of(conv));
}

Value* Net::transposed_convolution(std::string_view module, Value* x, const Convolution& conv,
                                   const Ints& output_padding) {
  const Scope scope = enter(module);
  const std::int64_t groups = conv.groups < 1 ? 1 : conv.groups;
  Ints dims = {conv.in, conv.out / groups};
  dims.insert(dims.end(), conv.kernel.begin(), conv.kernel.end());
  std::vector<Value*> inputs = {x, weight("weight", dims)};
  if (conv.bias) inputs.push_back(weight("bias", {conv.out}));
  Attributes attributes = attributes_of(conv);
  if (!output_padding.empty()) {
    attributes.emplace_back("output_padding", output_padding);
  }
  return op("ConvTranspose", inputs, attributes);
}

Value* Net::batch_norm(std::string_view module, Value* x, std::int64_t channels, double epsilon) {
  const Scope scope = enter(module);
  ignore("num_batches_tracked");
  return op("BatchNormalization",
            {x, weight("weight", {channels}), weight("bias", {channels}),
             weight("running_mean", {channels}), weight("running_var", {channels})},
            {{"epsilon", epsilon}});
}

Value* Net::group_norm(std::string_view module, Value* x, std::int64_t groups,
                       std::int64_t channels, double epsilon, std::size_t spatial) {
  const Scope scope = enter(module);
  Value* scale = weight("weight", {channels});
  // Numbers of a configuration are believed once a tensor of that size is there.
  if (problems_.any() || groups > channels) return made_up();
  const std::vector<double> ones(static_cast<std::size_t>(groups), 1.0);
  const std::vector<double> zeros(static_cast<std::size_t>(groups), 0.0);
  Value* normal = op("InstanceNormalization",
                     {reshape(x, {0, groups, -1}), reals(ones, {groups}), reals(zeros, {groups})},
                     {{"epsilon", epsilon}});
  Ints each(spatial + 1, 1);
  each.front() = channels;
  Value* scaled = mul(reshape(normal, shape_of(x)), reshape(scale, each));
  return add(scaled, reshape(weight("bias", {channels}), each));
}

Value* Net::max_pool(Value* x, Ints kernel, Ints stride, Ints padding, bool ceil) {
  Attributes attributes = pooling(std::move(kernel), std::move(stride), std::move(padding));
  if (ceil) attributes.emplace_back("ceil_mode", 1);
  return op("MaxPool", {x}, attributes);
}

Value* Net::average_pool(Value* x, Ints kernel, Ints stride, Ints padding) {
  Attributes attributes = pooling(std::move(kernel), std::move(stride), std::move(padding));
  attributes.emplace_back("count_include_pad", 1);
  return op("AveragePool", {x}, attributes);
}

}  // namespace hone
