#pragma once
// What families with an encoder and a decoder share: the graphs they come to, the ports of those by
// the names that Optimum gives them, attention that keeps its keys, and heads on top of both.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/config.h"
#include "checkpoint/net.h"

namespace hone {

// Which of two names of the same switch to read: transformers takes either, and where the file says
// both they have to agree.
std::string_view said_name(const Config& config, std::string_view name, std::string_view other);

// Of modules that transformers ties to one weight, the one to take it from: the first that the
// checkpoint has a weight of. REQUIRES: they are not empty, and no module is entered.
std::string tied_module(const Net& net, const std::vector<std::string>& modules);

// --- a decoder and what it has seen

// [batch, heads, length, head_size]
struct KeyValue {
  Value* key = nullptr;
  Value* value = nullptr;
};

// Of one layer of a decoder.
struct LayerCache {
  KeyValue decoder;  // of the tokens before
  KeyValue encoder;  // of what the encoder made
};

// What a decoder is given, and what it leaves for its next token.
struct Decoding {
  Value* ids = nullptr;               // [batch, queries]
  Value* mask = nullptr;              // [batch, queries]; null: none is padding
  Value* states = nullptr;            // the encoder's; null where their keys are in `past`
  Value* states_mask = nullptr;       // [batch, states]; null: none is padding
  bool keeps = false;                 // `present` is wanted
  std::vector<LayerCache> past{};     // of each layer; empty at the beginning
  std::vector<LayerCache> present{};  // each layer adds its own
};

// [queries]: which places the tokens have in the whole sequence.
Value* token_places(Net& net, const Decoding& decoding);
// What is added to the scores of tokens among each other: none looks ahead, nor at padding.
Value* token_bias(Net& net, const Decoding& decoding);
// The same for what they look at of the encoder; null where nothing of it is padding.
Value* states_bias(Net& net, const Decoding& decoding);

// --- attention, by the names of its four linear layers

struct AttentionLayer {
  std::string_view query = "q_proj";
  std::string_view key = "k_proj";
  std::string_view value = "v_proj";
  std::string_view output = "out_proj";
  std::int64_t width = 1;
  std::int64_t heads = 1;
  std::int64_t head_size = 1;
  std::int64_t states_width = 0;  // of what the encoder gives; 0: `width`
  bool bias = true;
  bool key_bias = true;
  std::optional<double> scale{};
};

// Within the entered module. An encoder's, of x to itself.
Value* attend(Net& net, const AttentionLayer& layer, Value* x, Value* bias);
// A decoder's, of the layer `at`, which comes first: to its tokens and those before.
Value* attend_to_tokens(Net& net, const AttentionLayer& layer, Value* x, Value* bias,
                        Decoding& decoding, std::size_t at);
// And after it: to what the encoder made.
Value* attend_to_states(Net& net, const AttentionLayer& layer, Value* x, Value* bias,
                        Decoding& decoding, std::size_t at);

// --- graphs

// Of a generating task as Optimum's folders have them; of any other {"model"}.
std::vector<std::string> seq2seq_parts(const Config& config, std::string_view task);

// A family's own two halves.
struct Seq2seq {
  std::int64_t layers = 1, heads = 1, head_size = 1;  // of the decoder
  std::int64_t width = 1;                             // of the decoder
  std::int64_t states_width = 1;                      // of the encoder
  std::int64_t vocabulary = 1;
  NetDim states_length = "encoder_sequence_length";
  std::function<Value*()> input{};  // declares what the encoder is given; null: tokens with a mask
  std::function<Value*(Value* input, Value* mask)> encode;
  std::function<Value*(Decoding&)> decode;  // the last hidden state
  std::function<Value*(Value* x)> predict;  // words from it
};

// One of seq2seq_parts(), or where it is "model" both halves, from their inputs to the last hidden
// states.
void write_seq2seq(Net& net, std::string_view part, const Seq2seq& both);

// --- heads on both halves of a family that reads text, which give the decoder what the encoder is
// given, one token later.

struct TextHead {
  std::int64_t start = 0;  // the token in front
  std::int64_t end = 0;    // of the last of these text-classification sees
};

TextHead read_text_head(const Config& config, std::int64_t start, std::int64_t end);
// 'classification_head': two layers, of the last end token.
void write_text_classification(Net& net, const Seq2seq& both, const TextHead& head,
                               std::int64_t labels);
// 'qa_outputs'
void write_question_answering(Net& net, const Seq2seq& both, const TextHead& head);

}  // namespace hone
