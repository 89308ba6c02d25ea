// Qwen2 and Qwen3: biases of queries, keys and values, or norms of each of their heads; the layers
// behind the first ones may see no further back than a window.

#include "checkpoint/decoder.h"

namespace hone::families {
namespace {

std::vector<std::int64_t> read_windows(const Config& config, std::int64_t layers) {
  const bool is_used = config.flag("use_sliding_window", false);
  const std::int64_t window = is_used ? read_window(config, 4096) : 0;
  const std::int64_t first = config.whole("max_window_layers", 28);
  std::vector<bool> slides;
  for (std::int64_t i = 0; i < layers; ++i) slides.push_back(window != 0 && i >= first);
  return windows_by_type(config, window, slides);
}

DecoderSizes read_sizes(const Config& config, std::int64_t head_size) {
  DecoderSizes s = read_decoder(config, {.width = 4096,
                                         .inner = 22016,
                                         .layers = 32,
                                         .heads = 32,
                                         .vocabulary = 151936,
                                         .positions = 32768,
                                         .kv_heads = 32,
                                         .head_size = head_size});
  s.windows = read_windows(config, s.layers);
  s.base_of_answers = "transformer";
  return s;
}

void write_qwen2(Net& net, const Config& config, const WantedGraph& wanted) {
  DecoderSizes s = read_sizes(config, 0);
  s.has_qkv_bias = true;
  write_decoder(net, config, wanted, s);
}

void write_qwen3(Net& net, const Config& config, const WantedGraph& wanted) {
  DecoderSizes s = read_sizes(config, 128);
  s.has_head_norms = true;
  s.has_qkv_bias = s.has_output_bias = config.flag("attention_bias", false);
  write_decoder(net, config, wanted, s);
}

}  // namespace

Family qwen2() {
  return {.name = "qwen2",
          .model_types = {"qwen2"},
          .tasks = {"feature-extraction", "text-generation", "text-generation-with-past",
                    "text-classification", "token-classification", "question-answering"},
          .write = write_qwen2};
}

Family qwen3() {
  Family family = qwen2();
  family.name = "qwen3";
  family.model_types = {"qwen3"};
  family.write = write_qwen3;
  return family;
}

}  // namespace hone::families
