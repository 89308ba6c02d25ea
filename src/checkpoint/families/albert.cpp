// ALBERT: BERT with narrower embeddings, and layers that share their weights in groups.

#include "checkpoint/family.h"
#include "checkpoint/text_encoder.h"
#include "checkpoint/text_heads.h"

namespace hone::families {
namespace {

// Of published ones there are at most 24 layers of one inner layer each.
constexpr std::int64_t most_layers = 1'000;

struct Sizes {
  TextSizes text;
  std::int64_t narrow, groups, inner_layers;
};

Sizes read_sizes(const Config& config) {
  Sizes s{.text = read_text_sizes(
              config,
              {.width = 4096, .heads = 64, .inner = 16384, .vocabulary = 30000, .act = "gelu_new"}),
          .narrow = config.size("embedding_size", 128),
          .groups = config.size("num_hidden_groups", 1),
          .inner_layers = config.layers("inner_group_num", 1)};
  s.text.segments = config.size("type_vocab_size", 2);
  if (s.text.layers * s.inner_layers > most_layers) {
    config.refuse("inner_group_num", "with num_hidden_layers it makes more than 1,000 layers");
    s.inner_layers = 1;
  }
  return s;
}

Value* embed(Net& net, const Sizes& s, Value* ids, Value* segments) {
  Value* x = nullptr;
  {
    const Net::Scope scope = net.enter("embeddings");
    x = sum_embeddings(net, s.text, s.narrow, ids, count_places(net, ids), segments);
    x = net.layer_norm("LayerNorm", x, s.narrow, s.text.epsilon);
  }
  return net.linear("encoder.embedding_hidden_mapping_in", x, s.narrow, s.text.width);
}

Value* layer(Net& net, const TextSizes& s, Value* x, Value* bias) {
  {
    const Net::Scope scope = net.enter("attention");
    Value* seen = net.linear("dense", attend_to_all(net, s, x, bias), s.width, s.width);
    x = net.add_layer_norm("LayerNorm", seen, x, s.width, s.epsilon);
  }
  Value* inner = net.activation(s.act, net.linear("ffn", x, s.width, s.inner));
  Value* outer = net.linear("ffn_output", inner, s.inner, s.width);
  return net.add_layer_norm("full_layer_layer_norm", outer, x, s.width, s.epsilon);
}

Value* encode(Net& net, const Sizes& s, Value* x, Value* mask) {
  Value* bias = net.padding_bias(mask);
  const double layers_of_group = static_cast<double>(s.text.layers) / static_cast<double>(s.groups);
  for (std::int64_t i = 0; i < s.text.layers; ++i) {
    const auto of = static_cast<std::int64_t>(static_cast<double>(i) / layers_of_group);
    const Net::Scope group = net.enter("encoder.albert_layer_groups", of);
    for (std::int64_t j = 0; j < s.inner_layers; ++j) {
      const Net::Scope scope = net.enter("albert_layers", j);
      x = layer(net, s.text, x, bias);
    }
  }
  return x;
}

void predict_words(Net& net, const Config& config, const Sizes& s, Value* x) {
  net.ignore("sop_classifier.classifier.weight");  // of pretraining: the order of two sentences
  net.ignore("sop_classifier.classifier.bias");
  const Net::Scope scope = net.enter("predictions");
  x = transform_words(net,
                      {.dense = "dense",
                       .norm = "LayerNorm",
                       .act = s.text.act,
                       .in = s.text.width,
                       .out = s.narrow,
                       .epsilon = s.text.epsilon},
                      x);
  decode_words(net, config, s.text, s.narrow, "albert", x);
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  const Sizes s = read_sizes(config);
  const std::int64_t width = s.text.width;
  Value* ids = text_input(net, wanted, "input_ids");
  Value* mask = text_input(net, wanted, "attention_mask");
  Value* segments = text_input(net, wanted, "token_type_ids");
  Value* x = nullptr;
  Value* pooled = nullptr;
  {
    const Net::Scope base = net.enter_base("albert");
    x = encode(net, s, embed(net, s, ids, segments), mask);
    pooled = pool_text(net, wanted, is_of_whole_text(wanted), "pooler", x, width);
  }
  if (wanted.task == "feature-extraction") {
    write_hidden_state(net, x, pooled, width);
  } else if (is_of_whole_text(wanted)) {
    write_text_logits(net, config, wanted, "classifier", pooled, width);
  } else if (wanted.task == "fill-mask") {
    predict_words(net, config, s, x);
  } else {
    write_token_logits(net, config, wanted, x, width);
  }
}

}  // namespace

Family albert() {
  return {.name = "albert", .model_types = {"albert"}, .tasks = text_tasks(), .write = write};
}

}  // namespace hone::families
