// RT-DETR: a ResNet, a pyramid of three maps that exchange what they see, and a decoder that begins
// with the most promising places of all maps and looks at a few points around each.

#include <cmath>

#include "checkpoint/backbone.h"
#include "checkpoint/convnet.h"
#include "checkpoint/deformable.h"
#include "checkpoint/detection.h"
#include "checkpoint/family.h"
#include "checkpoint/heads.h"
#include "checkpoint/seq2seq.h"

namespace hone::families {
namespace {

struct Sizes {
  Backbone backbone;
  // Of the pyramid.
  std::int64_t pyramid, inner, encoder_layers, encoder_heads, encoder_ffn;
  double temperature;
  std::vector<std::int64_t> encoded;  // the maps that have a transformer
  bool normalizes_before, knows_places;
  std::string act, encoder_act;
  // Of the decoder.
  std::int64_t width, queries, labels, levels, points, decoder_layers, decoder_heads, decoder_ffn;
  std::vector<std::int64_t> decoder_in;
  std::string decoder_act;
  double norm_epsilon, batch_norm_epsilon;
};

Backbone read_backbone_of(const Config& config) {
  if (config.has("backbone_config")) return read_backbone(config.part("backbone_config"));
  if (config.has("backbone")) config.refuse("backbone", "say it by backbone_config");
  Backbone backbone;
  backbone.resnet = ResnetSizes{.channels = 3,
                                .stem = 64,
                                .stages = {{256, 512, 1024, 2048}, {3, 4, 6, 3}},
                                .is_bottleneck = true,
                                .downsamples_first_stage = false,
                                .downsamples_in_bottleneck = false,
                                .is_deep = true,
                                .act = "relu"};
  backbone.outputs = {2, 3, 4};
  return backbone;
}

void check_levels(const Config& config, const Sizes& s) {
  constexpr std::int64_t most = 16;
  const auto maps = static_cast<std::int64_t>(s.backbone.outputs.size());
  if (config.wholes("encoder_in_channels", {512, 1024, 2048}).size() != s.backbone.outputs.size()) {
    config.refuse("encoder_in_channels", "there have to be as many as maps of the backbone");
  }
  if (s.decoder_in.size() != s.backbone.outputs.size()) {
    config.refuse("decoder_in_channels", "there have to be as many as maps of the backbone");
  }
  if (s.levels < maps || s.levels > most) {
    config.refuse("num_feature_levels", "it can be from the number of maps to 16");
  }
  if (s.decoder_layers < 1) config.refuse("decoder_layers", "there has to be one");
  if (s.points > 1'000) config.refuse("decoder_n_points", "it can be at most 1,000");
  for (const std::int64_t map : s.encoded) {
    if (map < 0 || map >= maps) config.refuse("encode_proj_layers", "there is no such map");
  }
  if (s.encoded.size() > s.backbone.outputs.size()) {
    config.refuse("encode_proj_layers", "there are more than maps");
  }
}

void check(const Config& config, const Sizes& s) {
  config.only("learn_initial_query", false, "queries that are learned are not written");
  if (config.has("anchor_image_size")) {
    config.refuse("anchor_image_size", "anchors of the picture that is given are written");
  }
  config.divided("encoder_hidden_dim", s.pyramid, "encoder_attention_heads", s.encoder_heads);
  config.divided("d_model", s.width, "decoder_attention_heads", s.decoder_heads);
  if (s.temperature <= 0) config.refuse("positional_encoding_temperature", "it is more than 0");
  if (s.pyramid % 4 != 0) config.refuse("encoder_hidden_dim", "it has to be a multiple of four");
  check_levels(config, s);
}

Sizes read_sizes(const Config& config) {
  Sizes s{.backbone = read_backbone_of(config),
          .pyramid = config.size("encoder_hidden_dim", 256),
          .inner = 1,
          .encoder_layers = config.layers("encoder_layers", 1),
          .encoder_heads =
              config.size(said_name(config, "encoder_attention_heads", "num_attention_heads"), 8),
          .encoder_ffn = config.size("encoder_ffn_dim", 1024),
          .temperature = config.real("positional_encoding_temperature", 10000),
          .encoded = config.wholes("encode_proj_layers", {2}),
          .normalizes_before = config.flag("normalize_before", false),
          .knows_places = !config.has("eval_size"),
          .act = config.word("activation_function", "silu"),
          .encoder_act = config.word("encoder_activation_function", "gelu"),
          .width = config.size(said_name(config, "d_model", "hidden_size"), 256),
          .queries = config.size("num_queries", 300),
          .labels = label_count(config),
          .levels = config.size("num_feature_levels", 3),
          .points = config.size("decoder_n_points", 4),
          .decoder_layers = config.layers("decoder_layers", 6),
          .decoder_heads = config.size("decoder_attention_heads", 8),
          .decoder_ffn = config.size("decoder_ffn_dim", 1024),
          .decoder_in = config.wholes("decoder_in_channels", {256, 256, 256}),
          .decoder_act = config.word("decoder_activation_function", "relu"),
          .norm_epsilon = config.real("layer_norm_eps", 1e-5),
          .batch_norm_epsilon = config.real("batch_norm_eps", 1e-5)};
  const double expansion = read_factor(config, "hidden_expansion", 1.0);
  s.inner = static_cast<std::int64_t>(static_cast<double>(s.pyramid) * expansion);
  check(config, s);
  return s;
}

// --- the pyramid

// A convolution and its norm; with an activation where `act` is not empty.
Value* convolve(Net& net, const Sizes& s, std::string_view module, Value* x,
                const Convolution& conv, const std::string& act) {
  const Net::Scope scope = net.enter(module);
  x = net.batch_norm("norm", net.convolution("conv", x, conv), conv.out, s.batch_norm_epsilon);
  return act.empty() ? x : net.activation(act, x, "activation_function");
}

Value* fuse(Net& net, const Sizes& s, const std::string& module, Value* a, Value* b) {
  const Net::Scope scope = net.enter(module);
  Value* x = net.concat({a, b}, 1);
  Value* deep = convolve(net, s, "conv1", x, keeping_size(2 * s.pyramid, s.inner, 1), s.act);
  for (std::int64_t i = 0; i < 3; ++i) {
    const Net::Scope block = net.enter("bottlenecks", i);
    Value* wide = convolve(net, s, "conv1", deep, keeping_size(s.inner, s.inner, 3), "");
    Value* narrow = convolve(net, s, "conv2", deep, keeping_size(s.inner, s.inner, 1), "");
    deep = net.activation(s.act, net.add(wide, narrow), "activation_function");
  }
  Value* flat = convolve(net, s, "conv2", x, keeping_size(2 * s.pyramid, s.inner, 1), s.act);
  Value* both = net.add(deep, flat);
  if (s.inner == s.pyramid) return both;
  return convolve(net, s, "conv3", both, keeping_size(s.inner, s.pyramid, 1), s.act);
}

// [rows or columns, features]: how far along each is, as sines and then cosines.
Value* waves(Net& net, const Sizes& s, Value* map, std::int64_t axis) {
  const std::int64_t count = s.pyramid / 4;
  std::vector<double> speeds;
  for (std::int64_t i = 0; i < count; ++i) {
    speeds.push_back(std::pow(s.temperature, -static_cast<double>(i) / static_cast<double>(count)));
  }
  Value* angles =
      net.mul(net.unsqueeze(count_along(net, map, axis), {1}), net.reals(speeds, {1, count}));
  return net.concat({net.op("Sin", {angles}), net.op("Cos", {angles})}, 1);
}

Value* transformer_layer(Net& net, const Sizes& s, Value* x, Value* places) {
  const auto attend = [&](Value* of) {
    return attend_to_places(net, "self_attn", {s.pyramid, s.encoder_heads, of, places, of, places});
  };
  const auto widen = [&](Value* of) {
    return widen_and_narrow(net, of, s.pyramid, s.encoder_ffn, s.encoder_act,
                            "encoder_activation_function");
  };
  if (!s.normalizes_before) {
    x = net.add_layer_norm("self_attn_layer_norm", attend(x), x, s.pyramid, s.norm_epsilon);
    return net.add_layer_norm("final_layer_norm", widen(x), x, s.pyramid, s.norm_epsilon);
  }
  x = net.add(x, attend(net.layer_norm("self_attn_layer_norm", x, s.pyramid, s.norm_epsilon)));
  // What is added to is the normalized one.
  x = net.layer_norm("final_layer_norm", x, s.pyramid, s.norm_epsilon);
  return net.add(x, widen(x));
}

Value* transform(Net& net, const Sizes& s, Value* map) {
  if (net.problems().any()) return map;  // waves are counted by a number of the configuration
  Value* places = nullptr;
  if (s.knows_places) {
    places = places_of_rows_and_columns(net, waves(net, s, map, 2), waves(net, s, map, 3),
                                        s.pyramid / 2);
  }
  Value* x = places_of_map(net, map, s.pyramid);
  for (std::int64_t i = 0; i < s.encoder_layers; ++i) {
    const Net::Scope scope = net.enter("layers", i);
    x = transformer_layer(net, s, x, places);
  }
  return net.reshape(net.transpose(x, {0, 2, 1}),
                     net.dims({0, s.pyramid, net.op("Shape", {map}, {{"start", 2}, {"end", 4}})}));
}

Value* twice_as_large(Net& net, Value* x) {
  Value* scales =
      net.constant(make_float_tensor("scales", std::vector<float>{1.0F, 1.0F, 2.0F, 2.0F}));
  return net.op("Resize", {x, nullptr, scales},
                {{"mode", "nearest"},
                 {"nearest_mode", "floor"},
                 {"coordinate_transformation_mode", "asymmetric"}});
}

std::vector<Value*> exchange(Net& net, const Sizes& s, std::vector<Value*> maps) {
  const Net::Scope scope = net.enter("encoder");
  for (std::size_t i = 0; i < s.encoded.size() && s.encoder_layers > 0; ++i) {
    const Net::Scope inner = net.enter("encoder", static_cast<std::int64_t>(i));
    Value*& map = maps[static_cast<std::size_t>(s.encoded[i])];
    map = transform(net, s, map);
  }
  for (std::size_t i = 0; i + 1 < maps.size(); ++i) {  // from coarse to fine
    const std::string number = std::to_string(i);
    Value*& coarse = maps[maps.size() - 1 - i];
    Value*& fine = maps[maps.size() - 2 - i];
    coarse = convolve(net, s, "lateral_convs." + number, coarse,
                      keeping_size(s.pyramid, s.pyramid, 1), s.act);
    fine = fuse(net, s, "fpn_blocks." + number, twice_as_large(net, coarse), fine);
  }
  for (std::size_t i = 0; i + 1 < maps.size(); ++i) {  // and back
    const std::string number = std::to_string(i);
    Value* halved = convolve(net, s, "downsample_convs." + number, maps[i],
                             keeping_size(s.pyramid, s.pyramid, 3, 2), s.act);
    maps[i + 1] = fuse(net, s, "pan_blocks." + number, halved, maps[i + 1]);
  }
  return maps;
}

// "0" a convolution and "1" its norm, of the module that is entered.
Value* project(Net& net, Value* x, const Convolution& conv, double epsilon) {
  return net.batch_norm("1", net.convolution("0", x, conv), conv.out, epsilon);
}

std::vector<Value*> project_in(Net& net, const Sizes& s, const std::vector<FeatureMap>& maps) {
  std::vector<Value*> projected;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const Net::Scope scope = net.enter("encoder_input_proj", static_cast<std::int64_t>(i));
    projected.push_back(
        project(net, maps[i].values, keeping_size(maps[i].width, s.pyramid, 1), 1e-5));
  }
  return projected;
}

// As wide as the decoder, and coarser ones of the last map where there are more levels than maps.
std::vector<Value*> levels_of(Net& net, const Sizes& s, const std::vector<Value*>& maps) {
  std::vector<Value*> levels;
  for (std::int64_t i = 0; i < s.levels; ++i) {
    const Net::Scope scope = net.enter("decoder_input_proj", i);
    const auto at = static_cast<std::size_t>(i);
    if (at < maps.size()) {
      levels.push_back(
          project(net, maps[at], keeping_size(s.decoder_in[at], s.width, 1), s.batch_norm_epsilon));
    } else {
      const std::int64_t in = at == maps.size() ? s.decoder_in.back() : s.width;
      levels.push_back(
          project(net, maps.back(), keeping_size(in, s.width, 3, 2), s.batch_norm_epsilon));
    }
  }
  return levels;
}

// --- the decoder

// A box for each place of each level, as [1, places, 4], larger the coarser the level.
Value* anchors(Net& net, const std::vector<Value*>& levels) {
  std::vector<Value*> boxes;
  double side = 0.05;
  for (Value* level : levels) {
    const auto centers = [&](std::int64_t axis) {
      Value* size = net.to_float(net.size_of(level, axis));
      return net.unsqueeze(net.div(net.add(count_along(net, level, axis), 0.5), size), {1});
    };
    Value* at = places_of_rows_and_columns(net, centers(2), centers(3), 1, true);
    boxes.push_back(net.concat({at, net.expand(net.real(side), net.shape_of(at))}, 2));
    side *= 2;
  }
  return net.concat(boxes, 1);
}

Value* unsigmoid(Net& net, Value* x) {
  Value* above = net.op("Max", {x, net.real(1e-5)});
  Value* below = net.op("Max", {net.sub(1.0, x), net.real(1e-5)});
  return net.op("Log", {net.div(above, below)});
}

struct Queries {
  Value *content, *boxes;  // [batch, queries, width], [batch, queries, 4]
  Value* logits;           // [batch, queries, labels]
};

// The most promising places, by the best of their labels.
Queries choose(Net& net, const Sizes& s, Value* memory, Value* anchors) {
  Value* is_at_edge = net.op("Or", {net.op("LessOrEqual", {anchors, net.real(1e-2)}),
                                    net.op("GreaterOrEqual", {anchors, net.real(1 - 1e-2)})});
  Value* edge = net.maximum(net.to_float(is_at_edge), {-1});
  Value* bare = net.op("Log", {net.div(anchors, net.sub(1.0, anchors))});
  Value* begin = net.where(net.cast(edge, ElementType::boolean), net.real(-net.lowest()), bare);
  Value* inner = net.mul(net.sub(1.0, edge), memory);
  inner = net.linear("enc_output.0", inner, s.width, s.width);
  inner = net.layer_norm("enc_output.1", inner, s.width, s.norm_epsilon);
  Value* logits = net.linear("enc_score_head", inner, s.width, s.labels);
  Value* boxes = net.add(predict(net, "enc_bbox_head", inner, {s.width, s.width, 4, 3}), begin);
  Value* best = net.maximum(logits, {-1}, false);
  Value* chosen = net.ops("TopK", {best, net.wholes({s.queries})}, 2, {{"axis", 1}}).back();
  chosen = net.unsqueeze(chosen, {2});
  const auto pick = [&](Value* from) {
    return net.op("GatherND", {from, chosen}, {{"batch_dims", 1}});
  };
  return {pick(inner), net.sigmoid(pick(boxes)), pick(logits)};
}

Value* decoder_layer(Net& net, const Sizes& s, Value* x, Value* places, Value* boxes, Value* memory,
                     const std::vector<MapLevel>& levels) {
  Value* seen =
      attend_to_places(net, "self_attn", {s.width, s.decoder_heads, x, places, x, places});
  x = net.add_layer_norm("self_attn_layer_norm", seen, x, s.width, s.norm_epsilon);
  seen = attend_around_boxes(
      net, "encoder_attn",
      {s.width, s.decoder_heads, s.queries, s.points, net.add(x, places), boxes, memory}, levels);
  x = net.add_layer_norm("encoder_attn_layer_norm", seen, x, s.width, s.norm_epsilon);
  seen = widen_and_narrow(net, x, s.width, s.decoder_ffn, s.decoder_act,
                          "decoder_activation_function");
  return net.add_layer_norm("final_layer_norm", seen, x, s.width, s.norm_epsilon);
}

// What each query saw, and its box, which each layer corrects where there are heads for it.
Queries decode(Net& net, const Sizes& s, Queries queries, Value* memory,
               const std::vector<MapLevel>& levels, bool corrects) {
  const Net::Scope scope = net.enter("decoder");
  for (std::int64_t i = 0; i < s.decoder_layers; ++i) {
    Value* places = predict(net, "query_pos_head", queries.boxes, {4, 2 * s.width, s.width, 2});
    {
      const Net::Scope layer = net.enter("layers", i);
      queries.content =
          decoder_layer(net, s, queries.content, places, queries.boxes, memory, levels);
    }
    if (!corrects) continue;
    const std::string number = std::to_string(i);
    Value* change = predict(net, "bbox_embed." + number, queries.content, {s.width, s.width, 4, 3});
    queries.boxes = net.sigmoid(net.add(change, unsigmoid(net, queries.boxes)));
    // Only the last one is looked at; those before it are for training.
    queries.logits = net.linear("class_embed." + number, queries.content, s.width, s.labels);
  }
  return queries;
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  const Sizes s = read_sizes(config);
  Value* pixels = image_input(net, s.backbone.channels, "height", "width");
  const Net::Scope base = net.enter_base("model");
  net.ignore("denoising_class_embed.weight");
  std::vector<FeatureMap> maps;
  {
    const Net::Scope scope = net.enter("backbone.model");
    maps = write_backbone(net, s.backbone, pixels);
  }
  if (net.problems().any()) return;  // as many maps as all lists say, from here on
  const std::vector<Value*> levels = levels_of(net, s, exchange(net, s, project_in(net, s, maps)));
  std::vector<Value*> parts;
  for (Value* level : levels) parts.push_back(places_of_map(net, level, s.width));
  Value* memory = net.concat(parts, 1);
  const Queries first = choose(net, s, memory, anchors(net, levels));
  const bool detects = wanted.task == "object-detection";
  const Queries last = decode(net, s, first, memory, levels_of_maps(net, levels), detects);
  if (detects) write_detections(net, last.logits, last.boxes, s.queries, s.labels);
  net.output("last_hidden_state", last.content, {"batch_size", s.queries, s.width});
  net.output("enc_topk_logits", first.logits, {"batch_size", s.queries, s.labels});
  net.output("enc_topk_bboxes", first.boxes, {"batch_size", s.queries, 4});
}

}  // namespace

Family rt_detr() {
  return {.name = "rt_detr",
          .model_types = {"rt_detr"},
          .tasks = {"object-detection", "feature-extraction"},
          .write = write};
}

}  // namespace hone::families
