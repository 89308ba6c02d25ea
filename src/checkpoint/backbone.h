#pragma once
// The networks that detectors look at pictures with: ResNets of transformers and of timm.

#include <optional>
#include <string>
#include <vector>

#include "checkpoint/resnet_layers.h"

namespace hone {

struct TimmResnet {
  bool is_bottleneck = true;
  std::vector<std::int64_t> depths;
  std::int64_t output_stride = 32;  // from where on layers look further instead of downsampling
};

struct Backbone {
  std::int64_t channels = 3;
  std::optional<ResnetSizes> resnet;  // else it is timm's
  TimmResnet timm;
  std::vector<std::int64_t> outputs;  // the stages that are handed out, in order; 0 is the stem
};

struct FeatureMap {
  Value* values;  // [batch, width, height, width of the map]
  std::int64_t width;
};

// Of a configuration of its own.
Backbone read_backbone(const Config& config);
// By the name of timm, as older configurations say it.
Backbone timm_backbone(const Config& config, std::string_view name_key, std::string_view otherwise);
// What it hands out, at least one.
std::vector<FeatureMap> write_backbone(Net& net, const Backbone& backbone, Value* pixels);

}  // namespace hone
