// Audio spectrogram transformer: overlapping patches of a spectrogram behind two tokens, in layers
// that normalize before they compute.

#include <algorithm>

#include "checkpoint/family.h"
#include "checkpoint/heads.h"
#include "checkpoint/residual.h"
#include "checkpoint/towers.h"

namespace hone::families {
namespace {

struct Sizes {
  Tower tower;
  std::int64_t patch, frequency_stride, time_stride, frames, bins;
  std::int64_t patches = 1;
  bool has_qkv_bias;
};

std::int64_t count_patches(const Config& config, const char* key, std::int64_t size,
                           std::int64_t patch, std::int64_t stride) {
  if (size < patch) config.refuse(key, "it is smaller than a patch");
  return std::max<std::int64_t>(1, (size - patch) / stride + 1);
}

Sizes read_sizes(const Config& config) {
  Sizes s{.tower = read_tower(config, {768, 3072, 12, 1e-12, "gelu"}),
          .patch = config.size("patch_size", 16),
          .frequency_stride = config.size("frequency_stride", 10),
          .time_stride = config.size("time_stride", 10),
          .frames = config.size("max_length", 1024),
          .bins = config.size("num_mel_bins", 128),
          .has_qkv_bias = config.flag("qkv_bias", true)};
  config.only("head_dim", s.tower.head_size, "it has to be what hidden_size leaves each head");
  s.patches = count_patches(config, "num_mel_bins", s.bins, s.patch, s.frequency_stride) *
              count_patches(config, "max_length", s.frames, s.patch, s.time_stride);
  return s;
}

Value* token(Net& net, const Sizes& s, const char* name, Value* batch) {
  return net.expand(net.weight(name, {1, 1, s.tower.width}), net.dims({batch, 1, 1}));
}

Value* embed(Net& net, const Sizes& s, Value* spectrogram) {
  const Net::Scope scope = net.enter("embeddings");
  Value* batch = net.size_of(spectrogram, 0);
  Value* x = net.transpose(net.unsqueeze(spectrogram, {1}), {0, 1, 3, 2});
  x = net.convolution("patch_embeddings.projection", x,
                      {.in = 1,
                       .out = s.tower.width,
                       .kernel = {s.patch, s.patch},
                       .stride = {s.frequency_stride, s.time_stride}});
  x = net.transpose(net.reshape(x, {0, s.tower.width, -1}), {0, 2, 1});
  x = net.concat({token(net, s, "cls_token", batch), token(net, s, "distillation_token", batch), x},
                 1);
  return net.add(x, net.weight("position_embeddings", {1, s.patches + 2, s.tower.width}));
}

Value* attend(Net& net, const Sizes& s, Value* x) {
  const Net::Scope scope = net.enter("attention");
  Value* seen = nullptr;
  {
    const Net::Scope inner = net.enter("attention");
    const auto project = [&](const char* module) {
      return net.linear(module, x, s.tower.width, s.tower.width, s.has_qkv_bias);
    };
    Value* query = project("query");
    Value* key = project("key");
    Value* value = project("value");
    seen = net.attention({.query = query,
                          .key = key,
                          .value = value,
                          .heads = s.tower.heads,
                          .head_size = s.tower.head_size})
               .output;
  }
  return net.linear("output.dense", seen, s.tower.width, s.tower.width);
}

Value* encode(Net& net, const Sizes& s, Value* spectrogram) {
  Residual stream(net, embed(net, s, spectrogram), s.tower.width, s.tower.epsilon);
  for (std::int64_t i = 0; i < s.tower.layers; ++i) {
    const Net::Scope scope = net.enter("encoder.layer", i);
    stream.add(attend(net, s, stream.norm("layernorm_before")));
    Value* normal = stream.norm("layernorm_after");
    Value* inner = net.activation(
        s.tower.act, net.linear("intermediate.dense", normal, s.tower.width, s.tower.inner));
    stream.add(net.linear("output.dense", inner, s.tower.inner, s.tower.width));
  }
  return stream.norm("layernorm");
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  const Sizes s = read_sizes(config);
  Value* spectrogram = net.float_input("input_values", {"batch_size", s.frames, s.bins});
  Value* x = nullptr;
  {
    const Net::Scope base = net.enter_base("audio_spectrogram_transformer");
    x = encode(net, s, spectrogram);
  }
  Value* pooled = net.div(net.add(net.pick(x, 1, 0), net.pick(x, 1, 1)), 2.0);
  if (wanted.task == "feature-extraction") {
    net.output("last_hidden_state", x, {"batch_size", s.patches + 2, s.tower.width});
    net.output("pooler_output", pooled, {"batch_size", s.tower.width});
    return;
  }
  const std::int64_t labels = label_count(config);
  const Net::Scope head = net.enter("classifier");
  Value* normal = net.layer_norm("layernorm", pooled, s.tower.width, s.tower.epsilon);
  net.output("logits", net.linear("dense", normal, s.tower.width, labels), {"batch_size", labels});
}

}  // namespace

Family audio_spectrogram_transformer() {
  return {.name = "audio-spectrogram-transformer",
          .model_types = {"audio-spectrogram-transformer"},
          .tasks = {"feature-extraction", "audio-classification"},
          .write = write};
}

}  // namespace hone::families
