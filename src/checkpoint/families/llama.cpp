// Llama: the decoder whose children the others are.

#include "checkpoint/decoder.h"

namespace hone::families {
namespace {

DecoderSizes read_sizes(const Config& config) {
  DecoderSizes s = read_decoder(config, {.width = 4096,
                                         .inner = 11008,
                                         .layers = 32,
                                         .heads = 32,
                                         .vocabulary = 32000,
                                         .positions = 2048});
  refuse_layer_types(config);
  config.only("sliding_window", Json(), "Llama's layers see all");
  s.has_qkv_bias = s.has_output_bias = config.flag("attention_bias", false);
  s.has_mlp_bias = config.flag("mlp_bias", false);
  s.base_of_answers = "transformer";
  return s;
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  write_decoder(net, config, wanted, read_sizes(config));
}

}  // namespace

Family llama() {
  return {.name = "llama",
          .model_types = {"llama"},
          .tasks = {"feature-extraction", "text-generation", "text-generation-with-past",
                    "text-classification", "token-classification", "question-answering"},
          .write = write};
}

}  // namespace hone::families
