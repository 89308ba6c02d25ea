// DistilBERT: BERT with fewer layers, no segments and no pooler, and names of its own.

#include "checkpoint/family.h"
#include "checkpoint/text_encoder.h"
#include "checkpoint/text_heads.h"

namespace hone::families {
namespace {

constexpr double epsilon = 1e-12;

// A switch by its own name or by the one that other families have for it, which goes first.
std::int64_t either(const Config& config, std::string_view other, std::string_view own,
                    std::int64_t otherwise) {
  return config.has(other) ? config.size(other) : config.size(own, otherwise);
}

TextSizes read_sizes(const Config& config) {
  TextSizes s{.width = either(config, "hidden_size", "dim", 768),
              .heads = either(config, "num_attention_heads", "n_heads", 12),
              .inner = config.size("hidden_dim", 4 * 768),
              .layers = config.layers(
                  config.has("num_hidden_layers") ? "num_hidden_layers" : "n_layers", 6),
              .vocabulary = config.size("vocab_size", 30522),
              .positions = config.size("max_position_embeddings", 512),
              .epsilon = epsilon,
              .act = config.word("activation", "gelu")};
  s.head_size = config.divided("dim", s.width, "n_heads", s.heads);
  return s;
}

Value* embed(Net& net, const TextSizes& s, Value* ids) {
  const Net::Scope scope = net.enter("embeddings");
  net.ignore("position_ids");
  Value* words = net.embedding("word_embeddings", ids, s.vocabulary, s.width);
  Value* places =
      net.embedding("position_embeddings", count_places(net, ids), s.positions, s.width);
  return net.layer_norm("LayerNorm", net.add(words, places), s.width, epsilon);
}

Value* layer(Net& net, const TextSizes& s, Value* x, Value* bias) {
  Value* seen = nullptr;
  {
    const Net::Scope scope = net.enter("attention");
    seen = attend_to_all(net, s, x, bias, {.query = "q_lin", .key = "k_lin", .value = "v_lin"});
    seen = net.linear("out_lin", seen, s.width, s.width);
  }
  x = net.add_layer_norm("sa_layer_norm", seen, x, s.width, epsilon);
  Value* inner = net.linear("ffn.lin1", x, s.width, s.inner);
  Value* outer =
      net.linear("ffn.lin2", net.activation(s.act, inner, "activation"), s.inner, s.width);
  return net.add_layer_norm("output_layer_norm", outer, x, s.width, epsilon);
}

Value* encode(Net& net, const TextSizes& s, Value* ids, Value* mask) {
  Value* x = embed(net, s, ids);
  Value* bias = net.padding_bias(mask);
  for (std::int64_t i = 0; i < s.layers; ++i) {
    const Net::Scope scope = net.enter("transformer.layer", i);
    x = layer(net, s, x, bias);
  }
  return x;
}

void predict_words(Net& net, const Config& config, const TextSizes& s, Value* x) {
  x = transform_words(net,
                      {.dense = "vocab_transform",
                       .norm = "vocab_layer_norm",
                       .act = s.act,
                       .in = s.width,
                       .out = s.width,
                       .epsilon = epsilon},
                      x);
  write_word_logits(net, config,
                    {.module = "vocab_projector",
                     .words = base_path(net, "distilbert", "embeddings.word_embeddings.weight"),
                     .width = s.width,
                     .vocabulary = s.vocabulary},
                    x);
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  const TextSizes s = read_sizes(config);
  Value* ids = text_input(net, wanted, "input_ids");
  Value* mask = text_input(net, wanted, "attention_mask");
  Value* x = nullptr;
  {
    const Net::Scope base = net.enter_base("distilbert");
    x = encode(net, s, ids, mask);
  }
  if (wanted.task == "feature-extraction") {
    write_hidden_state(net, x, nullptr, s.width);
  } else if (is_of_whole_text(wanted)) {
    Value* text = net.linear("pre_classifier", net.pick(x, 1, 0), s.width, s.width);
    write_text_logits(net, config, wanted, "classifier", net.op("Relu", {text}), s.width);
  } else if (wanted.task == "fill-mask") {
    predict_words(net, config, s, x);
  } else {
    write_token_logits(net, config, wanted, x, s.width);
  }
}

}  // namespace

Family distilbert() {
  return {
      .name = "distilbert", .model_types = {"distilbert"}, .tasks = text_tasks(), .write = write};
}

}  // namespace hone::families
