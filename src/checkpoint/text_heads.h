#pragma once
// Heads of encoders of text: their tasks, inputs and outputs, which differ between families only
// in the names of modules and in what a text is summed up to.

#include <string>

#include "checkpoint/config.h"
#include "checkpoint/family.h"
#include "checkpoint/net.h"
#include "checkpoint/text_encoder.h"

namespace hone {

// feature-extraction, text-classification, multiple-choice, token-classification,
// question-answering and fill-mask.
std::vector<std::string_view> text_tasks();

// Numbers of tokens, [batch, sequence]. Choices of multiple choice, [batch, choices, sequence], go
// through the network as samples of their own.
Value* text_input(Net& net, const WantedGraph& wanted, std::string_view name);

// The task wants one answer for a text: text-classification, and multiple-choice.
bool is_of_whole_text(const WantedGraph& wanted);
// Its logits, by `module` from [samples, width].
void write_text_logits(Net& net, const Config& config, const WantedGraph& wanted,
                       std::string_view module, Value* text, std::int64_t width);
// last_hidden_state [batch, sequence, width], and pooler_output [batch, width] unless it is null.
void write_hidden_state(Net& net, Value* x, Value* pooled, std::int64_t width);
// Of token-classification the logits by `classifier`, of question-answering the span by `answer`.
void write_token_logits(Net& net, const Config& config, const WantedGraph& wanted, Value* x,
                        std::int64_t width, std::string_view classifier = "classifier",
                        std::string_view answer = "qa_outputs");

// From a word's vector to the logits of all words. The weight may be tied to the embeddings of
// words, and the bias to another name of it.
struct WordDecoder {
  std::string_view module;
  std::string_view other_bias{};  // empty: none; beside the module
  std::string words;              // the embeddings, from the root; see base_path()
  std::int64_t width = 1;
  std::int64_t vocabulary = 1;
  bool bias = true;
};
// The path from the root of what the base model calls `name`.
std::string base_path(Net& net, std::string_view base, std::string_view name);
void write_word_logits(Net& net, const Config& config, const WordDecoder& decoder, Value* x);

// The same by a module `decoder` whose bias is also called `bias`, of a base model with BERT's
// names.
void decode_words(Net& net, const Config& config, const TextSizes& sizes, std::int64_t width,
                  std::string_view base, Value* x);

// What comes before the decoder: linear, activation, normalization.
struct WordTransform {
  std::string_view dense;
  std::string_view norm;
  std::string act = "gelu";
  std::int64_t in = 1;
  std::int64_t out = 1;
  double epsilon = 1e-12;
};
Value* transform_words(Net& net, const WordTransform& transform, Value* x);

// tanh of a linear layer of the first token.
Value* pool_first_token(Net& net, std::string_view module, Value* x, std::int64_t width);
// The same by the pooler of a base model, where a head needs it, or features are wanted and there
// is one; else null.
Value* pool_text(Net& net, const WantedGraph& wanted, bool is_needed, std::string_view module,
                 Value* x, std::int64_t width);

// A base model that was written: its name, [batch, sequence, width], and [batch, width] or null.
struct TextBody {
  std::string_view name;
  Value* x = nullptr;
  Value* pooled = nullptr;
};
// All heads as BERT has them.
void write_bert_heads(Net& net, const Config& config, const WantedGraph& wanted,
                      const TextSizes& sizes, const TextBody& body);
// As RoBERTa has them: what classifies brings a layer of its own instead of the pooler.
void write_roberta_heads(Net& net, const Config& config, const WantedGraph& wanted,
                         const TextSizes& sizes, const TextBody& body);
// `cls.predictions`. `narrow` is the width of the embeddings of words.
void write_bert_words(Net& net, const Config& config, const TextSizes& sizes, std::int64_t narrow,
                      const TextBody& body);

}  // namespace hone
