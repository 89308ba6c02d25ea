// Phi-3: weights of several products lie in one, and a part of each head may be left unturned.

#include "checkpoint/decoder.h"

namespace hone::families {
namespace {

DecoderSizes read_sizes(const Config& config) {
  DecoderSizes s = read_decoder(config, {.width = 3072,
                                         .inner = 8192,
                                         .layers = 32,
                                         .heads = 32,
                                         .vocabulary = 32064,
                                         .positions = 4096,
                                         .epsilon = 1e-5,
                                         .padding = 32000,
                                         .is_phi = true});
  refuse_layer_types(config);
  s.windows.assign(static_cast<std::size_t>(s.layers), read_window(config, 0));
  s.is_packed = true;
  return s;
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  write_decoder(net, config, wanted, read_sizes(config));
}

}  // namespace

Family phi3() {
  return {.name = "phi3",
          .model_types = {"phi3"},
          .tasks = {"feature-extraction", "text-generation", "text-generation-with-past",
                    "text-classification", "token-classification"},
          .write = write};
}

}  // namespace hone::families
