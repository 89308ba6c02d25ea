#pragma once
// The network below the heads of wav2vec 2.0 and of HuBERT, which learnt its way from it: layers of
// convolutions over samples of sound, positions by one more convolution, then a transformer.

#include <string>
#include <vector>

#include "checkpoint/config.h"
#include "checkpoint/net.h"

namespace hone {

struct SpeechEncoder {
  std::int64_t width, heads, head_size, inner, layers;
  double epsilon;
  std::string act;
  // Of samples.
  std::vector<std::int64_t> conv_widths{}, conv_strides{}, conv_kernels{};
  bool has_conv_bias, norms_each_conv;  // or the first alone, by group
  std::string conv_act;
  bool norms_features;
  // Of positions.
  std::int64_t position_kernel, position_groups;
  bool norms_positions;  // by batch, in place of the weight's own norm
  // Of the transformer.
  bool norms_before;
  std::int64_t adapter_width;  // in each layer; 0: none
};

// `is_hubert`: HuBERT has switches that wav2vec 2.0 does not read, whatever its file says.
SpeechEncoder read_speech_encoder(const Config& config, bool is_hubert);

// Each is [batch, frames, width].
struct SpeechStates {
  std::vector<Value*> layers;  // what the first begins with, and what each of them makes
  Value* last = nullptr;       // normalized, where that comes last
};

// Of samples [batch, length]. `keeps_layers`: they are wanted, not the last alone.
SpeechStates encode_speech(Net& net, const SpeechEncoder& encoder, Value* samples,
                           bool keeps_layers);

}  // namespace hone
