#pragma once
// The layers of BART and of those that have its names: self_attn, encoder_attn, fc1, fc2. Some
// normalize what comes into a part of a layer, others what comes out of it.

#include "checkpoint/seq2seq.h"

namespace hone {

struct BartLayers {
  std::int64_t width = 1, heads = 1, head_size = 1, inner = 1, layers = 1;
  std::string act;
  std::int64_t states_width = 0;  // of what the encoder gives; 0: `width`
  bool normalizes_first = false;
  bool key_bias = true;
};

// Where the configuration says nothing.
struct BartDefaults {
  std::int64_t width, heads, inner, layers;
};

// Of "encoder" or "decoder". `is_main`: the switches that all families have by one name mean it.
BartLayers read_bart_layers(const Config& config, std::string_view side,
                            const BartDefaults& defaults, bool is_main);

// 'layers' of the entered module. `each`, where it is wanted, gets what goes in and what each
// makes.
Value* encode_bart(Net& net, const BartLayers& s, Value* x, Value* bias,
                   std::vector<Value*>* each = nullptr);
Value* decode_bart(Net& net, const BartLayers& s, Value* x, Decoding& decoding);

// All but the halves of a family whose decoder has such layers.
Seq2seq seq2seq_of(const BartLayers& decoder, std::int64_t states_width, std::int64_t vocabulary);

// A table of positions as it is computed where a checkpoint has none of its own, of `count` rows as
// wide as the layers. It is refused where that many cannot be meant.
bool can_have_places(const Config& config, std::int64_t count, std::int64_t width);

}  // namespace hone
