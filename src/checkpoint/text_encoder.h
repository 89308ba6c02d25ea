#pragma once
// BERT's body, which its descendants changed in places: sizes, the sum of embeddings, and layers
// that normalize after each sum.

#include <string>

#include "checkpoint/config.h"
#include "checkpoint/net.h"

namespace hone {

struct TextSizes {
  std::int64_t width = 768;
  std::int64_t heads = 12;
  std::int64_t head_size = 64;
  std::int64_t inner = 3072;
  std::int64_t layers = 12;
  std::int64_t vocabulary = 30522;
  std::int64_t positions = 512;
  std::int64_t segments = 2;  // kinds of tokens; not every family has them
  double epsilon = 1e-12;
  std::string act = "gelu";
};

// The sizes of an encoder, by the names BERT's configuration has for them, and `otherwise` where it
// says nothing. Segments are those of `otherwise`. Decoders are refused.
TextSizes read_text_sizes(const Config& config, const TextSizes& otherwise = {});

// word_embeddings + token_type_embeddings + position_embeddings, before their normalization.
// Without `segments` every token is of the first kind.
Value* sum_embeddings(Net& net, const TextSizes& sizes, std::int64_t width, Value* ids,
                      Value* places, Value* segments);
// [0, 1, ...] for the tokens of ids [batch, sequence].
Value* count_places(Net& net, Value* ids);
// The same, but counted from padding + 1 and in tokens that are no padding; those are at `padding`.
Value* count_places_after(Net& net, Value* ids, std::int64_t padding);
// [sequence, sequence]: how far a row's token is after a column's. `ids` are [batch, sequence].
Value* distances_between(Net& net, Value* ids);

struct AttentionNames {
  std::string_view query = "query";
  std::string_view key = "key";
  std::string_view value = "value";
};
// Every token looks at every other, as far as `bias` lets it.
Value* attend_to_all(Net& net, const TextSizes& sizes, Value* x, Value* bias,
                     const AttentionNames& names = {});
// attention.output of what was seen and of what came in, then intermediate and output.
Value* finish_text_layer(Net& net, const TextSizes& sizes, Value* seen, Value* x);
// intermediate and output.
Value* feed_forward(Net& net, const TextSizes& sizes, Value* x);
// encoder.layer, all of them.
Value* run_text_layers(Net& net, const TextSizes& sizes, Value* x, Value* mask);

}  // namespace hone
