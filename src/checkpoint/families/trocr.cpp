// TrOCR: a picture through a vision transformer, written down by BART's decoder. Its checkpoints
// are of the composite that has any encoder and any decoder.

#include <cmath>

#include "checkpoint/bart_layers.h"
#include "checkpoint/family.h"
#include "checkpoint/heads.h"
#include "checkpoint/vit.h"

namespace hone::families {
namespace {

struct Sizes {
  VitSizes vit;
  bool has_two_tokens;
  BartLayers decoder;
  std::int64_t vocabulary, positions, padding;
  bool is_tied, scales, has_learned_places, normalizes_words;
  bool projects;  // what the encoder gives, to the decoder's width
};

// The decoder's keys are made of what the encoder gives, as wide as that is or as they say it is.
void read_crossing(const Config& config, Sizes& s) {
  const std::int64_t said = config.whole("cross_attention_hidden_size", 0);
  s.projects = !config.has("cross_attention_hidden_size") && s.vit.width != s.decoder.width;
  if (config.has("cross_attention_hidden_size")) s.decoder.states_width = s.vit.width;
  if (config.has("cross_attention_hidden_size") && said != s.vit.width) {
    config.refuse("cross_attention_hidden_size", "it has to be the encoder's hidden_size");
  }
}

Sizes read_sizes(const Config& whole) {
  constexpr BartDefaults defaults{.width = 1024, .heads = 16, .inner = 4096, .layers = 12};
  const Config encoder = whole.part("encoder");
  const Config config = whole.part("decoder");
  const std::string kind = encoder.one_of("model_type", {"vit", "deit"}, "vit");
  config.one_of("model_type", {"trocr"}, "trocr");
  config.only("is_causal", true, "decoders that look ahead are not written");
  Sizes s{.vit = read_vit_sizes(encoder),
          .has_two_tokens = kind == "deit",
          .decoder = read_bart_layers(config, "decoder", defaults, true),
          .vocabulary = config.size("vocab_size", 50265),
          .positions = config.size("max_position_embeddings", 512),
          .padding = config.whole("pad_token_id", 1),
          .is_tied = config.flag("tie_word_embeddings", true),
          .scales = config.flag("scale_embedding", false),
          .has_learned_places = config.flag("use_learned_position_embeddings", true),
          .normalizes_words = config.flag("layernorm_embedding", true),
          .projects = false};
  read_crossing(config, s);
  if (!s.has_learned_places && (s.padding < 0 || s.padding >= s.vocabulary)) {
    config.refuse("pad_token_id", "it has to be a token");
  }
  if (!s.has_learned_places && s.decoder.width < 4) {
    config.refuse("d_model", "computed positions are at least 4 wide");
  }
  return s;
}

std::int64_t state_count(const Sizes& s) { return patch_count(s.vit) + (s.has_two_tokens ? 2 : 1); }

Value* encode(Net& net, const Sizes& s, Value* pixels) {
  const Net::Scope scope = net.enter("encoder");
  net.ignore("pooler.dense.weight");
  net.ignore("pooler.dense.bias");
  return encode_vit(net, s.vit, pixels, s.has_two_tokens ? VitTokens::two : VitTokens::one);
}

// Sines in the first half of a row and cosines in the second, in float32 as transformers computes
// them; what is padding has none.
std::vector<double> make_places(const Sizes& s, std::int64_t count) {
  const std::int64_t half = s.decoder.width / 2;
  const auto step = static_cast<float>(-std::log(10000.0) / static_cast<double>(half - 1));
  std::vector<double> table(static_cast<std::size_t>(count * s.decoder.width), 0.0);
  for (std::int64_t place = 0; place < count; ++place) {
    if (place == s.padding) continue;
    double* row = table.data() + place * s.decoder.width;
    for (std::int64_t i = 0; i < half; ++i) {
      const float angle = static_cast<float>(place) * std::exp(static_cast<float>(i) * step);
      row[i] = std::sin(angle);
      row[half + i] = std::cos(angle);
    }
  }
  return table;
}

// Tokens count from one after the padding's place; what is padding stays there.
Value* computed_places(Net& net, const Config& config, const Sizes& s, const Decoding& decoding) {
  const std::int64_t count = s.positions + s.padding + 1;
  net.ignore("embed_positions._float_tensor");
  if (net.problems().any() || !can_have_places(config, count, s.decoder.width)) return net.real(0);
  Value* is_padding = net.op("Equal", {decoding.ids, net.whole(s.padding)});
  Value* is_token = net.cast(net.op("Not", {is_padding}), ElementType::int64);
  Value* place = net.op("CumSum", {is_token, net.whole(1)});
  if (!decoding.past.empty()) {
    place = net.add(place, net.size_of(decoding.past.front().decoder.key, 2));
  }
  place = net.op("Add", {net.mul(place, is_token), net.whole(s.padding)});
  return net.gather(net.reals(make_places(s, count), {count, s.decoder.width}), place);
}

constexpr const char* words = "decoder.model.decoder.embed_tokens";
constexpr const char* head = "decoder.output_projection";

Value* embed(Net& net, const Config& config, const Sizes& s, const Decoding& decoding) {
  const std::int64_t width = s.decoder.width;
  const std::string module = s.is_tied ? tied_module(net, {words, head}) : words;
  Value* x = net.embedding(module, decoding.ids, s.vocabulary, width);
  const Net::Scope scope = net.enter("decoder.model.decoder");
  if (s.scales) x = net.mul(x, std::sqrt(static_cast<double>(width)));
  if (s.has_learned_places) {
    // The first two rows are of no token.
    Value* rows = net.add(token_places(net, decoding), net.whole(2));
    x = net.add(x, net.embedding("embed_positions", rows, s.positions + 2, width));
  } else {
    x = net.add(x, computed_places(net, config, s, decoding));
  }
  return s.normalizes_words ? net.layer_norm("layernorm_embedding", x, width, 1e-5) : x;
}

Value* decode(Net& net, const Config& config, const Sizes& s, Decoding& decoding) {
  Value* x = embed(net, config, s, decoding);
  if (s.projects && decoding.states) {
    decoding.states = net.linear("enc_to_dec_proj", decoding.states, s.vit.width, s.decoder.width);
  }
  const Net::Scope scope = net.enter("decoder.model.decoder");
  return decode_bart(net, s.decoder, x, decoding);
}

Value* predict(Net& net, const Sizes& s, Value* x) {
  const std::string module = s.is_tied ? tied_module(net, {head, words}) : head;
  Value* weight = net.weight(module + ".weight", {s.vocabulary, s.decoder.width});
  const Net::Scope scope = net.enter(head);
  return net.times_transposed(x, weight);
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  const Sizes s = read_sizes(config);
  const Config of_decoder = config.part("decoder");
  Seq2seq both = seq2seq_of(s.decoder, s.vit.width, s.vocabulary);
  both.states_length = state_count(s);
  both.input = [&] { return image_input(net, s.vit.channels, s.vit.image[0], s.vit.image[1]); };
  both.encode = [&](Value* pixels, Value*) { return encode(net, s, pixels); };
  both.decode = [&](Decoding& decoding) { return decode(net, of_decoder, s, decoding); };
  both.predict = [&](Value* x) { return predict(net, s, x); };
  write_seq2seq(net, wanted.part, both);
}

}  // namespace

Family trocr() {
  return {.name = "trocr",
          .model_types = {"vision-encoder-decoder"},
          .tasks = {"image-to-text"},
          .parts = seq2seq_parts,
          .write = write};
}

}  // namespace hone::families
