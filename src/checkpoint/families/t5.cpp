// T5: layers that normalize first and without a mean, and a bias for each distance instead of
// positions.

#include "checkpoint/t5.h"

#include <cmath>

#include "checkpoint/family.h"
#include "checkpoint/heads.h"
#include "checkpoint/seq2seq.h"

namespace hone::families {
namespace {

struct Sizes {
  std::int64_t width, heads, head_size, inner, layers, decoder_layers, vocabulary;
  std::int64_t buckets, farthest;
  double epsilon;
  std::string act;
  bool is_gated, scales_output;
};

// "relu", or "gated-gelu" for two layers of which one is activated.
void read_feed_forward(const Config& config, Sizes& s) {
  const std::string said = config.word("feed_forward_proj", "relu");
  const std::string gated = "gated-";
  s.is_gated = said.starts_with(gated);
  s.act = s.is_gated ? said.substr(gated.size()) : said;
  if (s.act.find('-') != std::string::npos) {
    config.refuse("feed_forward_proj", "it has to be an activation, or one with 'gated-'");
  }
  if (said == "gated-gelu") s.act = "gelu_new";
  // Files that were saved by transformers say what it made of the switch, and that is what counts.
  s.is_gated = config.flag("is_gated_act", s.is_gated);
  s.act = config.word("dense_act_fn", s.act);
}

void check_distances(const Config& config, Sizes& s) {
  constexpr std::int64_t most = 1 << 20;
  if (s.buckets < 4) config.refuse("relative_attention_num_buckets", "it has to be 4 or more");
  if (s.farthest > most || s.farthest <= s.buckets / 2) {
    config.refuse("relative_attention_max_distance",
                  "it has to be above half of relative_attention_num_buckets, and below a million");
  }
}

Sizes read_sizes(const Config& config) {
  config.only("is_causal", true, "decoders that look ahead are not written");
  Sizes s{.width = config.size(said_name(config, "d_model", "hidden_size"), 512),
          .heads = config.size(said_name(config, "num_heads", "num_attention_heads"), 8),
          .head_size = config.size(said_name(config, "d_kv", "head_dim"), 64),
          .inner = config.size("d_ff", 2048),
          .layers = config.layers(said_name(config, "num_layers", "num_hidden_layers"), 6),
          .decoder_layers = 1,
          .vocabulary = config.size("vocab_size", 32128),
          .buckets = config.size("relative_attention_num_buckets", 32),
          .farthest = config.size("relative_attention_max_distance", 128),
          .epsilon = config.real("layer_norm_epsilon", 1e-6),
          .act = {},
          .is_gated = false,
          // Words are tied whatever this says: it has come to mean that outputs are scaled.
          .scales_output = config.flag("tie_word_embeddings", true)};
  s.scales_output = config.flag("scale_decoder_outputs", s.scales_output);
  s.decoder_layers = config.nullable().layers("num_decoder_layers", config.layers("num_layers", 6));
  if (s.layers == 0) config.refuse("num_layers", "it has to be 1 or more");
  if (s.decoder_layers == 0) config.refuse("num_decoder_layers", "it has to be 1 or more");
  read_feed_forward(config, s);
  check_distances(config, s);
  return s;
}

std::string words_of(const Net& net, const std::string& module) {
  const std::string base = net.has_module("transformer") ? "transformer." : "";
  const std::string own = module == "lm_head" ? module : base + module;
  return tied_module(net, {own, base + "shared", "lm_head", base + "encoder.embed_tokens",
                           base + "decoder.embed_tokens"});
}

AttentionLayer attention_of(const Sizes& s) {
  return {.query = "q",
          .key = "k",
          .value = "v",
          .output = "o",
          .width = s.width,
          .heads = s.heads,
          .head_size = s.head_size,
          .bias = false,
          .key_bias = false,
          .scale = 1.0};
}

// [1, heads, queries, keys] of the tables in the first block, which all blocks share. `places` are
// those of the queries.
Value* distance_bias(Net& net, const Sizes& s, Value* places, Value* keys, bool both_ways) {
  const Net::Scope scope = net.enter("block.0.layer.0.SelfAttention.relative_attention_bias");
  Value* table = net.weight("weight", {s.buckets, s.heads});
  if (net.problems().any()) return table;
  const std::vector<std::int64_t> buckets =
      t5_buckets({.buckets = s.buckets, .farthest = s.farthest, .both_ways = both_ways});
  Value* of_distance =
      net.transpose(net.gather(table, net.constant(make_int64_tensor("buckets", buckets))), {1, 0});
  Value* distance =
      net.op("Sub", {net.unsqueeze(net.count_up(keys), {0}), net.unsqueeze(places, {1})});
  distance = net.op("Clip", {distance, net.whole(-s.farthest), net.whole(s.farthest)});
  Value* bias = net.gather(of_distance, net.op("Add", {distance, net.whole(s.farthest)}), 1);
  return net.unsqueeze(bias, {0});
}

Value* feed_forward(Net& net, const Sizes& s, Value* x) {
  const Net::Scope scope = net.enter("DenseReluDense");
  const std::string_view first = s.is_gated ? "wi_0" : "wi";
  Value* inner =
      net.activation(s.act, net.linear(first, x, s.width, s.inner, false), "feed_forward_proj");
  if (s.is_gated) inner = net.mul(inner, net.linear("wi_1", x, s.width, s.inner, false));
  return net.linear("wo", inner, s.inner, s.width, false);
}

// One of the two or three parts of a block, added to what comes into it.
template <typename Part>
Value* add_part(Net& net, const Sizes& s, std::int64_t at, Value* x, const Part& part) {
  const Net::Scope scope = net.enter("layer", at);
  return net.add(x, part(net.rms_norm("layer_norm", x, s.width, s.epsilon)));
}

Value* finish(Net& net, const Sizes& s, Value* x) {
  return net.rms_norm("final_layer_norm", x, s.width, s.epsilon);
}

Value* encode(Net& net, const Sizes& s, Value* ids, Value* mask) {
  Value* x = net.embedding(words_of(net, "encoder.embed_tokens"), ids, s.vocabulary, s.width);
  const Net::Scope base = net.enter_base("transformer");
  const Net::Scope side = net.enter("encoder");
  Value* length = net.size_of(ids, 1);
  Value* bias = net.join_biases(distance_bias(net, s, net.count_up(length), length, true),
                                net.padding_bias(mask));
  for (std::int64_t i = 0; i < s.layers; ++i) {
    const Net::Scope block = net.enter("block", i);
    x = add_part(net, s, 0, x, [&](Value* in) {
      const Net::Scope scope = net.enter("SelfAttention");
      return attend(net, attention_of(s), in, bias);
    });
    x = add_part(net, s, 1, x, [&](Value* in) { return feed_forward(net, s, in); });
  }
  return finish(net, s, x);
}

Value* decode(Net& net, const Sizes& s, Decoding& decoding) {
  Value* x =
      net.embedding(words_of(net, "decoder.embed_tokens"), decoding.ids, s.vocabulary, s.width);
  const Net::Scope base = net.enter_base("transformer");
  const Net::Scope side = net.enter("decoder");
  net.ignore("block.0.layer.1.EncDecAttention.relative_attention_bias.weight");
  Value* ahead = token_bias(net, decoding);
  Value* bias = net.join_biases(
      distance_bias(net, s, token_places(net, decoding), net.size_of(ahead, 3), false), ahead);
  Value* seen_bias = states_bias(net, decoding);
  for (std::int64_t i = 0; i < s.decoder_layers; ++i) {
    const Net::Scope block = net.enter("block", i);
    const auto at = static_cast<std::size_t>(i);
    x = add_part(net, s, 0, x, [&](Value* in) {
      const Net::Scope scope = net.enter("SelfAttention");
      return attend_to_tokens(net, attention_of(s), in, bias, decoding, at);
    });
    x = add_part(net, s, 1, x, [&](Value* in) {
      const Net::Scope scope = net.enter("EncDecAttention");
      return attend_to_states(net, attention_of(s), in, seen_bias, decoding, at);
    });
    x = add_part(net, s, 2, x, [&](Value* in) { return feed_forward(net, s, in); });
  }
  return finish(net, s, x);
}

Value* predict(Net& net, const Sizes& s, Value* x) {
  Value* words = net.weight(words_of(net, "lm_head") + ".weight", {s.vocabulary, s.width});
  const Net::Scope scope = net.enter("lm_head");
  if (s.scales_output) x = net.mul(x, 1.0 / std::sqrt(static_cast<double>(s.width)));
  return net.times_transposed(x, words);
}

// What only the encoder is needed for: T5EncoderModel and T5ForTokenClassification.
void write_of_encoder(Net& net, const Config& config, const Sizes& s, std::string_view task) {
  Value* ids = token_input(net, "input_ids");
  Value* x = encode(net, s, ids, token_input(net, "attention_mask"));
  if (task == "feature-extraction") {
    net.output("last_hidden_state", x, {"batch_size", "sequence_length", s.width});
    return;
  }
  const std::int64_t labels = label_count(config);
  net.output("logits", net.linear("classifier", x, s.width, labels),
             {"batch_size", "sequence_length", labels});
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  const Sizes s = read_sizes(config);
  // Where each half has words of its own, nobody reads these.
  net.ignore(net.has_module("transformer") ? "transformer.shared.weight" : "shared.weight");
  const bool has_decoder = net.has_module("decoder") || net.has_module("transformer.decoder");
  if (wanted.task == "token-classification" ||
      (wanted.task == "feature-extraction" && !has_decoder)) {
    return write_of_encoder(net, config, s, wanted.task);
  }
  config.only("is_encoder_decoder", true, "a decoder by itself is not written");
  const Seq2seq both{.layers = s.decoder_layers,
                     .heads = s.heads,
                     .head_size = s.head_size,
                     .width = s.width,
                     .states_width = s.width,
                     .vocabulary = s.vocabulary,
                     .encode = [&](Value* ids, Value* mask) { return encode(net, s, ids, mask); },
                     .decode = [&](Decoding& decoding) { return decode(net, s, decoding); },
                     .predict = [&](Value* x) { return predict(net, s, x); }};
  if (wanted.task == "text-classification") {
    const TextHead head{.start = config.whole("decoder_start_token_id"),
                        .end = config.whole("eos_token_id", 1)};
    write_text_classification(net, both, head, label_count(config));
  } else if (wanted.task == "question-answering") {
    write_question_answering(net, both, {.start = config.whole("decoder_start_token_id")});
  } else {
    write_seq2seq(net, wanted.part, both);
  }
}

}  // namespace

Family t5() {
  return {.name = "t5",
          .model_types = {"t5"},
          .tasks = {"feature-extraction", "text2text-generation", "text-classification",
                    "token-classification", "question-answering"},
          .parts = seq2seq_parts,
          .write = write};
}

}  // namespace hone::families
