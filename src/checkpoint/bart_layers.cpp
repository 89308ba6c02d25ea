#include "checkpoint/bart_layers.h"

namespace hone {
namespace {

constexpr double epsilon = 1e-5;

AttentionLayer attention_of(const BartLayers& s) {
  return {.width = s.width,
          .heads = s.heads,
          .head_size = s.head_size,
          .states_width = s.states_width,
          .key_bias = s.key_bias};
}

// A part of a layer, what it adds to, and the norm of one or the other.
template <typename Part>
Value* add_part(Net& net, const BartLayers& s, std::string_view norm, Value* x, const Part& part) {
  if (!s.normalizes_first) return net.add_layer_norm(norm, part(x), x, s.width, epsilon);
  return net.add(x, part(net.layer_norm(norm, x, s.width, epsilon)));
}

Value* add_inner(Net& net, const BartLayers& s, Value* x) {
  return add_part(net, s, "final_layer_norm", x, [&](Value* in) {
    Value* inner = net.linear("fc1", in, s.width, s.inner);
    return net.linear("fc2", net.activation(s.act, inner, "activation_function"), s.inner, s.width);
  });
}

}  // namespace

BartLayers read_bart_layers(const Config& config, std::string_view side,
                            const BartDefaults& defaults, bool is_main) {
  const std::string start = std::string(side) + "_";
  const auto name = [&](std::string_view own, std::string_view general) {
    const std::string whole = start + std::string(own);
    return is_main ? std::string(said_name(config, whole, general)) : whole;
  };
  BartLayers s{.width = config.size(said_name(config, "d_model", "hidden_size"), defaults.width),
               .heads = config.size(name("attention_heads", "num_attention_heads"), defaults.heads),
               .inner = config.size(start + "ffn_dim", defaults.inner),
               .layers = config.layers(name("layers", "num_hidden_layers"), defaults.layers),
               .act = config.word("activation_function", "gelu")};
  s.head_size = config.divided("d_model", s.width, start + "attention_heads", s.heads);
  if (side == "decoder" && s.layers == 0) {
    config.refuse("decoder_layers", "a decoder has at least one");
  }
  return s;
}

Value* encode_bart(Net& net, const BartLayers& s, Value* x, Value* bias,
                   std::vector<Value*>* each) {
  if (each) each->push_back(x);
  for (std::int64_t i = 0; i < s.layers; ++i) {
    const Net::Scope layer = net.enter("layers", i);
    x = add_part(net, s, "self_attn_layer_norm", x, [&](Value* in) {
      const Net::Scope scope = net.enter("self_attn");
      return attend(net, attention_of(s), in, bias);
    });
    x = add_inner(net, s, x);
    if (each) each->push_back(x);
  }
  return x;
}

Value* decode_bart(Net& net, const BartLayers& s, Value* x, Decoding& decoding) {
  Value* bias = token_bias(net, decoding);
  Value* seen_bias = states_bias(net, decoding);
  for (std::int64_t i = 0; i < s.layers; ++i) {
    const Net::Scope layer = net.enter("layers", i);
    const auto at = static_cast<std::size_t>(i);
    x = add_part(net, s, "self_attn_layer_norm", x, [&](Value* in) {
      const Net::Scope scope = net.enter("self_attn");
      return attend_to_tokens(net, attention_of(s), in, bias, decoding, at);
    });
    x = add_part(net, s, "encoder_attn_layer_norm", x, [&](Value* in) {
      const Net::Scope scope = net.enter("encoder_attn");
      return attend_to_states(net, attention_of(s), in, seen_bias, decoding, at);
    });
    x = add_inner(net, s, x);
  }
  return x;
}

Seq2seq seq2seq_of(const BartLayers& decoder, std::int64_t states_width, std::int64_t vocabulary) {
  Seq2seq both;
  both.layers = decoder.layers;
  both.heads = decoder.heads;
  both.head_size = decoder.head_size;
  both.width = decoder.width;
  both.states_width = states_width;
  both.vocabulary = vocabulary;
  return both;
}

bool can_have_places(const Config& config, std::int64_t count, std::int64_t width) {
  constexpr std::int64_t most = std::int64_t{1} << 24;
  if (count <= most / width) return true;
  config.refuse("max_position_embeddings", "a table of that many positions is not written");
  return false;
}

}  // namespace hone
