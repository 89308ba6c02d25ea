// DETR: a ResNet, and a transformer whose decoder asks a fixed number of questions, each answered
// with a box. For segmentation a mask is drawn for each of them. Pictures come without padding.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "checkpoint/backbone.h"
#include "checkpoint/detection.h"
#include "checkpoint/family.h"
#include "checkpoint/heads.h"
#include "checkpoint/seq2seq.h"

namespace hone::families {
namespace {

struct Sizes {
  Backbone backbone;
  std::int64_t width, queries;
  std::int64_t encoder_layers, encoder_heads, encoder_inner;
  std::int64_t decoder_layers, decoder_heads, decoder_inner;
  std::string act;
  bool has_learned_places, norms_each_layer;
};

// Older configurations name a network of timm instead of having a configuration for it.
Backbone read_backbone_of(const Config& config) {
  if (config.has("backbone_config")) return read_backbone(config.part("backbone_config"));
  config.only("use_timm_backbone", true, "without backbone_config only timm's are written");
  if (const Json* kwargs = config.raw("backbone_kwargs");
      kwargs && (!kwargs->as_object() || !kwargs->as_object()->empty())) {
    config.refuse("backbone_kwargs", "say it by backbone_config");
  }
  Backbone backbone = timm_backbone(config, "backbone", "resnet50");
  backbone.channels = config.size("num_channels", 3);
  backbone.timm.output_stride = config.flag("dilation", false) ? 16 : 32;
  backbone.outputs = {1, 2, 3, 4};
  return backbone;
}

Sizes read_sizes(const Config& config) {
  Sizes s{
      .backbone = read_backbone_of(config),
      .width = config.size(said_name(config, "d_model", "hidden_size"), 256),
      .queries = config.size("num_queries", 100),
      .encoder_layers = config.layers(said_name(config, "encoder_layers", "num_hidden_layers"), 6),
      .encoder_heads =
          config.size(said_name(config, "encoder_attention_heads", "num_attention_heads"), 8),
      .encoder_inner = config.size("encoder_ffn_dim", 2048),
      .decoder_layers = config.layers("decoder_layers", 6),
      .decoder_heads = config.size("decoder_attention_heads", 8),
      .decoder_inner = config.size("decoder_ffn_dim", 2048),
      .act = config.word("activation_function", "relu"),
      .has_learned_places =
          config.one_of("position_embedding_type", {"sine", "learned"}, "sine") == "learned",
      // It is for training, but the norm between layers is there ever after.
      .norms_each_layer = config.flag("auxiliary_loss", false)};
  config.divided("d_model", s.width, "encoder_attention_heads", s.encoder_heads);
  config.divided("d_model", s.width, "decoder_attention_heads", s.decoder_heads);
  if (s.width % 4 != 0) config.refuse("d_model", "it has to be a multiple of four");
  return s;
}

// [rows, features]: how far down the map each row is, as waves: sine and cosine in turn.
Value* waves(Net& net, Value* map, std::int64_t axis, std::int64_t features) {
  Value* size = net.to_float(net.size_of(map, axis));
  Value* place = net.div(net.add(count_along(net, map, axis), 1.0), net.add(size, 1e-6));
  std::vector<double> lengths;
  for (std::int64_t i = 0; i < features / 2; ++i) {
    lengths.push_back(
        std::pow(10000.0, 2.0 * static_cast<double>(i) / static_cast<double>(features)));
  }
  Value* angles = net.div(net.unsqueeze(net.mul(place, 2 * std::numbers::pi), {1}),
                          net.reals(lengths, {1, features / 2}));
  Value* both = net.concat(
      {net.unsqueeze(net.op("Sin", {angles}), {2}), net.unsqueeze(net.op("Cos", {angles}), {2})},
      2);
  return net.reshape(both, {0, features});
}

Value* places(Net& net, const Sizes& s, Value* map) {
  const std::int64_t features = s.width / 2;
  if (net.problems().any()) return map;  // waves are counted by a number of the configuration
  if (!s.has_learned_places) {
    return places_of_rows_and_columns(net, waves(net, map, 2, features),
                                      waves(net, map, 3, features), features);
  }
  constexpr std::int64_t most = 50;
  const Net::Scope scope = net.enter("position_embedding");
  const auto learned = [&](std::string_view module, std::int64_t axis) {
    return net.embedding(module, net.count_up(net.size_of(map, axis)), most, features);
  };
  return places_of_rows_and_columns(net, learned("row_embeddings", 2),
                                    learned("column_embeddings", 3), features, true);
}

constexpr double epsilon = 1e-5;

Value* finish_layer(Net& net, const Sizes& s, Value* x, std::int64_t inner) {
  Value* more = widen_and_narrow(net, x, s.width, inner, s.act, "activation_function");
  return net.add_layer_norm("final_layer_norm", more, x, s.width, epsilon);
}

Value* encode(Net& net, const Sizes& s, Value* x, Value* places) {
  for (std::int64_t i = 0; i < s.encoder_layers; ++i) {
    const Net::Scope scope = net.enter("encoder.layers", i);
    Value* seen =
        attend_to_places(net, "self_attn", {s.width, s.encoder_heads, x, places, x, places});
    x = net.add_layer_norm("self_attn_layer_norm", seen, x, s.width, epsilon);
    x = finish_layer(net, s, x, s.encoder_inner);
  }
  return x;
}

Value* decoder_layer(Net& net, const Sizes& s, Value* x, Value* queries, Value* memory,
                     Value* places) {
  Value* seen =
      attend_to_places(net, "self_attn", {s.width, s.decoder_heads, x, queries, x, queries});
  x = net.add_layer_norm("self_attn_layer_norm", seen, x, s.width, epsilon);
  seen =
      attend_to_places(net, "encoder_attn", {s.width, s.decoder_heads, x, queries, memory, places});
  x = net.add_layer_norm("encoder_attn_layer_norm", seen, x, s.width, epsilon);
  return finish_layer(net, s, x, s.decoder_inner);
}

Value* decode(Net& net, const Sizes& s, Value* memory, Value* places) {
  Value* queries = net.weight("query_position_embeddings.weight", {s.queries, s.width});
  const Net::Scope scope = net.enter("decoder");
  Value* x =
      net.expand(net.reals({0}, {1, 1, 1}), net.dims({net.size_of(memory, 0), s.queries, s.width}));
  for (std::int64_t i = 0; i < s.decoder_layers; ++i) {
    {
      const Net::Scope layer = net.enter("layers", i);
      x = decoder_layer(net, s, x, queries, memory, places);
    }
    if (s.norms_each_layer) x = net.layer_norm("layernorm", x, s.width, epsilon);
  }
  return net.layer_norm("layernorm", x, s.width, epsilon);
}

struct Seen {
  std::vector<FeatureMap> maps;
  Value* projected;  // the last of them, as wide as the transformer
  Value* memory;     // [batch, places, width]
  Value* answers;    // [batch, queries, width]
};

Seen look(Net& net, const Sizes& s, Value* pixels) {
  Seen seen{};
  {
    const Net::Scope scope = net.enter("backbone.conv_encoder.model");
    seen.maps = write_backbone(net, s.backbone, pixels);
  }
  const FeatureMap& last = seen.maps.back();
  seen.projected = net.convolution("input_projection", last.values,
                                   {.in = last.width, .out = s.width, .kernel = {1, 1}});
  Value* at = places(net, s, seen.projected);
  seen.memory = encode(net, s, places_of_map(net, seen.projected, s.width), at);
  seen.answers = decode(net, s, seen.memory, at);
  return seen;
}

// --- masks

// Where each answer looks: [batch * queries, heads, rows, columns].
Value* attention_maps(Net& net, const Sizes& s, const Seen& seen, Value* size) {
  const Net::Scope scope = net.enter("bbox_attention");
  const std::int64_t head_size = s.width / s.encoder_heads;
  Value* queries = net.linear("q_linear", seen.answers, s.width, s.width);
  Value* keys = net.linear("k_linear", seen.memory, s.width, s.width);
  queries = net.mul(net.split_heads(queries, s.encoder_heads, head_size),
                    1.0 / std::sqrt(static_cast<double>(head_size)));
  keys = net.transpose(net.split_heads(keys, s.encoder_heads, head_size), {0, 1, 3, 2});
  Value* scores = net.transpose(net.matmul(queries, keys), {0, 2, 1, 3});
  // Over all heads at once.
  Value* shares = net.softmax(net.reshape(scores, {0, s.queries, -1}));
  return net.reshape(shares, net.dims({-1, s.encoder_heads, size}));
}

// Each map as often as there are queries: [batch * queries, width, rows, columns].
Value* for_each_query(Net& net, const Sizes& s, Value* map, std::int64_t width, Value* size) {
  Value* repeated = net.expand(net.unsqueeze(map, {1}), net.wholes({1, s.queries, 1, 1, 1}));
  return net.reshape(repeated, net.dims({-1, width, size}));
}

Value* draw(Net& net, const Sizes& s, const std::string& number, Value* x, std::int64_t in,
            std::int64_t out) {
  x = net.convolution("lay" + number, x,
                      {.in = in, .out = out, .kernel = {3, 3}, .padding = {1, 1}});
  return net.activation(s.act,
                        net.group_norm("gn" + number, x, std::min<std::int64_t>(8, out), out),
                        "activation_function");
}

Value* draw_masks(Net& net, const Sizes& s, const Seen& seen) {
  const auto size_of = [&](Value* map) {
    return net.op("Shape", {map}, {{"start", 2}, {"end", 4}});
  };
  Value* size = size_of(seen.projected);
  Value* shares = attention_maps(net, s, seen, size);
  const Net::Scope scope = net.enter("mask_head");
  const std::int64_t both = s.width + s.encoder_heads;
  Value* x = net.concat({for_each_query(net, s, seen.projected, s.width, size), shares}, 1);
  x = draw(net, s, "1", x, both, both);
  x = draw(net, s, "2", x, both, s.width / 2);
  std::int64_t width = s.width / 2;
  for (std::size_t i = 0; i < 3; ++i) {
    const FeatureMap& map = seen.maps[2 - i];
    const std::string adapter = "adapter" + std::to_string(i + 1);
    Value* finer =
        net.convolution(adapter, map.values, {.in = map.width, .out = width, .kernel = {1, 1}});
    size = size_of(finer);
    x = net.add(for_each_query(net, s, finer, width, size),
                net.resize(x, size, Net::Interpolation::nearest));
    x = draw(net, s, std::to_string(i + 3), x, width, width / 2);
    width /= 2;
  }
  x = net.convolution("out_lay", x, {.in = width, .out = 1, .kernel = {3, 3}, .padding = {1, 1}});
  return net.reshape(x, net.dims({-1, s.queries, size}));
}

bool can_draw(const Config& config, const Sizes& s) {
  if (s.backbone.outputs.size() < 3) {
    config.refuse("backbone_config", "three of its maps are needed for masks");
    return false;
  }
  // Groups are eight, or as many as there are channels.
  const auto is_grouped = [](std::int64_t width) { return width < 8 || width % 8 == 0; };
  bool fits = s.width % 16 == 0 && (s.width + s.encoder_heads) % 8 == 0;
  for (std::int64_t parts = 2; parts <= 16; parts *= 2) fits &= is_grouped(s.width / parts);
  if (fits) return true;
  config.refuse("d_model", "its halves cannot be normalized in eight groups");
  return false;
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  const Sizes s = read_sizes(config);
  Value* pixels = image_input(net, s.backbone.channels, "height", "width");
  const bool segments = wanted.task == "image-segmentation";
  const Net::Scope detector = segments ? net.enter("detr") : net.enter_root();
  Seen seen{};
  {
    const Net::Scope base = net.enter_base("model");
    seen = look(net, s, pixels);
  }
  if (wanted.task != "feature-extraction") {
    const std::int64_t labels = label_count(config) + 1;  // one for "nothing"
    Value* logits = net.linear("class_labels_classifier", seen.answers, s.width, labels);
    Value* boxes =
        net.sigmoid(predict(net, "bbox_predictor", seen.answers, {s.width, s.width, 4, 3}));
    write_detections(net, logits, boxes, s.queries, labels);
  }
  if (segments && can_draw(config, s)) {
    const Net::Scope root = net.enter_root();
    net.output("pred_masks", draw_masks(net, s, seen),
               {"batch_size", s.queries, "mask_height", "mask_width"});
  }
  net.output("last_hidden_state", seen.answers, {"batch_size", s.queries, s.width});
  net.output("encoder_last_hidden_state", seen.memory,
             {"batch_size", "encoder_sequence_length", s.width});
}

}  // namespace

Family detr() {
  return {.name = "detr",
          .model_types = {"detr"},
          .tasks = {"feature-extraction", "object-detection", "image-segmentation"},
          .write = write};
}

}  // namespace hone::families
