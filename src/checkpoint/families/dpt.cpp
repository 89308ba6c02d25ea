// DPT: depth or classes of each pixel, from several layers of a ViT or of a backbone.

#include <algorithm>

#include "checkpoint/depth_neck.h"
#include "checkpoint/dinov2.h"
#include "checkpoint/family.h"
#include "checkpoint/heads.h"
#include "checkpoint/stages.h"

namespace hone::families {
namespace {

// What the neck is given: tokens [batch, 1 + patches, width] of each level.
struct Levels {
  std::vector<Value*> tokens;
  Value* grid = nullptr;
  std::int64_t width = 1;
};

Value* embed(Net& net, const VitSizes& s, std::int64_t side, Value* pixels) {
  const Net::Scope scope = net.enter("embeddings");
  Value* patches = embed_patches(net, s, pixels);
  Value* tokens = net.concat({special_token(net, s, "cls_token", patches), patches}, 1);
  return net.add(tokens, resized_positions(net, s, side, patch_grid(net, s, pixels),
                                           Net::Interpolation::bilinear));
}

VitSizes read_sizes(const Config& config) {
  const VitSizes s = read_vit_sizes(config, 384);
  if (config.has("head_dim")) config.refuse("head_dim", "heads share hidden_size");
  if (s.patch[0] != s.patch[1]) config.refuse("patch_size", "only square patches are written");
  return s;
}

// Between tokens and pixels transformers takes patches for those of a square.
std::int64_t read_side(const Config& config, const VitSizes& s) {
  if (s.image[0] / s.patch[0] != s.image[1] / s.patch[1]) {
    config.refuse("image_size", "only square pictures are written");
  }
  return side_of_square(config, patch_count(s));
}

Levels levels_of_vit(Net& net, const Config& config) {
  const VitSizes s = read_sizes(config);
  const std::int64_t side = read_side(config, s);
  Value* pixels = image_input(net, s.channels, "height", "width");
  const Net::Scope base = net.enter_base("dpt");
  std::vector<Value*> each;
  vit_layers(net, s, embed(net, s, side, pixels), &each);
  const std::vector<std::int64_t> wanted = config.wholes("backbone_out_indices", {2, 5, 8, 11});
  Levels levels{.tokens = {}, .grid = patch_grid(net, s, pixels), .width = s.width};
  for (std::int64_t i = 0; i < s.layers; ++i) {
    const bool is_wanted = std::find(wanted.begin(), wanted.end(), i) != wanted.end();
    if (is_wanted) levels.tokens.push_back(each[static_cast<std::size_t>(i)]);
  }
  return levels;
}

Levels levels_of_backbone(Net& net, const Config& config) {
  const Config within = config.part("backbone_config");
  within.only("model_type", "dinov2", "other backbones are not written");
  const Dinov2Sizes d = read_dinov2_sizes(within);
  Value* pixels = image_input(net, d.vit.channels, "height", "width");
  const Net::Scope scope = net.enter("backbone");
  return {.tokens = dinov2_features(net, within, d, pixels),
          .grid = patch_grid(net, d.vit, pixels),
          .width = d.vit.width};
}

// The first token, which stands for the whole, told to each of the patches.
Value* read_out(Net& net, const Config& config, const Levels& levels, std::size_t level) {
  Value* patches = net.slice(levels.tokens[level], 1, 1, Net::to_end);
  Value* whole = net.slice(levels.tokens[level], 1, 0, 1);
  const std::string how = config.one_of("readout_type", {"ignore", "add", "project"}, "project");
  if (how == "ignore") return patches;
  if (how == "add") return net.add(patches, whole);
  const Net::Scope scope =
      net.enter("reassemble_stage.readout_projects", static_cast<std::int64_t>(level));
  Value* both = net.concat({patches, net.expand(whole, net.shape_of(patches))}, 2);
  return net.activation(config.word("hidden_act", "gelu"),
                        net.linear("0", both, 2 * levels.width, levels.width));
}

// Null where there is a problem.
Value* neck_map(Net& net, const Config& config, const DepthNeck& neck, const Levels& levels) {
  if (levels.tokens.size() != neck.widths.size() || levels.tokens.empty()) {
    config.refuse("neck_hidden_sizes", "there have to be as many as layers that are taken");
    return nullptr;
  }
  const Net::Scope scope = net.enter("neck");
  std::vector<Value*> maps;
  for (std::size_t i = 0; i < levels.tokens.size(); ++i) {
    Value* patches = read_out(net, config, levels, i);
    Value* map = unflatten_patches(net, levels.width, patches, levels.grid);
    maps.push_back(reassemble(net, neck, i, map, levels.width));
  }
  return fuse_levels(net, neck, std::move(maps), FusedSize::twice);
}

DepthNeck read_neck(const Config& config) {
  DepthNeck neck = read_depth_neck(config, {96, 192, 384, 768}, 256);
  neck.has_norms = config.flag("use_batch_norm_in_fusion_residual", false);
  neck.has_bias = config.nullable().flag("use_bias_in_fusion_residual", !neck.has_norms);
  return neck;
}

Convolution three_by_three(std::int64_t in, std::int64_t out, bool bias = true) {
  return {.in = in, .out = out, .kernel = {3, 3}, .padding = {1, 1}, .bias = bias};
}

Value* estimate_depth(Net& net, const Config& config, Value* x, std::int64_t fusion) {
  const Net::Scope scope = net.enter("head");
  if (config.flag("add_projection", false)) {
    constexpr std::int64_t projected = 256;
    if (fusion != projected) config.refuse("add_projection", "fusion_hidden_size has to be 256");
    x = net.op("Relu", {net.convolution("projection", x, three_by_three(projected, projected))});
  }
  const Net::Scope layers = net.enter("head");
  constexpr std::int64_t inner = 32;
  x = upsample_twice(net, net.convolution("0", x, three_by_three(fusion, fusion / 2)));
  x = net.op("Relu", {net.convolution("2", x, three_by_three(fusion / 2, inner))});
  x = net.convolution("4", x, {.in = inner, .out = 1, .kernel = {1, 1}});
  return net.squeeze(net.op("Relu", {x}), {1});
}

Value* segment(Net& net, Value* x, std::int64_t fusion, std::int64_t labels) {
  const Net::Scope scope = net.enter("head.head");
  x = net.batch_norm("1", net.convolution("0", x, three_by_three(fusion, fusion, false)), fusion);
  x = net.convolution("4", net.op("Relu", {x}), {.in = fusion, .out = labels, .kernel = {1, 1}});
  return upsample_twice(net, x);
}

// A head that helps in training alone.
void ignore_auxiliary_head(Net& net) {
  const Net::Scope scope = net.enter("auxiliary_head.head");
  for (const char* name : {"0.weight", "1.weight", "1.bias", "1.running_mean", "1.running_var",
                           "1.num_batches_tracked", "4.weight", "4.bias"}) {
    net.ignore(name);
  }
}

void write_features(Net& net, const Config& config) {
  config.only("backbone_config", Json(), "what a backbone gives has no features of its own");
  const VitSizes s = read_sizes(config);
  Value* pixels = image_input(net, s.channels, "height", "width");
  const Net::Scope base = net.enter_base("dpt");
  Value* x = vit_layers(net, s, embed(net, s, side_of_square(config, patch_count(s)), pixels));
  net.output("last_hidden_state", x, {"batch_size", "sequence_length", s.width});
  Value* pooled = pool_vit(net, config, s, x);
  if (pooled) net.output("pooler_output", pooled, {"batch_size", s.pooled});
}

void write_depth(Net& net, const Config& config) {
  const bool has_backbone = config.has("backbone_config");
  const Levels levels = has_backbone ? levels_of_backbone(net, config) : levels_of_vit(net, config);
  const DepthNeck neck = read_neck(config);
  Value* map = neck_map(net, config, neck, levels);
  if (!map) return;
  net.output("predicted_depth", estimate_depth(net, config, map, neck.fusion),
             {"batch_size", "depth_height", "depth_width"});
}

void write_classes(Net& net, const Config& config) {
  config.only("backbone_config", Json(), "backbones are written for depth-estimation alone");
  const DepthNeck neck = read_neck(config);
  Value* map = neck_map(net, config, neck, levels_of_vit(net, config));
  if (!map) return;
  ignore_auxiliary_head(net);
  const std::int64_t labels = label_count(config);
  net.output("logits", segment(net, map, neck.fusion, labels),
             {"batch_size", labels, "logits_height", "logits_width"});
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  config.only("is_hybrid", false, "the convolutions of DPT-Hybrid are not written");
  config.only("backbone", Json(), "backbones that have to be fetched are not written");
  if (wanted.task == "depth-estimation") {
    write_depth(net, config);
  } else if (wanted.task == "image-segmentation") {
    write_classes(net, config);
  } else {
    write_features(net, config);
  }
}

}  // namespace

Family dpt() {
  return {.name = "dpt",
          .model_types = {"dpt"},
          .tasks = {"feature-extraction", "depth-estimation", "image-segmentation"},
          .write = write};
}

}  // namespace hone::families
