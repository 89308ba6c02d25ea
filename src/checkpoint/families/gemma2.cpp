// Gemma 2: norms before and after each part of a layer, scores and logits that are capped, and
// layers that see all or a window by turns.

#include <cmath>

#include "checkpoint/decoder.h"

namespace hone::families {
namespace {

double read_softcap(const Config& config, std::string_view key, double otherwise) {
  if (config.is_null(key)) return 0;
  const double cap = config.real(key, otherwise);
  if (cap > 0) return cap;
  config.refuse(key, "it has to be above 0, or null");
  return 1;
}

double read_scale(const Config& config) {
  const double scalar = config.real("query_pre_attn_scalar", 256);
  if (scalar > 0) return 1 / std::sqrt(scalar);
  config.refuse("query_pre_attn_scalar", "it has to be above 0");
  return 1;
}

DecoderSizes read_sizes(const Config& config) {
  DecoderSizes s = read_decoder(config, {.width = 2304,
                                         .inner = 9216,
                                         .layers = 26,
                                         .heads = 8,
                                         .vocabulary = 256000,
                                         .positions = 8192,
                                         .kv_heads = 4,
                                         .head_size = 256,
                                         .is_tied = true,
                                         .padding = 0,
                                         .act_key = "hidden_activation",
                                         .act = "gelu_pytorch_tanh"});
  config.only("use_bidirectional_attention", false, "only the causal direction is written");
  std::vector<bool> slides;
  for (std::int64_t i = 0; i < s.layers; ++i) slides.push_back(i % 2 == 0);
  s.windows = windows_by_type(config, read_window(config, 4096), slides);
  s.is_gemma = true;
  s.has_qkv_bias = s.has_output_bias = config.flag("attention_bias", false);
  s.scale = read_scale(config);
  s.score_softcap = read_softcap(config, "attn_logit_softcapping", 50);
  s.logit_softcap = read_softcap(config, "final_logit_softcapping", 30);
  return s;
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  write_decoder(net, config, wanted, read_sizes(config));
}

}  // namespace

Family gemma2() {
  return {.name = "gemma2",
          .model_types = {"gemma2"},
          .tasks = {"feature-extraction", "text-generation", "text-generation-with-past",
                    "text-classification", "token-classification"},
          .write = write};
}

}  // namespace hone::families
