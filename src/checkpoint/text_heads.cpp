#include "checkpoint/text_heads.h"

#include "checkpoint/heads.h"

namespace hone {
namespace {

bool holds_the_same(const Tensor& a, const Tensor& b) {
  if (a.type != b.type || a.dims != b.dims) return false;
  const auto in_a = a.bytes();
  const auto in_b = b.bytes();
  return in_a && in_b && *in_a == *in_b;
}

// A tensor that a checkpoint may hold by either of two names, or by both, as transformers reads it:
// what is there is taken, and two that differ are not tied, whatever the configuration says.
Value* tied_weight(Net& net, std::string_view own, const std::string& other, bool is_tied,
                   const std::vector<std::int64_t>& dims) {
  const std::string path = net.path() + (net.path().empty() ? "" : ".") + std::string(own);
  const TensorPtr mine = net.weights().find(path);
  const TensorPtr theirs = net.weights().find(other);
  const bool is_same = mine && theirs && holds_the_same(*mine, *theirs);
  if (!is_tied || (mine && !is_same)) return net.weight(own, dims);
  net.ignore(own);
  const Net::Scope root = net.enter_root();
  return net.weight(other, dims);
}

}  // namespace

std::vector<std::string_view> text_tasks() {
  return {"feature-extraction",   "text-classification", "multiple-choice",
          "token-classification", "question-answering",  "fill-mask"};
}

Value* text_input(Net& net, const WantedGraph& wanted, std::string_view name) {
  if (wanted.task != "multiple-choice") return token_input(net, name);
  Value* choices =
      net.input(name, ElementType::int64, {"batch_size", "num_choices", "sequence_length"});
  return net.reshape(choices, net.dims({std::int64_t{-1}, net.size_of(choices, 2)}));
}

bool is_of_whole_text(const WantedGraph& wanted) {
  return wanted.task == "text-classification" || wanted.task == "multiple-choice";
}

void write_text_logits(Net& net, const Config& config, const WantedGraph& wanted,
                       std::string_view module, Value* text, std::int64_t width) {
  if (wanted.task == "multiple-choice") {
    Value* logits = net.linear(module, text, width, 1);
    Value* choices = net.size_of(net.find_input("input_ids"), 1);
    net.output("logits", net.reshape(logits, net.dims({std::int64_t{-1}, choices})),
               {"batch_size", "num_choices"});
    return;
  }
  const std::int64_t labels = label_count(config);
  net.output("logits", net.linear(module, text, width, labels), {"batch_size", labels});
}

void write_hidden_state(Net& net, Value* x, Value* pooled, std::int64_t width) {
  net.output("last_hidden_state", x, {"batch_size", "sequence_length", width});
  if (pooled) net.output("pooler_output", pooled, {"batch_size", width});
}

void write_token_logits(Net& net, const Config& config, const WantedGraph& wanted, Value* x,
                        std::int64_t width, std::string_view classifier, std::string_view answer) {
  const std::int64_t labels = label_count(config);
  if (wanted.task == "question-answering") {
    if (labels != 2) {
      config.refuse(config.has("num_labels") ? "num_labels" : "id2label",
                    "an answer has two ends, so two labels");
    }
    write_answer_span(net, net.linear(answer, x, width, 2));
  } else {
    net.output("logits", net.linear(classifier, x, width, labels),
               {"batch_size", "sequence_length", labels});
  }
}

std::string base_path(Net& net, std::string_view base, std::string_view name) {
  const std::string whole = std::string(base) + "." + std::string(name);
  return net.weights().has_module(base) ? whole : std::string(name);
}

void write_word_logits(Net& net, const Config& config, const WordDecoder& decoder, Value* x) {
  const bool is_tied = config.flag("tie_word_embeddings", true);
  const std::string path = net.path() + (net.path().empty() ? "" : ".");
  Value* logits = nullptr;
  {
    const Net::Scope scope = net.enter(decoder.module);
    Value* words =
        tied_weight(net, "weight", decoder.words, is_tied, {decoder.vocabulary, decoder.width});
    logits = net.times_transposed(x, words);
    if (decoder.bias) {
      // Older files whose words are not tied hold the bias by its other name all the same.
      const bool has_other = !decoder.other_bias.empty() && (is_tied || !net.has("bias"));
      Value* bias = tied_weight(net, "bias", path + std::string(decoder.other_bias), has_other,
                                {decoder.vocabulary});
      logits = net.add(logits, bias);
    }
  }
  if (!decoder.other_bias.empty()) net.ignore(decoder.other_bias);
  net.output("logits", logits, {"batch_size", "sequence_length", decoder.vocabulary});
}

Value* transform_words(Net& net, const WordTransform& t, Value* x) {
  x = net.activation(t.act, net.linear(t.dense, x, t.in, t.out));
  return net.layer_norm(t.norm, x, t.out, t.epsilon);
}

Value* pool_first_token(Net& net, std::string_view module, Value* x, std::int64_t width) {
  return net.op("Tanh", {net.linear(module, net.pick(x, 1, 0), width, width)});
}

Value* pool_text(Net& net, const WantedGraph& wanted, bool is_needed, std::string_view module,
                 Value* x, std::int64_t width) {
  const bool is_there = wanted.task == "feature-extraction" && net.has_module(module);
  if (is_needed || is_there) return pool_first_token(net, module, x, width);
  const Net::Scope scope = net.enter(module);
  net.ignore("weight");
  net.ignore("bias");
  return nullptr;
}

void decode_words(Net& net, const Config& config, const TextSizes& s, std::int64_t width,
                  std::string_view base, Value* x) {
  write_word_logits(net, config,
                    {.module = "decoder",
                     .other_bias = "bias",
                     .words = base_path(net, base, "embeddings.word_embeddings.weight"),
                     .width = width,
                     .vocabulary = s.vocabulary},
                    x);
}

void write_bert_words(Net& net, const Config& config, const TextSizes& s, std::int64_t narrow,
                      const TextBody& body) {
  net.ignore("cls.seq_relationship.weight");  // of pretraining: whether two sentences follow
  net.ignore("cls.seq_relationship.bias");
  const Net::Scope scope = net.enter("cls.predictions");
  Value* x = transform_words(net,
                             {.dense = "transform.dense",
                              .norm = "transform.LayerNorm",
                              .act = s.act,
                              .in = s.width,
                              .out = narrow,
                              .epsilon = s.epsilon},
                             body.x);
  decode_words(net, config, s, narrow, body.name, x);
}

void write_bert_heads(Net& net, const Config& config, const WantedGraph& wanted, const TextSizes& s,
                      const TextBody& body) {
  if (wanted.task == "feature-extraction") {
    write_hidden_state(net, body.x, body.pooled, s.width);
  } else if (is_of_whole_text(wanted)) {
    write_text_logits(net, config, wanted, "classifier", body.pooled, s.width);
  } else if (wanted.task == "fill-mask") {
    write_bert_words(net, config, s, s.width, body);
  } else {
    write_token_logits(net, config, wanted, body.x, s.width);
  }
}

void write_roberta_heads(Net& net, const Config& config, const WantedGraph& wanted,
                         const TextSizes& s, const TextBody& body) {
  if (wanted.task == "text-classification") {
    const Net::Scope scope = net.enter("classifier");
    Value* text = pool_first_token(net, "dense", body.x, s.width);
    write_text_logits(net, config, wanted, "out_proj", text, s.width);
  } else if (wanted.task == "fill-mask") {
    const Net::Scope scope = net.enter("lm_head");
    Value* x = transform_words(net,
                               {.dense = "dense",
                                .norm = "layer_norm",
                                .act = "gelu",
                                .in = s.width,
                                .out = s.width,
                                .epsilon = s.epsilon},
                               body.x);
    decode_words(net, config, s, s.width, body.name, x);
  } else {
    write_bert_heads(net, config, wanted, s, body);
  }
}

}  // namespace hone
