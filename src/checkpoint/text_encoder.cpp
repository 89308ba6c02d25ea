#include "checkpoint/text_encoder.h"

namespace hone {

TextSizes read_text_sizes(const Config& config, const TextSizes& otherwise) {
  config.only("is_decoder", false, "only encoders are written");
  config.only("add_cross_attention", false, "only encoders are written");
  config.only("position_embedding_type", "absolute", "other kinds of positions are not written");
  TextSizes s{.width = config.size("hidden_size", otherwise.width),
              .heads = config.size("num_attention_heads", otherwise.heads),
              .inner = config.size("intermediate_size", otherwise.inner),
              .layers = config.layers("num_hidden_layers", otherwise.layers),
              .vocabulary = config.size("vocab_size", otherwise.vocabulary),
              .positions = config.size("max_position_embeddings", otherwise.positions),
              .segments = otherwise.segments,
              .epsilon = config.real("layer_norm_eps", otherwise.epsilon),
              .act = config.word("hidden_act", otherwise.act)};
  s.head_size = config.divided("hidden_size", s.width, "num_attention_heads", s.heads);
  return s;
}

Value* sum_embeddings(Net& net, const TextSizes& s, std::int64_t width, Value* ids, Value* places,
                      Value* segments) {
  net.ignore("position_ids");
  Value* words = net.embedding("word_embeddings", ids, s.vocabulary, width);
  Value* kinds = nullptr;
  if (segments) {
    kinds = net.embedding("token_type_embeddings", segments, s.segments, width);
  } else {
    kinds = net.pick(net.weight("token_type_embeddings.weight", {s.segments, width}), 0, 0);
  }
  Value* there = net.embedding("position_embeddings", places, s.positions, width);
  return net.add(net.add(words, kinds), there);
}

Value* count_places(Net& net, Value* ids) { return net.count_up(net.size_of(ids, 1)); }

Value* count_places_after(Net& net, Value* ids, std::int64_t padding) {
  Value* is_padding = net.op("Equal", {ids, net.whole(padding)});
  Value* is_word = net.cast(net.op("Not", {is_padding}), ElementType::int64);
  Value* count = net.mul(net.op("CumSum", {is_word, net.whole(1)}), is_word);
  return net.add(count, net.whole(padding));
}

Value* distances_between(Net& net, Value* ids) {
  Value* places = count_places(net, ids);
  return net.sub(net.unsqueeze(places, {1}), net.unsqueeze(places, {0}));
}

Value* attend_to_all(Net& net, const TextSizes& s, Value* x, Value* bias,
                     const AttentionNames& names) {
  return net
      .attention({.query = net.linear(names.query, x, s.width, s.width),
                  .key = net.linear(names.key, x, s.width, s.width),
                  .value = net.linear(names.value, x, s.width, s.width),
                  .heads = s.heads,
                  .head_size = s.head_size,
                  .bias = bias})
      .output;
}

Value* feed_forward(Net& net, const TextSizes& s, Value* x) {
  Value* inner = net.linear("intermediate.dense", x, s.width, s.inner);
  Value* outer = net.linear("output.dense", net.activation(s.act, inner), s.inner, s.width);
  return net.add_layer_norm("output.LayerNorm", outer, x, s.width, s.epsilon);
}

Value* finish_text_layer(Net& net, const TextSizes& s, Value* seen, Value* x) {
  Value* turned = net.linear("attention.output.dense", seen, s.width, s.width);
  return feed_forward(
      net, s, net.add_layer_norm("attention.output.LayerNorm", turned, x, s.width, s.epsilon));
}

Value* run_text_layers(Net& net, const TextSizes& s, Value* x, Value* mask) {
  Value* bias = net.padding_bias(mask);
  for (std::int64_t i = 0; i < s.layers; ++i) {
    const Net::Scope layer = net.enter("encoder.layer", i);
    Value* seen = nullptr;
    {
      const Net::Scope scope = net.enter("attention.self");
      seen = attend_to_all(net, s, x, bias);
    }
    x = finish_text_layer(net, s, seen, x);
  }
  return x;
}

}  // namespace hone
