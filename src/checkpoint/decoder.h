#pragma once
// Llama and what came of it: layers of attention with rotary embeddings and of gated products, each
// behind an RMS norm. A family reads its configuration into DecoderSizes; the graph is one.

#include <optional>
#include <string>
#include <vector>

#include "checkpoint/causal.h"
#include "checkpoint/rotary.h"

namespace hone {

struct DecoderSizes {
  std::int64_t width, heads, kv_heads, head_size, inner, layers, vocabulary, positions;
  double epsilon;
  std::string act;
  std::string_view act_key = "hidden_act";
  bool is_tied;
  std::optional<std::int64_t> padding;
  RotaryFrequencies rotary{};
  std::vector<std::int64_t> windows{};  // of each layer, 0: it sees all; empty: they all do
  bool has_qkv_bias = false;
  bool has_output_bias = false;
  bool has_mlp_bias = false;
  bool has_head_norms = false;    // of queries and keys (Qwen3)
  bool is_packed = false;         // one weight for q, k and v, one for gate and up (Phi-3)
  bool is_gemma = false;          // norms around each part of a layer, of 1 + weight; scaled words
  std::optional<double> scale{};  // of scores; else 1 / sqrt(head_size)
  double score_softcap = 0;       // 0: none
  double logit_softcap = 0;
  std::string_view base_of_answers = "model";  // the base model's module for question answering
};

// What a family's configuration has where the file says nothing.
struct DecoderDefaults {
  std::int64_t width, inner, layers, heads, vocabulary, positions;
  std::int64_t kv_heads = 0;   // 0: as many as heads
  std::int64_t head_size = 0;  // 0: the width's share
  double epsilon = 1e-6;
  bool is_tied = false;
  std::optional<std::int64_t> padding{};
  std::string_view act_key = "hidden_act";
  std::string_view act = "silu";
  bool is_phi = false;  // see RotaryHead
};

DecoderSizes read_decoder(const Config& config, const DecoderDefaults& defaults);

// sliding_window: null or none; where it is not said, `otherwise`. 0: none.
std::int64_t read_window(const Config& config, std::int64_t otherwise);
// Of each layer by layer_types, or, where they are not said, by what `slides` says of a layer.
std::vector<std::int64_t> windows_by_type(const Config& config, std::int64_t window,
                                          const std::vector<bool>& slides);
// For families whose layers are all alike.
void refuse_layer_types(const Config& config);

void write_decoder(Net& net, const Config& config, const WantedGraph& wanted,
                   const DecoderSizes& sizes);

}  // namespace hone
