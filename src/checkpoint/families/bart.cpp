// BART: an encoder and a decoder that share their words, with learned positions.

#include <cmath>

#include "checkpoint/bart_layers.h"
#include "checkpoint/family.h"
#include "checkpoint/heads.h"

namespace hone::families {
namespace {

struct Sizes {
  BartLayers encoder, decoder;
  std::int64_t vocabulary, positions;
  bool is_tied, scales;
};

Sizes read_sizes(const Config& config) {
  constexpr BartDefaults defaults{.width = 1024, .heads = 16, .inner = 4096, .layers = 12};
  config.only("is_encoder_decoder", true, "a decoder by itself is not written");
  config.only("is_causal", true, "decoders that look ahead are not written");
  return {.encoder = read_bart_layers(config, "encoder", defaults, true),
          .decoder = read_bart_layers(config, "decoder", defaults, false),
          .vocabulary = config.size("vocab_size", 50265),
          .positions = config.size("max_position_embeddings", 1024),
          .is_tied = config.flag("tie_word_embeddings", true),
          .scales = config.flag("scale_embedding", false)};
}

// Of the module that has a weight of its own, else of the one it is tied to.
std::string words_of(const Net& net, const Sizes& s, const std::string& module) {
  const std::string base = net.has_module("model") ? "model." : "";
  const std::string own = module == "lm_head" ? module : base + module;
  // Older files whose heads are not tied still have one table for both halves.
  if (!s.is_tied && module != "lm_head") return tied_module(net, {own, base + "shared"});
  if (!s.is_tied) return own;
  return tied_module(net, {own, base + "shared", "lm_head", base + "decoder.embed_tokens",
                           base + "encoder.embed_tokens"});
}

Value* embed(Net& net, const Sizes& s, const std::string& side, Value* ids, Value* places) {
  Value* words =
      net.embedding(words_of(net, s, side + ".embed_tokens"), ids, s.vocabulary, s.encoder.width);
  if (s.scales) words = net.mul(words, std::sqrt(static_cast<double>(s.encoder.width)));
  const Net::Scope base = net.enter_base("model");
  const Net::Scope scope = net.enter(side);
  net.ignore("version");
  // The first two rows are of no token.
  Value* rows = net.add(places, net.whole(2));
  Value* positions = net.embedding("embed_positions", rows, s.positions + 2, s.encoder.width);
  return net.layer_norm("layernorm_embedding", net.add(words, positions), s.encoder.width, 1e-5);
}

Value* encode(Net& net, const Sizes& s, Value* ids, Value* mask) {
  Value* x = embed(net, s, "encoder", ids, net.count_up(net.size_of(ids, 1)));
  const Net::Scope base = net.enter_base("model");
  const Net::Scope scope = net.enter("encoder");
  return encode_bart(net, s.encoder, x, net.padding_bias(mask));
}

Value* decode(Net& net, const Sizes& s, Decoding& decoding) {
  Value* x = embed(net, s, "decoder", decoding.ids, token_places(net, decoding));
  const Net::Scope base = net.enter_base("model");
  const Net::Scope scope = net.enter("decoder");
  return decode_bart(net, s.decoder, x, decoding);
}

Value* predict(Net& net, const Sizes& s, Value* x) {
  Value* words =
      net.weight(words_of(net, s, "lm_head") + ".weight", {s.vocabulary, s.encoder.width});
  const Net::Scope scope = net.enter("lm_head");
  Value* logits = net.times_transposed(x, words);
  const Net::Scope root = net.enter_root();
  if (!net.has("final_logits_bias")) return logits;
  return net.add(logits, net.weight("final_logits_bias", {1, s.vocabulary}));
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  const Sizes s = read_sizes(config);
  Seq2seq both = seq2seq_of(s.decoder, s.encoder.width, s.vocabulary);
  both.encode = [&](Value* ids, Value* mask) { return encode(net, s, ids, mask); };
  both.decode = [&](Decoding& decoding) { return decode(net, s, decoding); };
  both.predict = [&](Value* x) { return predict(net, s, x); };
  // Where each half has words of its own, nobody reads these.
  net.ignore(net.has_module("model") ? "model.shared.weight" : "shared.weight");
  if (wanted.task == "text-classification") {
    write_text_classification(net, both, read_text_head(config, 2, 2), label_count(config, 3));
  } else if (wanted.task == "question-answering") {
    write_question_answering(net, both, read_text_head(config, 2, 2));
  } else {
    write_seq2seq(net, wanted.part, both);
  }
}

}  // namespace

Family bart() {
  return {.name = "bart",
          .model_types = {"bart"},
          .tasks = {"feature-extraction", "text2text-generation", "text-classification",
                    "question-answering"},
          .parts = seq2seq_parts,
          .write = write};
}

}  // namespace hone::families
