// ELECTRA: BERT whose embeddings may be narrower than its layers, without a pooler.

#include "checkpoint/family.h"
#include "checkpoint/text_encoder.h"
#include "checkpoint/text_heads.h"

namespace hone::families {
namespace {

Value* embed(Net& net, const TextSizes& s, std::int64_t narrow, Value* ids, Value* segments) {
  Value* x = nullptr;
  {
    const Net::Scope scope = net.enter("embeddings");
    x = sum_embeddings(net, s, narrow, ids, count_places(net, ids), segments);
    x = net.layer_norm("LayerNorm", x, narrow, s.epsilon);
  }
  return narrow == s.width ? x : net.linear("embeddings_project", x, narrow, s.width);
}

void predict_words(Net& net, const Config& config, const TextSizes& s, std::int64_t narrow,
                   Value* x) {
  x = transform_words(net,
                      {.dense = "generator_predictions.dense",
                       .norm = "generator_predictions.LayerNorm",
                       .act = "gelu",
                       .in = s.width,
                       .out = narrow,
                       .epsilon = s.epsilon},
                      x);
  write_word_logits(net, config,
                    {.module = "generator_lm_head",
                     .words = base_path(net, "electra", "embeddings.word_embeddings.weight"),
                     .width = narrow,
                     .vocabulary = s.vocabulary},
                    x);
}

void classify(Net& net, const Config& config, const WantedGraph& wanted, const TextSizes& s,
              Value* x) {
  const Net::Scope scope = net.enter("classifier");
  Value* text = net.gelu(net.linear("dense", net.pick(x, 1, 0), s.width, s.width));
  write_text_logits(net, config, wanted, "out_proj", text, s.width);
}

// What a choice is judged by. The last token is the last of the longest text, padding or not.
Value* sum_up(Net& net, const Config& config, const TextSizes& s, Value* x) {
  const std::string how =
      config.one_of("summary_type", {"first", "last", "mean", "cls_index"}, "first");
  config.only("summary_proj_to_labels", false, "a summary is as wide as the layers");
  Value* text = how == "mean" ? net.mean(x, {1}, false) : net.pick(x, 1, how == "first" ? 0 : -1);
  if (config.flag("summary_use_proj", true)) {
    text = net.linear("sequence_summary.summary", text, s.width, s.width);
  }
  const bool has_none = config.is_null("summary_activation");
  const std::string act = has_none ? "" : config.word("summary_activation", "gelu");
  return act.empty() ? text : net.activation(act, text, "summary_activation");
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  TextSizes s = read_text_sizes(config, {.width = 256, .heads = 4, .inner = 1024});
  s.segments = config.size("type_vocab_size", 2);
  const std::int64_t narrow = config.size("embedding_size", 128);
  Value* ids = text_input(net, wanted, "input_ids");
  Value* mask = text_input(net, wanted, "attention_mask");
  Value* segments = text_input(net, wanted, "token_type_ids");
  Value* x = nullptr;
  {
    const Net::Scope base = net.enter_base("electra");
    x = run_text_layers(net, s, embed(net, s, narrow, ids, segments), mask);
  }
  if (wanted.task == "feature-extraction") {
    write_hidden_state(net, x, nullptr, s.width);
  } else if (wanted.task == "text-classification") {
    classify(net, config, wanted, s, x);
  } else if (wanted.task == "multiple-choice") {
    write_text_logits(net, config, wanted, "classifier", sum_up(net, config, s, x), s.width);
  } else if (wanted.task == "fill-mask") {
    predict_words(net, config, s, narrow, x);
  } else {
    write_token_logits(net, config, wanted, x, s.width);
  }
}

}  // namespace

Family electra() {
  return {.name = "electra", .model_types = {"electra"}, .tasks = text_tasks(), .write = write};
}

}  // namespace hone::families
