// Whisper: a picture of sound through two convolutions and an encoder; a decoder writes the text.

#include <cmath>

#include "checkpoint/bart_layers.h"
#include "checkpoint/family.h"
#include "checkpoint/heads.h"

namespace hone::families {
namespace {

struct Sizes {
  BartLayers encoder, decoder;
  std::int64_t vocabulary, mels, source, target;
  bool is_tied;
};

Sizes read_sizes(const Config& config) {
  constexpr BartDefaults defaults{.width = 384, .heads = 6, .inner = 1536, .layers = 4};
  Sizes s{.encoder = read_bart_layers(config, "encoder", defaults, true),
          .decoder = read_bart_layers(config, "decoder", defaults, false),
          .vocabulary = config.size("vocab_size", 51865),
          .mels = config.size("num_mel_bins", 80),
          .source = config.size("max_source_positions", 1500),
          .target = config.size("max_target_positions", 448),
          .is_tied = config.flag("tie_word_embeddings", true)};
  if (config.has("num_key_value_heads") && config.size("num_key_value_heads") != s.encoder.heads) {
    config.refuse("num_key_value_heads", "it has to be encoder_attention_heads");
  }
  for (BartLayers* side : {&s.encoder, &s.decoder}) {
    side->normalizes_first = true;
    side->key_bias = false;
  }
  return s;
}

Value* sound_input(Net& net, const Sizes& s) {
  return net.float_input("input_features", {"batch_size", s.mels, 2 * s.source});
}

Value* finish(Net& net, const Sizes& s, Value* x) {
  return net.layer_norm("layer_norm", x, s.encoder.width, 1e-5);
}

// `each` as of encode_bart(); the last of them is normalized.
Value* encode(Net& net, const Sizes& s, Value* sound, std::vector<Value*>* each = nullptr) {
  const std::int64_t width = s.encoder.width;
  const Net::Scope base = net.enter_base("model");
  const Net::Scope scope = net.enter("encoder");
  Value* x = net.gelu(
      net.convolution("conv1", sound, {.in = s.mels, .out = width, .kernel = {3}, .padding = {1}}));
  x = net.gelu(net.convolution(
      "conv2", x, {.in = width, .out = width, .kernel = {3}, .stride = {2}, .padding = {1}}));
  x = net.add(net.transpose(x, {0, 2, 1}), net.weight("embed_positions.weight", {s.source, width}));
  x = finish(net, s, encode_bart(net, s.encoder, x, nullptr, each));
  if (each) each->back() = x;
  return x;
}

std::string words_of(const Net& net, const Sizes& s, const std::string& own) {
  const std::string words =
      net.has_module("model") ? "model.decoder.embed_tokens" : "decoder.embed_tokens";
  const std::string mine = own == "proj_out" ? own : words;
  return s.is_tied ? tied_module(net, {mine, words, "proj_out"}) : mine;
}

Value* decode(Net& net, const Sizes& s, Decoding& decoding) {
  const std::int64_t width = s.decoder.width;
  Value* x = net.embedding(words_of(net, s, "embed_tokens"), decoding.ids, s.vocabulary, width);
  const Net::Scope base = net.enter_base("model");
  const Net::Scope scope = net.enter("decoder");
  Value* places = token_places(net, decoding);
  x = net.add(x, net.embedding("embed_positions", places, s.target, width));
  return finish(net, s, decode_bart(net, s.decoder, x, decoding));
}

Value* predict(Net& net, const Sizes& s, Value* x) {
  Value* words =
      net.weight(words_of(net, s, "proj_out") + ".weight", {s.vocabulary, s.decoder.width});
  const Net::Scope scope = net.enter("proj_out");
  return net.times_transposed(x, words);
}

// Of all layers, each by its learned share.
Value* weigh_layers(Net& net, const std::vector<Value*>& layers) {
  std::vector<Value*> side_by_side;
  for (Value* layer : layers) side_by_side.push_back(net.unsqueeze(layer, {1}));
  Value* weights = net.weight("layer_weights", {static_cast<std::int64_t>(layers.size())});
  Value* shares = net.reshape(net.softmax(weights), {-1, 1, 1});
  return net.sum(net.mul(net.concat(side_by_side, 1), shares), {1}, false);
}

void write_audio_classification(Net& net, const Config& config, const Sizes& s) {
  const std::int64_t inner = config.size("classifier_proj_size", 256);
  const std::int64_t labels = label_count(config);
  std::vector<Value*> each;
  Value* x = encode(net, s, sound_input(net, s), &each);
  if (config.flag("use_weighted_layer_sum", false)) x = weigh_layers(net, each);
  x = net.mean(net.linear("projector", x, s.encoder.width, inner), {1}, false);
  net.output("logits", net.linear("classifier", x, inner, labels), {"batch_size", labels});
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  const Sizes s = read_sizes(config);
  if (wanted.task == "audio-classification") return write_audio_classification(net, config, s);
  config.only("is_encoder_decoder", true, "a decoder by itself is not written");
  config.only("is_causal", true, "decoders that look ahead are not written");
  Seq2seq both = seq2seq_of(s.decoder, s.encoder.width, s.vocabulary);
  both.states_length = s.source;
  both.input = [&] { return sound_input(net, s); };
  both.encode = [&](Value* sound, Value*) { return encode(net, s, sound); };
  both.decode = [&](Decoding& decoding) { return decode(net, s, decoding); };
  both.predict = [&](Value* x) { return predict(net, s, x); };
  write_seq2seq(net, wanted.part, both);
}

}  // namespace

Family whisper() {
  return {.name = "whisper",
          .model_types = {"whisper"},
          .tasks = {"feature-extraction", "automatic-speech-recognition", "audio-classification"},
          .parts = seq2seq_parts,
          .write = write};
}

}  // namespace hone::families
