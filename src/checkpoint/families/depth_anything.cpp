// Depth Anything: how far away each pixel is, from layers of DINOv2.

#include "checkpoint/depth_neck.h"
#include "checkpoint/dinov2.h"

#include "checkpoint/family.h"
#include "checkpoint/heads.h"

namespace hone::families {
namespace {

// Maps of what the backbone gives, at the scales of the neck.
std::vector<Value*> reassembled(Net& net, const DepthNeck& neck,
                                const std::vector<Value*>& features, Value* grid,
                                std::int64_t width) {
  std::vector<Value*> maps;
  for (std::size_t i = 0; i < features.size(); ++i) {
    Value* patches = net.slice(features[i], 1, 1, Net::to_end);
    maps.push_back(reassemble(net, neck, i, unflatten_patches(net, width, patches, grid), width));
  }
  return maps;
}

// `pixels`: the height and width that the patches cover.
Value* estimate(Net& net, const Config& config, Value* map, std::int64_t fusion, Value* pixels) {
  const Net::Scope scope = net.enter("head");
  const std::int64_t inner = config.size("head_hidden_size", 32);
  const std::vector<std::int64_t> three = {3, 3};
  const std::vector<std::int64_t> one = {1, 1};
  Value* x = net.convolution("conv1", map,
                             {.in = fusion, .out = fusion / 2, .kernel = three, .padding = one});
  x = upsample(net, x, pixels);
  x = net.convolution("conv2", x,
                      {.in = fusion / 2, .out = inner, .kernel = three, .padding = one});
  x = net.convolution("conv3", net.op("Relu", {x}), {.in = inner, .out = 1, .kernel = one});
  const bool is_metric =
      config.one_of("depth_estimation_type", {"relative", "metric"}, "relative") == "metric";
  x = is_metric ? net.sigmoid(x) : net.op("Relu", {x});
  const double most = config.nullable().real("max_depth", 1);
  return net.squeeze(most == 0 || most == 1 ? x : net.mul(x, most), {1});
}

void write(Net& net, const Config& config, const WantedGraph&) {
  config.only("backbone", Json(), "backbones that have to be fetched are not written");
  const Config within = config.part("backbone_config");
  within.only("model_type", "dinov2", "other backbones are not written");
  const Dinov2Sizes d = read_dinov2_sizes(within);
  const DepthNeck neck = read_depth_neck(config, {48, 96, 192, 384}, 64);
  if (config.pair("patch_size", 14) != d.vit.patch) {
    config.refuse("patch_size", "it has to be that of the backbone");
  }
  if (config.size("reassemble_hidden_size", 384) != d.vit.width) {
    config.refuse("reassemble_hidden_size", "it has to be the hidden_size of the backbone");
  }
  Value* pixels = image_input(net, d.vit.channels, "height", "width");
  std::vector<Value*> features;
  {
    const Net::Scope scope = net.enter("backbone");
    features = dinov2_features(net, within, d, pixels);
  }
  if (features.size() != neck.widths.size() || features.empty()) {
    config.refuse("neck_hidden_sizes", "there have to be as many as out_features of the backbone");
    return;
  }
  Value* grid = patch_grid(net, d.vit, pixels);
  Value* map = nullptr;
  {
    const Net::Scope scope = net.enter("neck");
    map = fuse_levels(net, neck, reassembled(net, neck, features, grid, d.vit.width),
                      FusedSize::of_next);
  }
  Value* covered = net.op("Mul", {grid, net.wholes(d.vit.patch)});
  net.output("predicted_depth", estimate(net, config, map, neck.fusion, covered),
             {"batch_size", "depth_height", "depth_width"});
}

}  // namespace

Family depth_anything() {
  return {.name = "depth_anything",
          .model_types = {"depth_anything"},
          .tasks = {"depth-estimation"},
          .write = write};
}

}  // namespace hone::families
