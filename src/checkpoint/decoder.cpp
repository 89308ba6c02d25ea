#include "checkpoint/decoder.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace hone {
namespace {

// More than any published network has, and few enough for products of sizes to be numbers.
constexpr std::int64_t most_heads = 65'536;

struct Decoder {
  Net& net;
  const DecoderSizes& sizes;
  const CausalInputs& in;
  RotaryTables tables{};
  std::map<std::int64_t, Value*> biases{};  // by window
  std::vector<Cache> presents{};

  double norm_offset() const { return sizes.is_gemma ? 1 : 0; }

  Value* norm(std::string_view module, Value* x) {
    return net.rms_norm(module, x, sizes.width, sizes.epsilon, norm_offset());
  }

  // Norm of x + residual, which residual becomes.
  Value* norm_of_sum(std::string_view module, Value* x, Value*& residual) {
    return net.add_rms_norm(module, x, residual, sizes.width, sizes.epsilon, norm_offset(),
                            &residual);
  }

  Value* bias_of_layer(std::int64_t layer) {
    const auto at = static_cast<std::size_t>(layer);
    const std::int64_t window = at < sizes.windows.size() ? sizes.windows[at] : 0;
    Value*& bias = biases[window];
    if (!bias) {
      const Net::Scope base = net.enter_root();
      bias = bias_of(net, in, window);
    }
    return bias;
  }

  std::vector<Value*> project(Value* x) {
    const std::int64_t queries = sizes.heads * sizes.head_size;
    const std::int64_t keys = sizes.kv_heads * sizes.head_size;
    if (sizes.is_packed) {
      Value* all = net.linear("qkv_proj", x, sizes.width, queries + 2 * keys, false);
      return net.split(all, {queries, keys, keys}, 2);
    }
    return {net.linear("q_proj", x, sizes.width, queries, sizes.has_qkv_bias),
            net.linear("k_proj", x, sizes.width, keys, sizes.has_qkv_bias),
            net.linear("v_proj", x, sizes.width, keys, sizes.has_qkv_bias)};
  }

  Value* norm_heads(std::string_view module, Value* x, std::int64_t heads) {
    if (!sizes.has_head_norms) return x;
    Value* apart = net.reshape(x, {0, 0, heads, sizes.head_size});
    Value* normal = net.rms_norm(module, apart, sizes.head_size, sizes.epsilon);
    return net.reshape(normal, {0, 0, heads * sizes.head_size});
  }

  Value* attend(Value* x, std::int64_t layer) {
    Value* bias = bias_of_layer(layer);
    const Net::Scope scope = net.enter("self_attn");
    const std::vector<Value*> qkv = project(x);
    Value* query = norm_heads("q_norm", qkv[0], sizes.heads);
    Value* key = norm_heads("k_norm", qkv[1], sizes.kv_heads);
    Value* seen = attend_to_past(net, in,
                                 {.query = rotate(net, tables, query, sizes.heads, sizes.head_size),
                                  .key = rotate(net, tables, key, sizes.kv_heads, sizes.head_size),
                                  .value = qkv[2],
                                  .heads = sizes.heads,
                                  .head_size = sizes.head_size,
                                  .kv_heads = sizes.kv_heads,
                                  .bias = bias,
                                  .scale = sizes.scale,
                                  .softcap = sizes.score_softcap},
                                 presents);
    net.ignore("rotary_emb.inv_freq");
    return net.linear("o_proj", seen, sizes.heads * sizes.head_size, sizes.width,
                      sizes.has_output_bias);
  }

  Value* gated_product(Value* x) {
    const Net::Scope scope = net.enter("mlp");
    std::vector<Value*> parts;
    if (sizes.is_packed) {
      Value* both = net.linear("gate_up_proj", x, sizes.width, 2 * sizes.inner, false);
      parts = net.split(both, {sizes.inner, sizes.inner}, 2);
    } else {
      parts = {net.linear("gate_proj", x, sizes.width, sizes.inner, sizes.has_mlp_bias),
               net.linear("up_proj", x, sizes.width, sizes.inner, sizes.has_mlp_bias)};
    }
    Value* inner = net.mul(net.activation(sizes.act, parts[0], sizes.act_key), parts[1]);
    return net.linear("down_proj", inner, sizes.inner, sizes.width, sizes.has_mlp_bias);
  }

  // What is to be added to `residual`. `x` is the norm of what was there.
  Value* layer(std::int64_t index, Value* x, Value*& residual) {
    const Net::Scope scope = net.enter("layers", index);
    Value* seen = attend(x, index);
    if (!sizes.is_gemma) {
      return gated_product(norm_of_sum("post_attention_layernorm", seen, residual));
    }
    seen = norm("post_attention_layernorm", seen);
    Value* inner = gated_product(norm_of_sum("pre_feedforward_layernorm", seen, residual));
    return norm("post_feedforward_layernorm", inner);
  }

