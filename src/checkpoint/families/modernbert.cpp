// ModernBERT: an encoder with rotary positions, gated layers, and layers that look only so far.

#include <cmath>

#include "checkpoint/family.h"
#include "checkpoint/text_encoder.h"
#include "checkpoint/text_heads.h"

namespace hone::families {
namespace {

constexpr std::string_view full = "full_attention";
constexpr std::string_view sliding = "sliding_attention";

// How positions turn queries and keys, of one kind of layers.
struct Rotation {
  double theta = 10'000;
  double factor = 1;  // positions are divided by it
};

struct Sizes {
  TextSizes text;
  std::vector<std::string> kinds{};  // of each layer
  std::int64_t window = 64;          // how far sliding layers look, either way
  Rotation of_full{};
  Rotation of_sliding{};
  bool attention_bias, mlp_bias, norm_bias, classifier_bias;
  std::string classifier_act;
};

std::vector<std::string> read_kinds(const Config& config, std::int64_t layers) {
  std::vector<std::string> made;
  if (config.has("layer_types")) {
    made = config.words("layer_types", {});
    if (made.size() != static_cast<std::size_t>(layers)) {
      config.refuse("layer_types", "there have to be num_hidden_layers");
    }
  } else {
    const std::int64_t every = config.size("global_attn_every_n_layers", 3);
    for (std::int64_t i = 0; i < layers; ++i) made.emplace_back(i % every == 0 ? full : sliding);
  }
  for (const std::string& kind : made) {
    if (kind != full && kind != sliding) {
      config.refuse("layer_types", "known are full_attention and sliding_attention");
    }
  }
  made.resize(static_cast<std::size_t>(layers), std::string(full));
  return made;
}

// `older_key` is where older configurations have theta.
Rotation read_rotation(const Config& config, std::string_view kind, std::string_view older_key,
                       double otherwise) {
  const double theta = config.real(older_key, otherwise);
  const Json* all = config.raw("rope_parameters");
  if (!all || !all->find(kind) || all->find(kind)->is_null()) return {.theta = theta};
  const Config own = config.part("rope_parameters").part(kind);
  own.only("partial_rotary_factor", 1.0, "the whole of each head is turned");
  const std::string type =
      own.one_of("rope_type", {"default", "linear"}, own.word("type", "default"));
  Rotation rotation{.theta = own.real("rope_theta", theta)};
  if (type == "linear") rotation.factor = own.real("factor");
  if (!(rotation.theta > 0) || !(rotation.factor > 0)) {
    config.refuse("rope_parameters", "theta and factor have to be above 0");
    return {};
  }
  return rotation;
}

void read_rotations(const Config& config, Sizes& s) {
  config.only("rope_scaling", Json(), "rope_parameters says it for each kind of layers");
  config.only("partial_rotary_factor", 1.0, "the whole of each head is turned");
  const Json* all = config.raw("rope_parameters");
  if (all && !all->as_object()) config.refuse("rope_parameters", "it has to be a table");
  if (all && all->as_object()) {
    for (const auto& [key, value] : *all->as_object()) {
      if (key != full && key != sliding) {
        config.refuse("rope_parameters", "known are full_attention and sliding_attention");
      }
    }
  }
  s.of_full = read_rotation(config, full, "global_rope_theta", 160'000);
  // Where it is null, older configurations mean that of all layers.
  const double usual = config.is_null("local_rope_theta") ? s.of_full.theta : 10'000;
  s.of_sliding = read_rotation(config.nullable(), sliding, "local_rope_theta", usual);
}

Sizes read_sizes(const Config& config) {
  Sizes s{.text = {.width = config.size("hidden_size", 768),
                   .heads = config.size("num_attention_heads", 12),
                   .inner = config.size("intermediate_size", 1152),
                   .layers = config.layers("num_hidden_layers", 22),
                   .vocabulary = config.size("vocab_size", 50368),
                   .epsilon = config.real("norm_eps", 1e-5),
                   .act = config.word("hidden_activation", "gelu")},
          .attention_bias = config.flag("attention_bias", false),
          .mlp_bias = config.flag("mlp_bias", false),
          .norm_bias = config.flag("norm_bias", false),
          .classifier_bias = config.flag("classifier_bias", false),
          .classifier_act = config.word("classifier_activation", "gelu")};
  s.text.head_size =
      config.divided("hidden_size", s.text.width, "num_attention_heads", s.text.heads);
  if (s.text.head_size % 2 != 0) config.refuse("num_attention_heads", "heads have an odd width");
  config.only("head_dim", s.text.head_size, "heads have to be as wide as the layers");
  s.kinds = read_kinds(config, s.text.layers);
  const std::string_view window =
      config.has("sliding_window") ? "sliding_window" : "local_attention";
  const std::int64_t said = config.whole(window, 128);
  if (said < 0) config.refuse(window, "it has to be 0 or more");
  s.window = window == "sliding_window" ? said : said / 2;
  read_rotations(config, s);
  return s;
}

Value* normalize(Net& net, const Sizes& s, std::string_view module, Value* x) {
  return net.layer_norm(module, x, s.text.width, s.text.epsilon, s.norm_bias);
}

// What layers of one kind share: cosines and sines, [1, length, 1, head_size], and their mask.
struct Kind {
  Value* cosine = nullptr;
  Value* sine = nullptr;
  Value* bias = nullptr;
  Value* sees = nullptr;  // [batch, length, 1]: 0 for tokens that see none; null where all see some
};

// Counted in float32, whatever the network is of: positions go far beyond what 16 bits tell apart.
void turn(Net& net, const TextSizes& s, const Rotation& rotation, Value* ids, Kind& kind) {
  if (net.problems().any()) return;
  std::vector<float> frequencies;
  for (std::int64_t i = 0; i < s.head_size; i += 2) {
    const float share = static_cast<float>(i) / static_cast<float>(s.head_size);
    const float length = std::pow(static_cast<float>(rotation.theta), share);
    frequencies.push_back(1 / length / static_cast<float>(rotation.factor));
  }
  Value* each = net.constant(make_float_tensor("frequencies", frequencies));
  Value* places = net.cast(net.unsqueeze(count_places(net, ids), {1}), ElementType::float32);
  Value* half = net.mul(places, each);
  Value* angles = net.unsqueeze(net.concat({half, half}, -1), {0, 2});
  kind.cosine = net.op("Cos", {angles});
  kind.sine = net.op("Sin", {angles});
  if (net.type() == ElementType::float32) return;
  kind.cosine = net.to_float(kind.cosine);
  kind.sine = net.to_float(kind.sine);
}

// Where a token and all that it could see are padding, torch's attention gives zeros.
void look_around(Net& net, const Sizes& s, Value* ids, Value* mask, Kind& kind) {
  Value* is_near =
      net.op("LessOrEqual", {net.op("Abs", {distances_between(net, ids)}), net.whole(s.window)});
  kind.bias = net.where(is_near, net.padding_bias(mask), net.real(net.lowest()));
  Value* seen = net.where(is_near, net.unsqueeze(net.to_float(mask), {1}), net.real(0));
  kind.sees = net.maximum(seen, {-1});
}

// [batch, length, heads * head_size], turned.
Value* rotate(Net& net, const TextSizes& s, const Kind& kind, Value* x) {
  Value* of_heads = net.reshape(x, {0, 0, s.heads, s.head_size});
  const std::vector<Value*> halves = net.split(of_heads, {s.head_size / 2, s.head_size / 2}, -1);
  Value* turned = net.concat({net.op("Neg", {halves[1]}), halves[0]}, -1);
  Value* sum = net.add(net.mul(of_heads, kind.cosine), net.mul(turned, kind.sine));
  return net.reshape(sum, {0, 0, s.width});
}

Value* attend(Net& net, const Sizes& s, const Kind& kind, Value* x) {
  const Net::Scope scope = net.enter("attn");
  const std::int64_t width = s.text.width;
  const std::vector<Value*> parts = net.split(
      net.linear("Wqkv", x, width, 3 * width, s.attention_bias), {width, width, width}, -1);
  const bool turns = kind.cosine != nullptr;
  Value* seen = net.attention({.query = turns ? rotate(net, s.text, kind, parts[0]) : parts[0],
                               .key = turns ? rotate(net, s.text, kind, parts[1]) : parts[1],
                               .value = parts[2],
                               .heads = s.text.heads,
                               .head_size = s.text.head_size,
                               .bias = kind.bias})
                    .output;
  if (kind.sees) seen = net.mul(seen, kind.sees);
  return net.linear("Wo", seen, width, width, s.attention_bias);
}

Value* gate(Net& net, const Sizes& s, Value* x) {
  const Net::Scope scope = net.enter("mlp");
  const std::int64_t inner = s.text.inner;
  const std::vector<Value*> halves =
      net.split(net.linear("Wi", x, s.text.width, 2 * inner, s.mlp_bias), {inner, inner}, -1);
  Value* gated = net.mul(net.activation(s.text.act, halves[0], "hidden_activation"), halves[1]);
  return net.linear("Wo", gated, inner, s.text.width, s.mlp_bias);
}

Value* encode(Net& net, const Sizes& s, Value* ids, Value* mask) {
  Value* x = net.embedding("embeddings.tok_embeddings", ids, s.text.vocabulary, s.text.width);
  x = normalize(net, s, "embeddings.norm", x);
  Kind of_full{.bias = net.padding_bias(mask)};
  Kind of_sliding;
  look_around(net, s, ids, mask, of_sliding);
  turn(net, s.text, s.of_full, ids, of_full);
  turn(net, s.text, s.of_sliding, ids, of_sliding);
  for (std::int64_t i = 0; i < s.text.layers; ++i) {
    const Net::Scope scope = net.enter("layers", i);
    const bool is_full = s.kinds[static_cast<std::size_t>(i)] == full;
    // The first layer's input is normalized already.
    Value* before = i == 0 ? x : normalize(net, s, "attn_norm", x);
    x = net.add(x, attend(net, s, is_full ? of_full : of_sliding, before));
    x = net.add(x, gate(net, s, normalize(net, s, "mlp_norm", x)));
  }
  return normalize(net, s, "final_norm", x);
}

// What all heads begin with.
Value* begin_head(Net& net, const Sizes& s, Value* x) {
  const Net::Scope scope = net.enter("head");
  x = net.linear("dense", x, s.text.width, s.text.width, s.classifier_bias);
  return normalize(net, s, "norm", net.activation(s.classifier_act, x, "classifier_activation"));
}

// Of [batch, length, width] the mean of what is no padding, or the first token; of a choice the
// first that is no padding.
Value* sum_up(Net& net, const Config& config, const WantedGraph& wanted, Value* x, Value* mask) {
  if (config.one_of("classifier_pooling", {"cls", "mean"}, "cls") == "mean") {
    Value* is_word = net.unsqueeze(net.to_float(mask), {2});
    return net.div(net.sum(net.mul(x, is_word), {1}, false), net.sum(is_word, {1}, false));
  }
  if (wanted.task != "multiple-choice") return net.pick(x, 1, 0);
  Value* first = net.op("ArgMax", {mask}, {{"axis", -1}, {"keepdims", 1}});
  return net.op("GatherND", {x, first}, {{"batch_dims", 1}});
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  const Sizes s = read_sizes(config);
  const std::int64_t width = s.text.width;
  Value* ids = text_input(net, wanted, "input_ids");
  Value* mask = text_input(net, wanted, "attention_mask");
  Value* x = nullptr;
  {
    const Net::Scope base = net.enter_base("model");
    x = encode(net, s, ids, mask);
  }
  if (wanted.task == "feature-extraction") {
    write_hidden_state(net, x, nullptr, width);
  } else if (is_of_whole_text(wanted)) {
    Value* text = begin_head(net, s, sum_up(net, config, wanted, x, mask));
    write_text_logits(net, config, wanted, "classifier", text, width);
  } else if (wanted.task == "fill-mask") {
    write_word_logits(net, config,
                      {.module = "decoder",
                       .words = base_path(net, "model", "embeddings.tok_embeddings.weight"),
                       .width = width,
                       .vocabulary = s.text.vocabulary,
                       .bias = config.flag("decoder_bias", true)},
                      begin_head(net, s, x));
  } else {
    write_token_logits(net, config, wanted, begin_head(net, s, x), width, "classifier",
                       "classifier");
  }
}

}  // namespace

Family modernbert() {
  return {
      .name = "modernbert", .model_types = {"modernbert"}, .tasks = text_tasks(), .write = write};
}

}  // namespace hone::families
