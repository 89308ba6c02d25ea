#include "checkpoint/backbone.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "checkpoint/stages.h"

namespace hone {
namespace {

struct NamedResnet {
  std::string_view name;
  bool is_bottleneck;
  std::array<std::int64_t, 4> depths;
};

constexpr std::array timm_resnets = {
    NamedResnet{"resnet18", false, {2, 2, 2, 2}},  NamedResnet{"resnet26", true, {2, 2, 2, 2}},
    NamedResnet{"resnet34", false, {3, 4, 6, 3}},  NamedResnet{"resnet50", true, {3, 4, 6, 3}},
    NamedResnet{"resnet101", true, {3, 4, 23, 3}}, NamedResnet{"resnet152", true, {3, 8, 36, 3}},
};

Backbone read_timm(const Config& config) {
  Backbone backbone = timm_backbone(config, "backbone", "");
  backbone.channels = config.size("num_channels", 3);
  config.only("features_only", true, "a backbone hands out features");
  if (config.has("output_stride")) {
    backbone.timm.output_stride = config.whole("output_stride");
    const std::int64_t stride = backbone.timm.output_stride;
    if (stride != 8 && stride != 16 && stride != 32) {
      config.refuse("output_stride", "it can be 8, 16 or 32");
    }
  }
  std::vector<std::int64_t> outputs = config.nullable().wholes("out_indices", {-1});
  for (std::int64_t& output : outputs) {
    if (output < 0) output += 5;
  }
  const bool are_known =
      std::all_of(outputs.begin(), outputs.end(), [](std::int64_t i) { return i >= 0 && i < 5; });
  const bool are_ordered =
      std::adjacent_find(outputs.begin(), outputs.end(), std::greater_equal<>()) == outputs.end();
  if (outputs.empty() || !are_known || !are_ordered) {
    config.refuse("out_indices", "they have to be of 0 to 4, in order, each once");
    outputs = {4};
  }
  backbone.outputs = outputs;
  return backbone;
}

Backbone read_of_transformers(const Config& config) {
  Backbone backbone;
  backbone.resnet = read_resnet(config);
  backbone.channels = backbone.resnet->channels;
  const auto stages = static_cast<std::int64_t>(backbone.resnet->stages.depths.size());
  backbone.outputs = feature_stages(config, stages);
  if (backbone.outputs.empty()) backbone.outputs = {stages};
  return backbone;
}

// A convolution and its norm, as timm names the two.
Value* convolve(Net& net, const std::string& number, Value* x, const Convolution& conv) {
  return net.batch_norm("bn" + number, net.convolution("conv" + number, x, conv), conv.out);
}

struct TimmLayer {
  std::int64_t in, inner, out, stride, first_dilation, dilation;
};

Value* timm_layer(Net& net, const TimmResnet& resnet, Value* x, const TimmLayer& l) {
  Value* inner = x;
  if (resnet.is_bottleneck) {
    inner = net.op("Relu", {convolve(net, "1", inner, keeping_size(l.in, l.inner, 1))});
    inner =
        convolve(net, "2", inner, keeping_size(l.inner, l.inner, 3, l.stride, l.first_dilation));
    inner = convolve(net, "3", net.op("Relu", {inner}), keeping_size(l.inner, l.out, 1));
  } else {
    inner = convolve(net, "1", inner, keeping_size(l.in, l.inner, 3, l.stride, l.first_dilation));
    inner =
        convolve(net, "2", net.op("Relu", {inner}), keeping_size(l.inner, l.out, 3, 1, l.dilation));
  }
  if (l.stride != 1 || l.in != l.out) {
    const Net::Scope scope = net.enter("downsample");
    x = net.batch_norm("1", net.convolution("0", x, keeping_size(l.in, l.out, 1, l.stride)), l.out);
  }
  return net.op("Relu", {net.add(inner, x)});
}

std::int64_t timm_width(const TimmResnet& resnet, std::int64_t stage) {
  if (stage == 0) return 64;
  return (std::int64_t{64} << (stage - 1)) * (resnet.is_bottleneck ? 4 : 1);
}

// Of the stem, before it is pooled, and of each of the four stages.
std::vector<Value*> write_timm(Net& net, const Backbone& backbone, Value* pixels) {
  const TimmResnet& resnet = backbone.timm;
  const Net::Scope base = net.enter_base("_backbone");
  Value* x =
      net.op("Relu", {convolve(net, "1", pixels, keeping_size(backbone.channels, 64, 7, 2))});
  std::vector<Value*> outputs = {x};
  x = net.max_pool(x, {3, 3}, {2, 2}, {1, 1});
  std::int64_t width = 64;
  std::int64_t reached = 4;
  std::int64_t dilation = 1;
  std::int64_t first_dilation = 1;
  for (std::size_t i = 0; i < resnet.depths.size(); ++i) {
    const auto stage = static_cast<std::int64_t>(i) + 1;
    std::int64_t stride = i == 0 ? 1 : 2;
    if (reached >= resnet.output_stride) {
      dilation *= stride;
      stride = 1;
    } else {
      reached *= stride;
    }
    const std::int64_t out = timm_width(resnet, stage);
    for (std::int64_t j = 0; j < resnet.depths[i]; ++j) {
      const Net::Scope scope = net.enter("layer" + std::to_string(stage), j);
      x = timm_layer(
          net, resnet, x,
          {width, std::int64_t{64} << i, out, j == 0 ? stride : 1, first_dilation, dilation});
      width = out;
      first_dilation = dilation;
    }
    outputs.push_back(x);
  }
  return outputs;
}

}  // namespace

Backbone timm_backbone(const Config& config, std::string_view name_key,
                       std::string_view otherwise) {
  Backbone backbone;
  backbone.timm.depths = {1, 1, 1, 1};
  const std::string name = config.word(name_key, otherwise);
  const std::string network = name.substr(0, name.find('.'));
  std::vector<std::string> known;
  for (const NamedResnet& row : timm_resnets) {
    known.emplace_back(row.name);
    if (row.name != network) continue;
    backbone.timm.is_bottleneck = row.is_bottleneck;
    backbone.timm.depths.assign(row.depths.begin(), row.depths.end());
    return backbone;
  }
  config.refuse(name_key, "of timm's networks " + join(known, ", ") + " are written");
  return backbone;
}

Backbone read_backbone(const Config& config) {
  const std::string type =
      config.one_of("model_type", {"resnet", "rt_detr_resnet", "timm_backbone"}, "");
  return type == "timm_backbone" ? read_timm(config) : read_of_transformers(config);
}

std::vector<FeatureMap> write_backbone(Net& net, const Backbone& backbone, Value* pixels) {
  const std::vector<Value*> stages = backbone.resnet ? write_resnet(net, *backbone.resnet, pixels)
                                                     : write_timm(net, backbone, pixels);
  std::vector<FeatureMap> maps;
  for (const std::int64_t output : backbone.outputs) {
    const auto at = static_cast<std::size_t>(output);
    std::int64_t width = timm_width(backbone.timm, output);
    if (backbone.resnet) {
      width = at == 0 ? backbone.resnet->stem : backbone.resnet->stages.widths[at - 1];
    }
    maps.push_back({stages[at], width});
  }
  return maps;
}

}  // namespace hone
