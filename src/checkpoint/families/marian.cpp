// Marian: BART's layers with computed positions, and words that encoder and decoder may each have.

#include <cmath>

#include "checkpoint/bart_layers.h"
#include "checkpoint/family.h"

namespace hone::families {
namespace {

struct Sizes {
  BartLayers encoder, decoder;
  std::int64_t vocabulary, decoder_vocabulary, positions;
  bool is_tied, shares, scales;
};

Sizes read_sizes(const Config& config) {
  constexpr BartDefaults defaults{.width = 1024, .heads = 16, .inner = 4096, .layers = 12};
  config.only("is_encoder_decoder", true, "a decoder by itself is not written");
  config.only("is_causal", true, "decoders that look ahead are not written");
  Sizes s{.encoder = read_bart_layers(config, "encoder", defaults, true),
          .decoder = read_bart_layers(config, "decoder", defaults, false),
          .vocabulary = config.size("vocab_size", 58101),
          .decoder_vocabulary = 1,
          .positions = config.size("max_position_embeddings", 1024),
          .is_tied = config.flag("tie_word_embeddings", true),
          .shares = config.flag("share_encoder_decoder_embeddings", true),
          .scales = config.flag("scale_embedding", false)};
  s.decoder_vocabulary =
      config.whole("decoder_vocab_size", 0) == 0 ? s.vocabulary : config.size("decoder_vocab_size");
  return s;
}

struct Words {
  std::string module;
  std::int64_t count;
};

std::string base_of(const Net& net) { return net.has_module("model") ? "model." : ""; }

// Words by their own weight or by the one it is tied to.
Words words_of(const Net& net, const Sizes& s, const std::string& module) {
  const std::string base = base_of(net);
  const std::string own = module == "lm_head" ? module : base + module;
  std::int64_t count = module == "encoder.embed_tokens" ? s.vocabulary : s.decoder_vocabulary;
  if (module == "lm_head" && s.shares) count = s.vocabulary;
  // Older files whose heads are not tied still have one table for both halves.
  const bool has_one = s.shares && module != "lm_head";
  if ((!s.is_tied && !has_one) || net.has(own + ".weight")) return {own, count};
  if (s.shares) {
    return {tied_module(net, {base + "shared", "lm_head", base + "decoder.embed_tokens",
                              base + "encoder.embed_tokens"}),
            s.vocabulary};
  }
  if (module == "lm_head") return {base + "decoder.embed_tokens", count};
  return {module == "decoder.embed_tokens" && net.has("lm_head.weight") ? "lm_head" : own, count};
}

// Sines of a place in the first half of its row, cosines in the second.
std::vector<double> make_places(std::int64_t count, std::int64_t width) {
  std::vector<double> table;
  table.reserve(static_cast<std::size_t>(count * width));
  const std::int64_t sines = (width + 1) / 2;
  for (std::int64_t place = 0; place < count; ++place) {
    for (std::int64_t i = 0; i < width; ++i) {
      const std::int64_t pair = i < sines ? i : i - sines;
      const double turn =
          std::pow(10000.0, 2.0 * static_cast<double>(pair) / static_cast<double>(width));
      const double angle = static_cast<double>(place) / turn;
      table.push_back(i < sines ? std::sin(angle) : std::cos(angle));
    }
  }
  return table;
}

// Of the module that is entered. Checkpoints that were saved long ago have the table.
Value* place_table(Net& net, const Config& config, const Sizes& s) {
  const std::int64_t width = s.encoder.width;
  if (net.has("embed_positions.weight")) {
    return net.weight("embed_positions.weight", {s.positions, width});
  }
  if (net.problems().any() || !can_have_places(config, s.positions, width)) return net.real(0);
  return net.reals(make_places(s.positions, width), {s.positions, width});
}

Value* embed(Net& net, const Config& config, const Sizes& s, const std::string& side, Value* ids,
             Value* places) {
  const Words words = words_of(net, s, side + ".embed_tokens");
  Value* x = net.embedding(words.module, ids, words.count, s.encoder.width);
  const Net::Scope base = net.enter_base("model");
  const Net::Scope scope = net.enter(side);
  if (s.scales) x = net.mul(x, std::sqrt(static_cast<double>(s.encoder.width)));
  return net.add(x, net.gather(place_table(net, config, s), places));
}

Value* encode(Net& net, const Config& config, const Sizes& s, Value* ids, Value* mask) {
  Value* x = embed(net, config, s, "encoder", ids, net.count_up(net.size_of(ids, 1)));
  const Net::Scope base = net.enter_base("model");
  const Net::Scope scope = net.enter("encoder");
  return encode_bart(net, s.encoder, x, net.padding_bias(mask));
}

Value* decode(Net& net, const Config& config, const Sizes& s, Decoding& decoding) {
  Value* x = embed(net, config, s, "decoder", decoding.ids, token_places(net, decoding));
  const Net::Scope base = net.enter_base("model");
  const Net::Scope scope = net.enter("decoder");
  return decode_bart(net, s.decoder, x, decoding);
}

Value* predict(Net& net, const Sizes& s, Value* x) {
  const Words words = words_of(net, s, "lm_head");
  Value* weight = net.weight(words.module + ".weight", {words.count, s.encoder.width});
  Value* bias =
      net.has("final_logits_bias") ? net.weight("final_logits_bias", {1, words.count}) : nullptr;
  const Net::Scope scope = net.enter("lm_head");
  Value* logits = net.times_transposed(x, weight);
  return bias ? net.add(logits, bias) : logits;
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  const Sizes s = read_sizes(config);
  // Where each half has words of its own, nobody reads these.
  net.ignore(base_of(net) + "shared.weight");
  Seq2seq both = seq2seq_of(s.decoder, s.encoder.width, words_of(net, s, "lm_head").count);
  both.encode = [&](Value* ids, Value* mask) { return encode(net, config, s, ids, mask); };
  both.decode = [&](Decoding& decoding) { return decode(net, config, s, decoding); };
  both.predict = [&](Value* x) { return predict(net, s, x); };
  write_seq2seq(net, wanted.part, both);
}

}  // namespace

Family marian() {
  return {.name = "marian",
          .model_types = {"marian"},
          .tasks = {"feature-extraction", "text2text-generation"},
          .parts = seq2seq_parts,
          .write = write};
}

}  // namespace hone::families
