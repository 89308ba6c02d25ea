// GPT-2: learned positions, layers that normalize before each part, weights that lie as they are
// multiplied with, and one for queries, keys and values.

#include <cmath>

#include "checkpoint/causal.h"

namespace hone::families {
namespace {

struct Sizes {
  std::int64_t width, heads, head_size, inner, layers, vocabulary, positions;
  double epsilon;
  std::string act;
  bool scales, scales_by_layer, is_tied;
  std::optional<std::int64_t> padding;
};

// The name that other configurations have for a switch wins over GPT-2's own.
std::string_view said_name(const Config& config, std::string_view common, std::string_view own) {
  return config.has(common) ? common : own;
}

Sizes read_sizes(const Config& config) {
  refuse_other_directions(config);
  config.only("add_cross_attention", false, "only decoders by themselves are written");
  const std::string_view width = said_name(config, "hidden_size", "n_embd");
  const std::string_view heads = said_name(config, "num_attention_heads", "n_head");
  Sizes s{
      .width = config.size(width, 768),
      .heads = config.size(heads, 12),
      .head_size = 1,
      .inner = 1,
      .layers = config.layers(said_name(config, "num_hidden_layers", "n_layer"), 12),
      .vocabulary = config.size("vocab_size", 50257),
      .positions = config.size(said_name(config, "max_position_embeddings", "n_positions"), 1024),
      .epsilon = config.real("layer_norm_epsilon", 1e-5),
      .act = config.word("activation_function", "gelu_new"),
      .scales = config.flag("scale_attn_weights", true),
      .scales_by_layer = config.flag("scale_attn_by_inverse_layer_idx", false),
      .is_tied = config.flag("tie_word_embeddings", true),
      .padding = read_padding(config, std::nullopt)};
  s.head_size = config.divided(width, s.width, heads, s.heads);
  s.inner = config.has("n_inner") ? config.size("n_inner") : 4 * s.width;
  return s;
}

double scale_of(const Sizes& s, std::int64_t layer) {
  const double scale = s.scales ? 1 / std::sqrt(static_cast<double>(s.head_size)) : 1.0;
  return s.scales_by_layer ? scale / static_cast<double>(layer + 1) : scale;
}

Value* attend(Net& net, const Sizes& s, const CausalInputs& in, Value* x, Value* bias,
              std::vector<Cache>& presents, double scale) {
  const Net::Scope scope = net.enter("attn");
  net.ignore("bias");  // older files hold the mask
  net.ignore("masked_bias");
  Value* all = net.linear_as_it_lies("c_attn", x, s.width, 3 * s.width);
  const std::vector<Value*> qkv = net.split(all, {s.width, s.width, s.width}, 2);
  Value* seen = attend_to_past(net, in,
                               {.query = qkv[0],
                                .key = qkv[1],
                                .value = qkv[2],
                                .heads = s.heads,
                                .head_size = s.head_size,
                                .bias = bias,
                                .scale = scale},
                               presents);
  return net.linear_as_it_lies("c_proj", seen, s.width, s.width);
}

Value* feed_forward(Net& net, const Sizes& s, Value* x) {
  const Net::Scope scope = net.enter("mlp");
  Value* inner = net.linear_as_it_lies("c_fc", x, s.width, s.inner);
  return net.linear_as_it_lies("c_proj", net.activation(s.act, inner, "activation_function"),
                               s.inner, s.width);
}

Value* decode(Net& net, const Sizes& s, const CausalInputs& in, std::vector<Cache>& presents) {
  Value* residual = net.add(net.embedding("wte", in.ids, s.vocabulary, s.width),
                            net.embedding("wpe", in.positions, s.positions, s.width));
  Value* bias = bias_of(net, in);
  const auto norm_before = [&](std::int64_t layer) {
    return layer == s.layers ? "ln_f" : "h." + std::to_string(layer) + ".ln_1";
  };
  Value* x = net.layer_norm(norm_before(0), residual, s.width, s.epsilon);
  for (std::int64_t i = 0; i < s.layers; ++i) {
    Value* outer = nullptr;
    {
      const Net::Scope scope = net.enter("h", i);
      Value* seen = attend(net, s, in, x, bias, presents, scale_of(s, i));
      x = net.add_layer_norm("ln_2", seen, residual, s.width, s.epsilon, &residual);
      outer = feed_forward(net, s, x);
    }
    x = net.add_layer_norm(norm_before(i + 1), outer, residual, s.width, s.epsilon, &residual);
  }
  return x;
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  const Sizes s = read_sizes(config);
  const CacheSizes caches = {s.layers, s.heads, s.head_size};
  const CausalInputs in = causal_inputs(net, wanted, caches);
  std::vector<Cache> presents;
  Value* x = nullptr;
  {
    const Net::Scope base = net.enter_base("transformer");
    x = decode(net, s, in, presents);
  }
  const CausalHeads heads = {.base = "transformer",
                             .words = "wte",
                             .width = s.width,
                             .vocabulary = s.vocabulary,
                             .is_tied = s.is_tied,
                             .token_classifier = "classifier",
                             .padding = s.padding,
                             .caches = caches};
  write_causal_task(net, config, wanted, heads, in, x, presents);
}

}  // namespace

Family gpt2() {
  return {.name = "gpt2",
          .model_types = {"gpt2"},
          .tasks = {"feature-extraction", "text-generation", "text-generation-with-past",
                    "text-classification", "token-classification", "question-answering"},
          .write = write};
}

}  // namespace hone::families
