// Mistral: all layers see as far back as one window.

#include "checkpoint/decoder.h"

namespace hone::families {
namespace {

DecoderSizes read_sizes(const Config& config) {
  DecoderSizes s = read_decoder(config, {.width = 4096,
                                         .inner = 14336,
                                         .layers = 32,
                                         .heads = 32,
                                         .vocabulary = 32000,
                                         .positions = 131072,
                                         .kv_heads = 8});
  refuse_layer_types(config);
  s.windows.assign(static_cast<std::size_t>(s.layers), read_window(config, 4096));
  return s;
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  write_decoder(net, config, wanted, read_sizes(config));
}

}  // namespace

Family mistral() {
  return {.name = "mistral",
          .model_types = {"mistral"},
          .tasks = {"feature-extraction", "text-generation", "text-generation-with-past",
                    "text-classification", "token-classification", "question-answering"},
          .write = write};
}

}  // namespace hone::families
