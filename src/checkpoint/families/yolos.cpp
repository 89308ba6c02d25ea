// YOLOS: a vision transformer that sees, after the patches of the picture, tokens of which each
// says one box. Positions are those of the configured picture, stretched to the one that is given.

#include "checkpoint/detection.h"
#include "checkpoint/family.h"
#include "checkpoint/heads.h"
#include "checkpoint/vit_layer.h"

namespace hone::families {
namespace {

struct Sizes {
  VitLayer layer;
  std::int64_t layers, channels, patch, queries, rows, columns;
  bool has_inner_positions;

  std::int64_t positions() const { return 1 + rows * columns + queries; }
};

Sizes read_sizes(const Config& config) {
  const std::vector<std::int64_t> image = config.has("image_size")
                                              ? config.pair("image_size", 512)
                                              : std::vector<std::int64_t>{512, 864};
  Sizes s{.layer = {.width = config.size("hidden_size", 768),
                    .heads = config.size("num_attention_heads", 12),
                    .inner = config.size("intermediate_size", 3072),
                    .epsilon = config.real("layer_norm_eps", 1e-12),
                    .has_bias = config.flag("qkv_bias", true),
                    .act = config.word("hidden_act", "gelu")},
          .layers = config.layers("num_hidden_layers", 12),
          .channels = config.size("num_channels", 3),
          .patch = config.size("patch_size", 16),
          .queries = config.size("num_detection_tokens", 100),
          .rows = 0,
          .columns = 0,
          .has_inner_positions = config.flag("use_mid_position_embeddings", true)};
  config.divided("hidden_size", s.layer.width, "num_attention_heads", s.layer.heads);
  s.rows = image[0] / s.patch;
  s.columns = image[1] / s.patch;
  const bool is_counted_otherwise = image[0] * image[1] / (s.patch * s.patch) != s.rows * s.columns;
  if (s.rows < 1 || s.columns < 1 || (s.has_inner_positions && is_counted_otherwise)) {
    config.refuse("image_size", "it has to be a whole number of patches");
  }
  return s;
}

// Rows and columns of patches that the picture has: a list of two.
Value* grid_of(Net& net, const Sizes& s, Value* pixels) {
  return net.op("Div",
                {net.op("Shape", {pixels}, {{"start", 2}, {"end", 4}}), net.wholes({s.patch})});
}

// `table` [count, positions, width] for as many patches as the picture has.
Value* stretch(Net& net, const Sizes& s, Value* table, std::int64_t count, Value* grid) {
  const std::int64_t patches = s.rows * s.columns;
  const std::int64_t width = s.layer.width;
  Value* map = net.transpose(net.slice(table, 1, 1, 1 + patches), {0, 2, 1});
  map = net.resize(net.reshape(map, {count, width, s.rows, s.columns}), grid,
                   Net::Interpolation::bicubic);
  map = net.transpose(net.reshape(map, {count, width, -1}), {0, 2, 1});
  return net.concat({net.slice(table, 1, 0, 1), map, net.slice(table, 1, 1 + patches, Net::to_end)},
                    1);
}

// A weight [1, tokens, width] for each picture.
Value* tokens(Net& net, const Sizes& s, std::string_view name, std::int64_t count, Value* pixels) {
  Value* weight = net.weight(name, {1, count, s.layer.width});
  return net.expand(weight, net.dims({net.size_of(pixels, 0), 1, 1}));
}

Value* embed(Net& net, const Sizes& s, Value* pixels, Value* grid) {
  const Net::Scope scope = net.enter("embeddings");
  const std::int64_t width = s.layer.width;
  Value* patches = net.convolution(
      "patch_embeddings.projection", pixels,
      {.in = s.channels, .out = width, .kernel = {s.patch, s.patch}, .stride = {s.patch, s.patch}});
  patches = net.transpose(net.reshape(patches, {0, width, -1}), {0, 2, 1});
  Value* all = net.concat({tokens(net, s, "cls_token", 1, pixels), patches,
                           tokens(net, s, "detection_tokens", s.queries, pixels)},
                          1);
  Value* places = net.weight("position_embeddings", {1, s.positions(), width});
  return net.add(all, stretch(net, s, places, 1, grid));
}

Value* inner_positions(Net& net, const Sizes& s, Value* grid) {
  const std::int64_t count = s.layers - 1;
  if (count < 1) {
    net.ignore("mid_position_embeddings");
    return nullptr;
  }
  Value* table = net.weight("mid_position_embeddings", {count, 1, s.positions(), s.layer.width});
  return stretch(net, s, net.squeeze(table, {1}), count, grid);
}

Value* encode(Net& net, const Sizes& s, Value* pixels) {
  Value* grid = grid_of(net, s, pixels);
  Value* x = embed(net, s, pixels, grid);
  {
    const Net::Scope scope = net.enter("encoder");
    Value* places = s.has_inner_positions ? inner_positions(net, s, grid) : nullptr;
    for (std::int64_t i = 0; i < s.layers; ++i) {
      const Net::Scope inner = net.enter("layer", i);
      x = write_vit_layer(net, s.layer, x);
      if (places && i + 1 < s.layers) x = net.add(x, net.pick(places, 0, i));
    }
  }
  return net.layer_norm("layernorm", x, s.layer.width, s.layer.epsilon);
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  const Sizes s = read_sizes(config);
  const std::int64_t width = s.layer.width;
  Value* pixels = image_input(net, s.channels, "height", "width");
  Value* x = nullptr;
  Value* pooled = nullptr;
  {
    const Net::Scope base = net.enter_base("vit");
    x = encode(net, s, pixels);
    if (wanted.task == "feature-extraction" && net.has_module("pooler")) {
      pooled = net.op("Tanh", {net.linear("pooler.dense", net.pick(x, 1, 0), width, width)});
    }
  }
  if (wanted.task == "object-detection") {
    const std::int64_t labels = label_count(config) + 1;  // one for "nothing"
    Value* boxes = net.slice(x, 1, -s.queries, Net::to_end);
    write_detections(net, predict(net, "class_labels_classifier", boxes, {width, width, labels, 3}),
                     net.sigmoid(predict(net, "bbox_predictor", boxes, {width, width, 4, 3})),
                     s.queries, labels);
  }
  net.output("last_hidden_state", x, {"batch_size", "sequence_length", width});
  if (pooled) net.output("pooler_output", pooled, {"batch_size", width});
}

}  // namespace

Family yolos() {
  return {.name = "yolos",
          .model_types = {"yolos"},
          .tasks = {"feature-extraction", "object-detection"},
          .write = write};
}

}  // namespace hone::families
