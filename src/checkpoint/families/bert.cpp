// BERT: embeddings of words, positions and segments, then layers that normalize after each sum.

#include "checkpoint/family.h"
#include "checkpoint/heads.h"

namespace hone::families {
namespace {

struct Sizes {
  std::int64_t width, heads, head_size, inner, layers, vocabulary, positions, segments;
  double epsilon;
  std::string act;
};

Sizes read_sizes(const Config& config) {
  config.only("is_decoder", false, "only encoders are written");
  config.only("add_cross_attention", false, "only encoders are written");
  config.only("position_embedding_type", "absolute", "other kinds of positions are not written");
  Sizes s{.width = config.size("hidden_size", 768),
          .heads = config.size("num_attention_heads", 12),
          .head_size = 1,
          .inner = config.size("intermediate_size", 3072),
          .layers = config.layers("num_hidden_layers", 12),
          .vocabulary = config.size("vocab_size", 30522),
          .positions = config.size("max_position_embeddings", 512),
          .segments = config.size("type_vocab_size", 2),
          .epsilon = config.real("layer_norm_eps", 1e-12),
          .act = config.word("hidden_act", "gelu")};
  s.head_size = config.divided("hidden_size", s.width, "num_attention_heads", s.heads);
  return s;
}

Value* embed(Net& net, const Sizes& s, Value* ids, Value* segments) {
  const Net::Scope scope = net.enter("embeddings");
  net.ignore("position_ids");
  Value* words = net.embedding("word_embeddings", ids, s.vocabulary, s.width);
  Value* kinds = net.embedding("token_type_embeddings", segments, s.segments, s.width);
  Value* places =
      net.embedding("position_embeddings", net.count_up(net.size_of(ids, 1)), s.positions, s.width);
  return net.layer_norm("LayerNorm", net.add(net.add(words, kinds), places), s.width, s.epsilon);
}

Value* attend(Net& net, const Sizes& s, Value* x, Value* bias) {
  const Net::Scope scope = net.enter("attention.self");
  return net
      .attention({.query = net.linear("query", x, s.width, s.width),
                  .key = net.linear("key", x, s.width, s.width),
                  .value = net.linear("value", x, s.width, s.width),
                  .heads = s.heads,
                  .head_size = s.head_size,
                  .bias = bias})
      .output;
}

Value* layer(Net& net, const Sizes& s, Value* x, Value* bias) {
  Value* seen = net.linear("attention.output.dense", attend(net, s, x, bias), s.width, s.width);
  x = net.add_layer_norm("attention.output.LayerNorm", seen, x, s.width, s.epsilon);
  Value* inner = net.linear("intermediate.dense", x, s.width, s.inner);
  Value* outer = net.linear("output.dense", net.activation(s.act, inner), s.inner, s.width);
  return net.add_layer_norm("output.LayerNorm", outer, x, s.width, s.epsilon);
}

Value* encode(Net& net, const Sizes& s, Value* ids, Value* mask, Value* segments) {
  Value* x = embed(net, s, ids, segments);
  Value* bias = net.padding_bias(mask);
  for (std::int64_t i = 0; i < s.layers; ++i) {
    const Net::Scope scope = net.enter("encoder.layer", i);
    x = layer(net, s, x, bias);
  }
  return x;
}

Value* pool(Net& net, const Sizes& s, Value* x) {
  return net.op("Tanh", {net.linear("pooler.dense", net.pick(x, 1, 0), s.width, s.width)});
}

// The head that predicts words: its product is with the embeddings of words where they are tied.
Value* predict_words(Net& net, const Config& config, const Sizes& s, Value* x) {
  const Net::Scope scope = net.enter("cls.predictions");
  x = net.activation(s.act, net.linear("transform.dense", x, s.width, s.width));
  x = net.layer_norm("transform.LayerNorm", x, s.width, s.epsilon);
  const bool is_tied = config.flag("tie_word_embeddings", true);
  if (is_tied) {
    net.ignore("decoder.weight");
    net.ignore("decoder.bias");
  }
  Value* bias = nullptr;
  Value* words = nullptr;
  if (is_tied) {
    bias = net.weight("bias", {s.vocabulary});
    const Net::Scope root = net.enter_root();
    const Net::Scope base = net.enter_base("bert");
    words = net.weight("embeddings.word_embeddings.weight", {s.vocabulary, s.width});
  } else {
    net.ignore("bias");
    words = net.weight("decoder.weight", {s.vocabulary, s.width});
    bias = net.weight("decoder.bias", {s.vocabulary});
  }
  return net.add(net.times_transposed(x, words), bias);
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  const Sizes s = read_sizes(config);
  Value* ids = token_input(net, "input_ids");
  Value* mask = token_input(net, "attention_mask");
  Value* segments = token_input(net, "token_type_ids");
  Value* x = nullptr;
  Value* pooled = nullptr;
  {
    const Net::Scope base = net.enter_base("bert");
    x = encode(net, s, ids, mask, segments);
    const bool pools = wanted.task == "text-classification" || wanted.task == "feature-extraction";
    if (pools && net.has_module("pooler")) pooled = pool(net, s, x);
  }
  if (wanted.task == "feature-extraction") {
    net.output("last_hidden_state", x, {"batch_size", "sequence_length", s.width});
    if (pooled) net.output("pooler_output", pooled, {"batch_size", s.width});
  } else if (wanted.task == "text-classification") {
    const std::int64_t labels = label_count(config);
    if (!pooled) pooled = pool(net, s, x);  // says what is missing
    net.output("logits", net.linear("classifier", pooled, s.width, labels), {"batch_size", labels});
  } else if (wanted.task == "token-classification") {
    const std::int64_t labels = label_count(config);
    net.output("logits", net.linear("classifier", x, s.width, labels),
               {"batch_size", "sequence_length", labels});
  } else if (wanted.task == "question-answering") {
    write_answer_span(net, net.linear("qa_outputs", x, s.width, 2));
  } else if (wanted.task == "fill-mask") {
    net.output("logits", predict_words(net, config, s, x),
               {"batch_size", "sequence_length", s.vocabulary});
  }
}

}  // namespace

Family bert() {
  return {.name = "bert",
          .model_types = {"bert"},
          .tasks = {"feature-extraction", "text-classification", "token-classification",
                    "question-answering", "fill-mask"},
          .write = write};
}

}  // namespace hone::families
