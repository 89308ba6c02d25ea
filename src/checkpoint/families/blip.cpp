// BLIP that writes captions: a tower of patches, and a decoder like BERT's that looks at it.

#include "checkpoint/family.h"
#include "checkpoint/heads.h"
#include "checkpoint/seq2seq.h"
#include "checkpoint/towers.h"

namespace hone::families {
namespace {

struct Sizes {
  PictureTower picture;
  Tower decoder;
  std::int64_t vocabulary, positions;
  bool ties_words;
};

Sizes read_sizes(const Config& config) {
  const Config text = config.part("text_config");
  const Config vision = config.part("vision_config");
  vision.only("num_channels", 3, "its pictures have three");
  text.only("is_decoder", true, "without it the decoder does not look at the picture");
  text.only("is_causal", true, "only words that look back are written");
  Sizes s{.picture = read_picture_tower(vision, {768, 3072, 12, 1e-5, "gelu"}, 384, 16, true),
          .decoder = read_tower(text, {768, 3072, 8, 1e-12, "gelu"}),
          .vocabulary = text.size("vocab_size", 30524),
          .positions = text.size("max_position_embeddings", 512),
          .ties_words = false};
  s.picture.tower.fuses_qkv = true;
  // Either of them ties the words.
  const bool whole = config.flag("tie_word_embeddings", true);
  const bool words = text.flag("tie_word_embeddings", true);
  s.ties_words = whole || words;
  return s;
}

Value* embed_picture(Net& net, const PictureTower& p, Value* pixels) {
  const std::int64_t width = p.tower.width;
  const Net::Scope scope = net.enter("embeddings");
  Value* x = net.convolution(
      "patch_embedding", pixels,
      {.in = p.channels, .out = width, .kernel = {p.patch, p.patch}, .stride = {p.patch, p.patch}});
  x = net.transpose(net.reshape(x, {0, width, -1}), {0, 2, 1});
  Value* token = net.weight("class_embedding", {1, 1, width});
  x = net.concat({net.expand(token, net.dims({net.size_of(x, 0), 1, 1})), x}, 1);
  return net.add(x, net.weight("position_embedding", {1, p.patches * p.patches + 1, width}));
}

Value* encode(Net& net, const PictureTower& p, Value* pixels) {
  const Net::Scope scope = net.enter("vision_model");
  Value* x = climb(net, p.tower, embed_picture(net, p, pixels), nullptr);
  return net.layer_norm("post_layernorm", x, p.tower.width, p.tower.epsilon);
}

AttentionLayer attention_of(const Sizes& s, std::int64_t states_width) {
  return {.query = "self.query",
          .key = "self.key",
          .value = "self.value",
          .output = "output.dense",
          .width = s.decoder.width,
          .heads = s.decoder.heads,
          .head_size = s.decoder.head_size,
          .states_width = states_width};
}

Value* decode_layer(Net& net, const Sizes& s, Value* x, Value* bias, Decoding& decoding,
                    std::size_t at) {
  {
    const Net::Scope scope = net.enter("attention");
    Value* seen = attend_to_tokens(net, attention_of(s, 0), x, bias, decoding, at);
    x = net.add_layer_norm("output.LayerNorm", seen, x, s.decoder.width, s.decoder.epsilon);
  }
  {
    const Net::Scope scope = net.enter("crossattention");
    const AttentionLayer layer = attention_of(s, s.picture.tower.width);
    Value* seen = attend_to_states(net, layer, x, nullptr, decoding, at);
    x = net.add_layer_norm("output.LayerNorm", seen, x, s.decoder.width, s.decoder.epsilon);
  }
  Value* inner = net.activation(
      s.decoder.act, net.linear("intermediate.dense", x, s.decoder.width, s.decoder.inner));
  Value* outer = net.linear("output.dense", inner, s.decoder.inner, s.decoder.width);
  return net.add_layer_norm("output.LayerNorm", outer, x, s.decoder.width, s.decoder.epsilon);
}

constexpr std::string_view words_name = "bert.embeddings.word_embeddings.weight";
constexpr std::string_view decoder_name = "cls.predictions.decoder.weight";

// What is tied lies in the file once, under either name; where both are there, each is its own.
Value* words_weight(Net& net, const Sizes& s, std::string_view own, std::string_view other) {
  const bool takes_other = s.ties_words && !net.has(own) && net.has(other);
  return net.weight(takes_other ? other : own, {s.vocabulary, s.decoder.width});
}

Value* decode(Net& net, const Sizes& s, Decoding& decoding) {
  const Net::Scope whole = net.enter("text_decoder");
  Value* words = net.gather(words_weight(net, s, words_name, decoder_name), decoding.ids);
  const Net::Scope scope = net.enter("bert");
  Value* x = nullptr;
  {
    const Net::Scope embeddings = net.enter("embeddings");
    net.ignore("position_ids");
    Value* places = net.embedding("position_embeddings", token_places(net, decoding), s.positions,
                                  s.decoder.width);
    x = net.layer_norm("LayerNorm", net.add(words, places), s.decoder.width, s.decoder.epsilon);
  }
  Value* bias = token_bias(net, decoding);
  for (std::int64_t i = 0; i < s.decoder.layers; ++i) {
    const Net::Scope layer = net.enter("encoder.layer", i);
    x = decode_layer(net, s, x, bias, decoding, static_cast<std::size_t>(i));
  }
  return x;
}

Value* predict(Net& net, const Sizes& s, Value* x) {
  const Net::Scope scope = net.enter("text_decoder");
  Value* words = words_weight(net, s, decoder_name, words_name);
  const Net::Scope head = net.enter("cls.predictions");
  x = net.activation(s.decoder.act,
                     net.linear("transform.dense", x, s.decoder.width, s.decoder.width));
  x = net.layer_norm("transform.LayerNorm", x, s.decoder.width, s.decoder.epsilon);
  const bool has_own = net.has("decoder.bias") || !s.ties_words;
  if (has_own) net.ignore("bias");
  Value* bias = net.weight(has_own ? "decoder.bias" : "bias", {s.vocabulary});
  return net.add(net.times_transposed(x, words), bias);
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  const Sizes s = read_sizes(config);
  const PictureTower& p = s.picture;
  const auto input = [&] { return image_input(net, p.channels, p.image, p.image); };
  write_seq2seq(net, wanted.part,
                {.layers = s.decoder.layers,
                 .heads = s.decoder.heads,
                 .head_size = s.decoder.head_size,
                 .width = s.decoder.width,
                 .states_width = p.tower.width,
                 .vocabulary = s.vocabulary,
                 .states_length = p.patches * p.patches + 1,
                 .input = input,
                 .encode = [&](Value* pixels, Value*) { return encode(net, p, pixels); },
                 .decode = [&](Decoding& decoding) { return decode(net, s, decoding); },
                 .predict = [&](Value* x) { return predict(net, s, x); }});
}

}  // namespace

Family blip() {
  return {.name = "blip",
          .model_types = {"blip"},
          .tasks = {"image-to-text"},
          .parts = seq2seq_parts,
          .write = write};
}

}  // namespace hone::families
