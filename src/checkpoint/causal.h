#pragma once
// Networks that read from left to right and keep what they have read: their inputs, with the caches
// of a task that has them, attention that sees nothing that comes later, and their heads.

#include <optional>
#include <vector>

#include "checkpoint/config.h"
#include "checkpoint/family.h"
#include "checkpoint/net.h"

namespace hone {

struct Cache {
  Value* key = nullptr;
  Value* value = nullptr;
};

struct CausalInputs {
  Value* ids = nullptr;
  Value* mask = nullptr;       // of past and new tokens
  Value* positions = nullptr;  // [batch, length]: an input beside caches, else 0, 1, 2, ...
  std::vector<Cache> pasts{};  // of each layer; empty where the task has no caches
};

struct CacheSizes {
  std::int64_t layers = 0;
  std::int64_t heads = 1;
  std::int64_t head_size = 1;
};

CausalInputs causal_inputs(Net& net, const WantedGraph& wanted, const CacheSizes& sizes);

// What a token may not look at: padding, and what comes after it. `window` as causal_bias() has it.
Value* bias_of(Net& net, const CausalInputs& in, std::int64_t window = 0);

// Attention of a layer, behind that layer's past. `presents` gets its cache, where there are any.
Value* attend_to_past(Net& net, const CausalInputs& in, Attention attention,
                      std::vector<Cache>& presents);

struct CausalHeads {
  std::string_view base;   // the module of the base model: "model"
  std::string_view words;  // of the words' embedding in it: "embed_tokens"
  std::int64_t width = 1;
  std::int64_t vocabulary = 1;
  bool is_tied = false;  // logits are products with the embeddings
  double softcap = 0;    // of logits of words; 0: none
  std::string_view token_classifier = "score";
  std::optional<std::int64_t> padding{};  // pad_token_id
  CacheSizes caches{};
};

// The outputs of any task for what the base model came to.
void write_causal_task(Net& net, const Config& config, const WantedGraph& wanted,
                       const CausalHeads& heads, const CausalInputs& in, Value* x,
                       const std::vector<Cache>& presents);

// pad_token_id, where it is said not to be null; else `otherwise`.
std::optional<std::int64_t> read_padding(const Config& config,
                                         std::optional<std::int64_t> otherwise);

// What changes any of these networks and is not written.
void refuse_other_directions(const Config& config);

}  // namespace hone
