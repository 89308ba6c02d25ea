// SegFormer: stages of overlapping patches whose keys are fewer than their queries, and a head that
// puts all of them together.

#include "checkpoint/family.h"
#include "checkpoint/heads.h"
#include "checkpoint/stages.h"

namespace hone::families {
namespace {

struct Stage {
  std::int64_t in, width, heads, depth, patch, stride, reduction, inner;
};

struct Sizes {
  std::int64_t channels = 1;
  std::vector<Stage> stages;
  std::string act;
};

// All of its norms have torch's epsilon: transformers does not read layer_norm_eps here.
constexpr double epsilon = 1e-5;

// As many as there are blocks; anything else is a problem.
std::vector<std::int64_t> per_stage(const Config& config, std::string_view key, std::size_t count,
                                    std::vector<std::int64_t> otherwise) {
  std::vector<std::int64_t> values = key == "depths"
                                         ? stage_depths(config, std::move(otherwise))
                                         : stage_sizes(config, key, std::move(otherwise));
  if (values.size() != count) {
    config.refuse(key, "there has to be one for each of num_encoder_blocks");
    values.assign(count, 1);
  }
  return values;
}

Sizes read_sizes(const Config& config) {
  const auto count = static_cast<std::size_t>(config.layers("num_encoder_blocks", 4));
  const auto read = [&](std::string_view key, std::vector<std::int64_t> otherwise) {
    return per_stage(config, key, count, std::move(otherwise));
  };
  const auto widths = read("hidden_sizes", {32, 64, 160, 256});
  const auto heads = read("num_attention_heads", {1, 2, 5, 8});
  const auto depths = read("depths", {2, 2, 2, 2});
  const auto patches = read("patch_sizes", {7, 3, 3, 3});
  const auto strides = read("strides", {4, 2, 2, 2});
  const auto reductions = read("sr_ratios", {8, 4, 2, 1});
  const auto ratios = read("mlp_ratios", {4, 4, 4, 4});
  Sizes s{.channels = config.size("num_channels", 3),
          .stages = {},
          .act = config.word("hidden_act", "gelu")};
  std::int64_t in = s.channels;
  for (std::size_t i = 0; i < count; ++i) {
    s.stages.push_back({in, widths[i], heads[i], depths[i], patches[i], strides[i], reductions[i],
                        widths[i] * ratios[i]});
    config.divided("hidden_sizes", widths[i], "num_attention_heads", heads[i]);
    in = widths[i];
  }
  if (count == 0) config.refuse("num_encoder_blocks", "there has to be one");
  return s;
}

Value* flatten(Net& net, Value* map, std::int64_t width) {
  return net.transpose(net.reshape(map, {0, width, -1}), {0, 2, 1});
}

// [batch, positions, width] as a map of that many channels; `grid` has its height and width.
Value* unflatten(Net& net, Value* x, std::int64_t width, Value* grid) {
  return net.reshape(net.transpose(x, {0, 2, 1}), net.dims({0, width, grid}));
}

Value* attend(Net& net, const Stage& s, Value* x, Value* grid) {
  const std::int64_t w = s.width;
  Value* seen = nullptr;
  {
    const Net::Scope scope = net.enter("self");
    Value* keys = x;
    if (s.reduction > 1) {
      keys = net.convolution("sr", unflatten(net, x, w, grid),
                             {.in = w,
                              .out = w,
                              .kernel = {s.reduction, s.reduction},
                              .stride = {s.reduction, s.reduction}});
      keys = net.layer_norm("layer_norm", flatten(net, keys, w), w, epsilon);
    }
    seen = net.attention({.query = net.linear("query", x, w, w),
                          .key = net.linear("key", keys, w, w),
                          .value = net.linear("value", keys, w, w),
                          .heads = s.heads,
                          .head_size = w / s.heads})
               .output;
  }
  return net.linear("output.dense", seen, w, w);
}

Value* mix(Net& net, const Stage& s, const std::string& act, Value* x, Value* grid) {
  Value* map = unflatten(net, net.linear("dense1", x, s.width, s.inner), s.inner, grid);
  map = net.convolution(
      "dwconv.dwconv", map,
      {.in = s.inner, .out = s.inner, .kernel = {3, 3}, .padding = {1, 1}, .groups = s.inner});
  return net.linear("dense2", net.activation(act, flatten(net, map, s.inner)), s.inner, s.width);
}

Value* layer(Net& net, const Stage& s, const std::string& act, Value* x, Value* grid) {
  Value* seen = net.layer_norm("layer_norm_1", x, s.width, epsilon);
  {
    const Net::Scope scope = net.enter("attention");
    seen = attend(net, s, seen, grid);
  }
  Value* inner = net.add_layer_norm("layer_norm_2", seen, x, s.width, epsilon, &x);
  {
    const Net::Scope scope = net.enter("mlp");
    inner = mix(net, s, act, inner, grid);
  }
  return net.add(inner, x);
}

// A map to a map; `tokens` is the same before it is made a map.
Value* stage(Net& net, const Stage& s, const std::string& act, std::int64_t index, Value* map,
             Value** tokens) {
  Value* x = nullptr;
  Value* grid = nullptr;
  {
    const Net::Scope scope = net.enter("patch_embeddings", index);
    map = net.convolution("proj", map,
                          {.in = s.in,
                           .out = s.width,
                           .kernel = {s.patch, s.patch},
                           .stride = {s.stride, s.stride},
                           .padding = {s.patch / 2, s.patch / 2}});
    grid = net.op("Shape", {map}, {{"start", 2}});
    x = net.layer_norm("layer_norm", flatten(net, map, s.width), s.width, epsilon);
  }
  for (std::int64_t i = 0; i < s.depth; ++i) {
    const Net::Scope block = net.enter("block", index);
    const Net::Scope scope = net.enter(std::to_string(i));
    x = layer(net, s, act, x, grid);
  }
  const Net::Scope norms = net.enter("layer_norm");
  *tokens = net.layer_norm(std::to_string(index), x, s.width, epsilon);
  return unflatten(net, *tokens, s.width, grid);
}

struct Encoded {
  std::vector<Value*> maps;
  Value* tokens = nullptr;  // of the last
};

Encoded encode(Net& net, const Sizes& s, Value* map) {
  const Net::Scope base = net.enter_base("segformer");
  const Net::Scope scope = net.enter("encoder");
  Encoded encoded;
  for (std::size_t i = 0; i < s.stages.size(); ++i) {
    map = stage(net, s.stages[i], s.act, static_cast<std::int64_t>(i), map, &encoded.tokens);
    encoded.maps.push_back(map);
  }
  return encoded;
}

Value* segment(Net& net, const Config& config, const Sizes& s, const Encoded& encoded,
               std::int64_t labels) {
  const Net::Scope scope = net.enter("decode_head");
  const std::int64_t width = config.size("decoder_hidden_size", 256);
  Value* largest = net.op("Shape", {encoded.maps.front()}, {{"start", 2}});
  std::vector<Value*> parts;
  for (std::size_t i = 0; i < s.stages.size(); ++i) {
    const Net::Scope part = net.enter("linear_c", static_cast<std::int64_t>(i));
    Value* grid = net.op("Shape", {encoded.maps[i]}, {{"start", 2}});
    Value* x = flatten(net, encoded.maps[i], s.stages[i].width);
    x = unflatten(net, net.linear("proj", x, s.stages[i].width, width), width, grid);
    if (i > 0) x = net.resize(x, largest, Net::Interpolation::bilinear);
    parts.insert(parts.begin(), x);
  }
  const auto count = static_cast<std::int64_t>(parts.size());
  Value* x = net.convolution("linear_fuse", net.concat(parts, 1),
                             {.in = width * count, .out = width, .kernel = {1, 1}, .bias = false});
  x = net.op("Relu", {net.batch_norm("batch_norm", x, width)});
  return net.convolution("classifier", x, {.in = width, .out = labels, .kernel = {1, 1}});
}

void write_features(Net& net, const Encoded& encoded, std::int64_t width, bool is_map) {
  if (is_map) {
    net.output("last_hidden_state", encoded.maps.back(),
               {"batch_size", width, "feature_height", "feature_width"});
  } else {
    net.output("last_hidden_state", encoded.tokens, {"batch_size", "sequence_length", width});
  }
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  const Sizes s = read_sizes(config);
  if (s.stages.empty()) return;
  const Encoded encoded = encode(net, s, image_input(net, s.channels, "height", "width"));
  const std::int64_t width = s.stages.back().width;
  const bool is_map = config.flag("reshape_last_stage", true);
  if (wanted.task == "feature-extraction") {
    write_features(net, encoded, width, is_map);
    return;
  }
  const std::int64_t labels = label_count(config);
  if (wanted.task == "image-classification") {
    Value* mean = net.mean(encoded.tokens, {1}, false);
    net.output("logits", net.linear("classifier", mean, width, labels), {"batch_size", labels});
    return;
  }
  if (!is_map) config.refuse("reshape_last_stage", "segmentation takes maps");
  net.output("logits", segment(net, config, s, encoded, labels),
             {"batch_size", labels, "logits_height", "logits_width"});
}

}  // namespace

Family segformer() {
  return {.name = "segformer",
          .model_types = {"segformer"},
          .tasks = {"feature-extraction", "image-classification", "image-segmentation"},
          .write = write};
}

}  // namespace hone::families
