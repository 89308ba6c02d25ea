// Swin and Swin v2: layers that attend within windows, every other one within windows that are
// shifted, and stages that halve the map. v2 normalizes after each layer, compares directions
// instead of products, and computes what a distance is worth.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "checkpoint/family.h"
#include "checkpoint/heads.h"
#include "checkpoint/stages.h"
#include "checkpoint/vit.h"
#include "checkpoint/windows.h"

namespace hone::families {
namespace {

struct Stage {
  std::int64_t rows, columns, width, heads, head_size, depth, inner;
  std::int64_t window;          // its side
  std::int64_t learned_window;  // of v2, before it was made larger; 0: the same
  bool shifts;
};

struct Sizes {
  bool is_second = false;
  std::int64_t channels = 1, width = 1;
  std::vector<std::int64_t> image, patch;
  std::vector<Stage> stages;
  double epsilon = 0;
  std::string act;
  bool qkv_bias = true, has_positions = false;

  std::int64_t last_width() const { return stages.empty() ? 1 : stages.back().width; }
  std::int64_t positions() const {
    return stages.empty() ? 1 : stages.back().rows * stages.back().columns;
  }
};

// Of the norms whose epsilon no switch says.
constexpr double torch_epsilon = 1e-5;
constexpr std::size_t most_stages = 8;
// Of patches, along each side.
constexpr std::int64_t largest_grid = 16'384;

std::int64_t divided_up(std::int64_t whole, std::int64_t part) {
  return whole / part + (whole % part == 0 ? 0 : 1);
}

// v1 takes the map as it is; its table has one window's distances, so that no other fits.
void set_window(const Config& config, Stage& stage, std::int64_t window) {
  const std::int64_t shorter = std::min(stage.rows, stage.columns);
  stage.window = window;
  stage.shifts = shorter > window;
  if (shorter < window) config.refuse("window_size", "a stage is smaller than a window");
}

// v2 looks at the rows that the picture would have without padding.
void set_second_window(const Config& config, Stage& stage, std::int64_t window, std::int64_t rows) {
  if (rows < 1) config.refuse("image_size", "nothing is left of it in the last stage");
  stage.window = std::clamp<std::int64_t>(rows, 1, window);
  stage.shifts = rows > stage.window;
}

// One for each stage, or a problem and none.
std::vector<std::int64_t> per_stage(const Config& config, std::string_view key,
                                    std::vector<std::int64_t> values, std::size_t stages) {
  if (values.size() >= stages) return values;
  config.refuse(key, "there has to be one for each of depths");
  return {};
}

std::vector<std::int64_t> read_learned_windows(const Config& config, bool is_second,
                                               std::size_t stages) {
  if (!is_second) return std::vector<std::int64_t>(stages, 0);
  const auto windows = per_stage(config, "pretrained_window_sizes",
                                 config.wholes("pretrained_window_sizes", {0, 0, 0, 0}), stages);
  const auto can_be = [](std::int64_t size) { return size <= 0 || (size > 1 && size < 1'000'000); };
  if (std::all_of(windows.begin(), windows.end(), can_be)) return windows;
  config.refuse("pretrained_window_sizes", "each has to be 0 or above 1");
  return {};
}

void read_stages(const Config& config, Sizes& s) {
  const std::vector<std::int64_t> depths = stage_depths(config, {2, 2, 6, 2});
  const std::vector<std::int64_t> heads = per_stage(
      config, "num_heads", stage_sizes(config, "num_heads", {3, 6, 12, 24}), depths.size());
  const auto learned = read_learned_windows(config, s.is_second, depths.size());
  if (depths.empty() || depths.size() > most_stages) config.refuse("depths", "1 to 8 are written");
  const std::int64_t window = config.size("window_size", 7);
  if (window > largest_window) config.refuse("window_size", "at most 32 is written");
  std::int64_t rows = divided_up(s.image[0], s.patch[0]);
  std::int64_t columns = divided_up(s.image[1], s.patch[1]);
  if (std::max(rows, columns) > largest_grid) config.refuse("image_size", "too many patches");
  if (config.problems().any()) return;
  for (std::size_t i = 0; i < depths.size(); ++i) {
    const std::int64_t width = s.width << i;
    Stage stage{.rows = rows,
                .columns = columns,
                .width = width,
                .heads = heads[i],
                .head_size = config.divided("embed_dim", width, "num_heads", heads[i]),
                .depth = depths[i],
                .inner = scaled_size(config, "mlp_ratio", 4, width),
                .window = 1,
                .learned_window = std::max<std::int64_t>(0, learned[i]),
                .shifts = false};
    if (s.is_second) {
      set_second_window(config, stage, window, (s.image[0] / s.patch[0]) >> i);
    } else {
      set_window(config, stage, window);
    }
    s.stages.push_back(stage);
    rows = divided_up(rows, 2);
    columns = divided_up(columns, 2);
  }
}

Sizes read_sizes(const Config& config, bool is_second) {
  Sizes s{.is_second = is_second,
          .channels = config.size("num_channels", 3),
          .width = config.size("embed_dim", 96),
          .image = config.pair("image_size", 224),
          .patch = config.pair("patch_size", 4),
          .stages = {},
          .epsilon = config.real("layer_norm_eps", 1e-5),
          .act = config.word("hidden_act", "gelu"),
          .qkv_bias = config.flag("qkv_bias", true),
          .has_positions = config.flag("use_absolute_embeddings", false)};
  if (config.has("num_attention_heads")) config.refuse("num_attention_heads", "it is num_heads");
  const bool is_even = s.image[0] % s.patch[0] == 0 && s.image[1] % s.patch[1] == 0;
  if (s.has_positions && (is_second || !is_even)) {
    config.refuse("use_absolute_embeddings", "there are not as many as patches");
  }
  read_stages(config, s);
  return s;
}

Value* embed(Net& net, const Sizes& s, Value* pixels) {
  const Net::Scope scope = net.enter("embeddings");
  net.ignore("mask_token");
  const std::int64_t below = (s.patch[0] - s.image[0] % s.patch[0]) % s.patch[0];
  const std::int64_t right = (s.patch[1] - s.image[1] % s.patch[1]) % s.patch[1];
  if (below > 0 || right > 0) pixels = net.pad(pixels, {0, 0, 0, 0}, {0, 0, below, right});
  Value* x =
      net.convolution("patch_embeddings.projection", pixels,
                      {.in = s.channels, .out = s.width, .kernel = s.patch, .stride = s.patch});
  x = net.transpose(net.reshape(x, {0, s.width, -1}), {0, 2, 1});
  x = net.layer_norm("norm", x, s.width, torch_epsilon);
  if (!s.has_positions) return x;
  const std::int64_t count = s.stages.front().rows * s.stages.front().columns;
  return net.add(x, net.weight("position_embeddings", {1, count, s.width}));
}

Value* attend_first(Net& net, const Sizes& s, const Stage& stage, const Windows& w, Value* x) {
  const Net::Scope scope = net.enter("self");
  net.ignore("relative_position_index");
  const std::int64_t line = 2 * w.size - 1;
  Value* table = net.weight("relative_position_bias_table", {line * line, stage.heads});
  Value* bias = spread_over_positions(net, w, table, stage.heads);
  return net
      .attention({.query = net.linear("query", x, w.width, w.width, s.qkv_bias),
                  .key = net.linear("key", x, w.width, w.width, s.qkv_bias),
                  .value = net.linear("value", x, w.width, w.width, s.qkv_bias),
                  .heads = stage.heads,
                  .head_size = stage.head_size,
                  .bias = window_bias(net, w, bias, -100, stage.heads, x)})
      .output;
}

// Where positions of a window lie from each other, on a scale of logarithms: two for each distance.
Value* log_distances(Net& net, const Stage& stage, const Windows& w) {
  const std::int64_t learned = stage.learned_window > 0 ? stage.learned_window : w.size;
  const double furthest = static_cast<double>(std::max<std::int64_t>(1, learned - 1));
  const auto on_scale = [&](std::int64_t distance) {
    const double eighths = 8 * static_cast<double>(distance) / furthest;
    return std::copysign(std::log2(std::abs(eighths) + 1) / 3, eighths);
  };
  std::vector<double> numbers;
  for (std::int64_t down = 1 - w.size; down < w.size; ++down) {
    for (std::int64_t across = 1 - w.size; across < w.size; ++across) {
      numbers.push_back(on_scale(down));
      numbers.push_back(on_scale(across));
    }
  }
  return net.reals(numbers, {static_cast<std::int64_t>(numbers.size()) / 2, 2});
}

// [1, heads, positions, positions].
Value* computed_bias(Net& net, const Stage& stage, const Windows& w) {
  const Net::Scope scope = net.enter("continuous_position_bias_mlp");
  constexpr std::int64_t inner = 512;
  Value* x = net.op("Relu", {net.linear("0", log_distances(net, stage, w), 2, inner)});
  Value* table = net.linear("2", x, inner, stage.heads, false);
  return net.mul(net.sigmoid(spread_over_positions(net, w, table, stage.heads)), 16.0);
}

// Each head's part of x, of length one.
Value* directions(Net& net, const Stage& stage, Value* x, Value* scale) {
  x = net.l2_normalize(net.reshape(x, {0, 0, stage.heads, stage.head_size}), -1, 1e-12);
  if (scale) x = net.mul(x, scale);
  return net.reshape(x, {0, 0, stage.width});
}

Value* attend_second(Net& net, const Sizes& s, const Stage& stage, const Windows& w, Value* x) {
  const Net::Scope scope = net.enter("self");
  net.ignore("relative_position_index");
  net.ignore("relative_coords_table");
  Value* sharpness = net.reshape(net.weight("logit_scale", {stage.heads, 1, 1}), {stage.heads, 1});
  sharpness = net.op("Exp", {net.op("Min", {sharpness, net.real(std::log(100.0))})});
  Value* query = net.linear("query", x, w.width, w.width, s.qkv_bias);
  // transformers adds the mask twice.
  Value* bias = window_bias(net, w, computed_bias(net, stage, w), -200, stage.heads, x);
  return net
      .attention(
          {.query = directions(net, stage, query, sharpness),
           .key = directions(net, stage, net.linear("key", x, w.width, w.width, false), nullptr),
           .value = net.linear("value", x, w.width, w.width, s.qkv_bias),
           .heads = stage.heads,
           .head_size = stage.head_size,
           .bias = bias,
           .scale = 1.0})
      .output;
}

Value* attend(Net& net, const Sizes& s, const Stage& stage, bool is_odd, Value* x) {
  const Windows w{.rows = stage.rows,
                  .columns = stage.columns,
                  .width = stage.width,
                  .size = stage.window,
                  .shift = is_odd && stage.shifts ? stage.window / 2 : 0};
  x = cut_windows(net, w, x);
  {
    const Net::Scope scope = net.enter("attention");
    x = s.is_second ? attend_second(net, s, stage, w, x) : attend_first(net, s, stage, w, x);
    x = net.linear("output.dense", x, stage.width, stage.width);
  }
  return join_windows(net, w, x);
}

Value* mix(Net& net, const Sizes& s, const Stage& stage, Value* x) {
  x = net.activation(s.act, net.linear("intermediate.dense", x, stage.width, stage.inner));
  return net.linear("output.dense", x, stage.inner, stage.width);
}

Value* layer(Net& net, const Sizes& s, const Stage& stage, bool is_odd, Value* x) {
  const std::int64_t width = stage.width;
  if (s.is_second) {
    Value* seen = attend(net, s, stage, is_odd, x);
    x = net.add(x, net.layer_norm("layernorm_before", seen, width, s.epsilon));
    return net.add(x, net.layer_norm("layernorm_after", mix(net, s, stage, x), width, s.epsilon));
  }
  Value* normal = net.layer_norm("layernorm_before", x, width, s.epsilon);
  Value* seen = attend(net, s, stage, is_odd, normal);
  normal = net.add_layer_norm("layernorm_after", seen, x, width, s.epsilon, &x);
  return net.add(mix(net, s, stage, normal), x);
}

// Each four neighbours become one position of twice the width.
Value* merge(Net& net, const Sizes& s, const Stage& stage, Value* x) {
  const Net::Scope scope = net.enter("downsample");
  const std::int64_t width = stage.width;
  x = net.reshape(x, {0, stage.rows, stage.columns, width});
  if (stage.rows % 2 + stage.columns % 2 > 0) {
    x = net.pad(x, {0, 0, 0, 0}, {0, stage.rows % 2, stage.columns % 2, 0});
  }
  std::vector<Value*> parts;
  for (const std::int64_t column : {0, 1}) {
    for (const std::int64_t row : {0, 1}) {
      parts.push_back(net.slice(net.slice(x, 1, row, Net::to_end, 2), 2, column, Net::to_end, 2));
    }
  }
  x = net.reshape(net.concat(parts, 3), {0, -1, 4 * width});
  if (!s.is_second) x = net.layer_norm("norm", x, 4 * width, torch_epsilon);
  x = net.linear("reduction", x, 4 * width, 2 * width, false);
  return s.is_second ? net.layer_norm("norm", x, 2 * width, torch_epsilon) : x;
}

Value* encode(Net& net, const Sizes& s, Value* pixels) {
  Value* x = embed(net, s, pixels);
  for (std::size_t i = 0; i < s.stages.size(); ++i) {
    const Net::Scope scope = net.enter("encoder.layers", static_cast<std::int64_t>(i));
    for (std::int64_t k = 0; k < s.stages[i].depth; ++k) {
      const Net::Scope block = net.enter("blocks", k);
      x = layer(net, s, s.stages[i], k % 2 == 1, x);
    }
    if (i + 1 < s.stages.size()) x = merge(net, s, s.stages[i], x);
  }
  return net.layer_norm("layernorm", x, s.last_width(), s.epsilon);
}

void write_with(Net& net, const Config& config, const WantedGraph& wanted, bool is_second) {
  const Sizes s = read_sizes(config, is_second);
  if (s.stages.empty()) return;
  const std::int64_t width = s.last_width();
  Value* pixels = image_input(net, s.channels, s.image[0], s.image[1]);
  Value* x = nullptr;
  {
    const Net::Scope base = net.enter_base(is_second ? "swinv2" : "swin");
    x = encode(net, s, pixels);
  }
  Value* pooled = net.mean(x, {1}, false);
  if (wanted.task == "feature-extraction") {
    net.output("last_hidden_state", x, {"batch_size", s.positions(), width});
    net.output("pooler_output", pooled, {"batch_size", width});
  } else if (wanted.task == "image-classification") {
    const std::int64_t labels = label_count(config);
    net.output("logits", net.linear("classifier", pooled, width, labels), {"batch_size", labels});
  } else {
    const std::int64_t side = side_of_square(config, s.positions());
    Value* map = unflatten_patches(net, width, x, net.wholes({side, side}));
    write_reconstruction(net, config, map, width, side, s.channels,
                         config.size("encoder_stride", 32));
  }
}

void write_swin(Net& net, const Config& config, const WantedGraph& wanted) {
  write_with(net, config, wanted, false);
}

void write_swinv2(Net& net, const Config& config, const WantedGraph& wanted) {
  write_with(net, config, wanted, true);
}

}  // namespace

Family swin() {
  return {.name = "swin",
          .model_types = {"swin"},
          .tasks = {"feature-extraction", "image-classification", "masked-im"},
          .write = write_swin};
}

Family swinv2() {
  return {.name = "swinv2",
          .model_types = {"swinv2"},
          .tasks = {"feature-extraction", "image-classification", "masked-im"},
          .write = write_swinv2};
}

}  // namespace hone::families