  std::string norm_before(std::int64_t layer) const {
    if (layer == sizes.layers) return "norm";
    return "layers." + std::to_string(layer) + ".input_layernorm";
  }

  Value* decode() {
    Value* residual = net.embedding("embed_tokens", in.ids, sizes.vocabulary, sizes.width);
    if (sizes.is_gemma) residual = net.mul(residual, std::sqrt(static_cast<double>(sizes.width)));
    tables = rotary_tables(net, sizes.rotary, in.positions);
    Value* x = norm(norm_before(0), residual);
    for (std::int64_t i = 0; i < sizes.layers; ++i) {
      x = norm_of_sum(norm_before(i + 1), layer(i, x, residual), residual);
    }
    return x;
  }
};

std::int64_t read_kv_heads(const Config& config, std::int64_t otherwise, std::int64_t heads) {
  const std::string_view key = "num_key_value_heads";
  const bool is_same = config.is_null(key) || otherwise == 0;
  const std::int64_t kv_heads = config.nullable().size(key, is_same ? heads : otherwise);
  config.divided("num_attention_heads", heads, key, kv_heads);
  return std::min(kv_heads, heads);
}

}  // namespace

DecoderSizes read_decoder(const Config& config, const DecoderDefaults& defaults) {
  refuse_other_directions(config);
  DecoderSizes s{.width = config.size("hidden_size", defaults.width),
                 .heads = config.size("num_attention_heads", defaults.heads),
                 .kv_heads = 1,
                 .head_size = 1,
                 .inner = config.size("intermediate_size", defaults.inner),
                 .layers = config.layers("num_hidden_layers", defaults.layers),
                 .vocabulary = config.size("vocab_size", defaults.vocabulary),
                 .positions = config.size("max_position_embeddings", defaults.positions),
                 .epsilon = config.real("rms_norm_eps", defaults.epsilon),
                 .act = config.word(defaults.act_key, defaults.act),
                 .act_key = defaults.act_key,
                 .is_tied = config.flag("tie_word_embeddings", defaults.is_tied),
                 .padding = read_padding(config, defaults.padding)};
  if (s.heads > most_heads) {
    config.refuse("num_attention_heads", "there can be 65,536");
    s.heads = 1;
  }
  s.kv_heads = read_kv_heads(config, defaults.kv_heads, s.heads);
  const std::int64_t share = std::max<std::int64_t>(1, s.width / s.heads);
  s.head_size = defaults.head_size == 0 ? config.nullable().size("head_dim", share)
                                        : config.size("head_dim", defaults.head_size);
  s.rotary = read_rotary(config, {s.head_size, s.positions, defaults.is_phi});
  return s;
}

std::int64_t read_window(const Config& config, std::int64_t otherwise) {
  if (config.is_null("sliding_window")) return 0;
  if (otherwise == 0 && !config.has("sliding_window")) return 0;
  return config.size("sliding_window", otherwise);
}

std::vector<std::int64_t> windows_by_type(const Config& config, std::int64_t window,
                                          const std::vector<bool>& slides) {
  std::vector<std::string> types;
  for (const bool does : slides) types.emplace_back(does ? "sliding_attention" : "full_attention");
  types = config.nullable().words("layer_types", types);
  if (types.size() != slides.size()) {
    config.refuse("layer_types", "there have to be as many as num_hidden_layers");
  }
  std::vector<std::int64_t> windows;
  for (const std::string& type : types) {
    const bool does = type == "sliding_attention";
    if (!does && type != "full_attention") {
      config.refuse("layer_types", "known are full_attention, sliding_attention");
    }
    if (does && window == 0) config.refuse("layer_types", "some slide, and there is no window");
    windows.push_back(does ? window : 0);
  }
  return windows;
}

void refuse_layer_types(const Config& config) {
  config.only("layer_types", Json(), "layers of different kinds are not written for this family");
}

void write_decoder(Net& net, const Config& config, const WantedGraph& wanted,
                   const DecoderSizes& s) {
  const CacheSizes caches = {s.layers, s.kv_heads, s.head_size};
  const CausalInputs in = causal_inputs(net, wanted, caches);
  Decoder decoder{net, s, in};
  Value* x = nullptr;
  {
    const bool answers = wanted.task == "question-answering";
    const Net::Scope base = net.enter_base(answers ? s.base_of_answers : "model");
    x = decoder.decode();
  }
  const CausalHeads heads = {.base = "model",
                             .words = "embed_tokens",
                             .width = s.width,
                             .vocabulary = s.vocabulary,
                             .is_tied = s.is_tied,
                             .softcap = s.logit_softcap,
                             .padding = s.padding,
                             .caches = caches};
  write_causal_task(net, config, wanted, heads, in, x, decoder.presents);
}

}  // namespace hone
