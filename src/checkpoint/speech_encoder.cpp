#include "checkpoint/speech_encoder.h"

#include <algorithm>
#include <cmath>

#include "checkpoint/residual.h"

namespace hone {
namespace {

using Ints = std::vector<std::int64_t>;

void read_convolutions(const Config& config, SpeechEncoder& e) {
  e.conv_widths = config.wholes("conv_dim", Ints(7, 512));
  e.conv_strides = config.wholes("conv_stride", {5, 2, 2, 2, 2, 2, 2});
  e.conv_kernels = config.wholes("conv_kernel", {10, 3, 3, 3, 3, 2, 2});
  // Published ones have seven.
  constexpr std::size_t most = 100;
  const std::size_t count = std::min(e.conv_widths.size(), most);
  const auto is_size = [](std::int64_t size) { return size >= 1 && size <= 0x7fffffff; };
  for (const Ints* sizes : {&e.conv_widths, &e.conv_strides, &e.conv_kernels}) {
    if (sizes->size() == count && count > 0 && std::all_of(sizes->begin(), sizes->end(), is_size)) {
      continue;
    }
    config.problems().add(
        "config.json: conv_dim, conv_stride and conv_kernel have to be as many sizes, 1 to 100");
    e.conv_widths = e.conv_strides = e.conv_kernels = {1};
    return;
  }
  const auto said = static_cast<std::int64_t>(count);
  if (config.whole("num_feat_extract_layers", said) != said) {
    config.refuse("num_feat_extract_layers", "there are as many as conv_dim has sizes");
  }
}

Value* norm_channels(Net& net, Value* x, std::int64_t channels) {
  return net.transpose(net.layer_norm("layer_norm", net.transpose(x, {0, 2, 1}), channels, 1e-5),
                       {0, 2, 1});
}

// Each channel over all of its time: a group norm with as many groups as channels.
Value* norm_time(Net& net, Value* x, std::int64_t channels) {
  const Net::Scope scope = net.enter("layer_norm");
  return net.op("InstanceNormalization",
                {x, net.weight("weight", {channels}), net.weight("bias", {channels})},
                {{"epsilon", 1e-5}});
}

Value* extract_features(Net& net, const SpeechEncoder& e, Value* x) {
  x = net.unsqueeze(x, {1});
  std::int64_t in = 1;
  for (std::size_t i = 0; i < e.conv_widths.size(); ++i) {
    const Net::Scope scope =
        net.enter("feature_extractor.conv_layers", static_cast<std::int64_t>(i));
    const std::int64_t out = e.conv_widths[i];
    x = net.convolution("conv", x,
                        {.in = in,
                         .out = out,
                         .kernel = {e.conv_kernels[i]},
                         .stride = {e.conv_strides[i]},
                         .bias = e.has_conv_bias});
    if (e.norms_each_conv) {
      x = norm_channels(net, x, out);
    } else if (i == 0) {
      x = norm_time(net, x, out);
    }
    x = net.activation(e.conv_act, x, "feat_extract_activation");
    in = out;
  }
  return net.transpose(x, {0, 2, 1});
}

Value* project_features(Net& net, const SpeechEncoder& e, Value* x) {
  const Net::Scope scope = net.enter("feature_projection");
  const std::int64_t in = e.conv_widths.back();
  if (e.norms_features) x = net.layer_norm("layer_norm", x, in, e.epsilon);
  return net.linear("projection", x, in, e.width);
}

// Each tap of the kernel is `v` made as long as `g` says: torch's weight_norm of the last
// dimension.
std::vector<double> normed(std::vector<double> v, const std::vector<double>& g) {
  std::vector<double> squares(g.size(), 0.0);
  for (std::size_t i = 0; i < v.size(); ++i) squares[i % g.size()] += v[i] * v[i];
  for (std::size_t i = 0; i < v.size(); ++i) {
    v[i] *= g[i % g.size()] / std::sqrt(squares[i % g.size()]);
  }
  return v;
}

// Computed once and here, so that the graph has a convolution like any other.
Value* normed_weight(Net& net, const Ints& dims) {
  const bool is_older = net.has("weight_g");
  const char* length = is_older ? "weight_g" : "parametrizations.weight.original0";
  const char* direction = is_older ? "weight_v" : "parametrizations.weight.original1";
  const std::vector<double> g = net.numbers(length, {1, 1, dims.back()});
  const std::vector<double> v = net.numbers(direction, dims);
  if (g.empty() || v.empty()) return net.real(0);
  return net.computed_weight("weight", normed(v, g), dims);
}

Value* convolve_positions(Net& net, const SpeechEncoder& e, Value* x) {
  const Net::Scope scope = net.enter("conv");
  const std::int64_t before = e.position_kernel / 2;
  // torch pads both ends alike and drops the last frame that an even kernel makes too many.
  const std::int64_t after = before - (e.position_kernel % 2 == 0 ? 1 : 0);
  const Ints dims = {e.width, e.width / e.position_groups, e.position_kernel};
  Value* weight = e.norms_positions ? net.weight("weight", dims) : normed_weight(net, dims);
  return net.op("Conv", {x, weight, net.weight("bias", {e.width})},
                {{"kernel_shape", Ints{e.position_kernel}},
                 {"pads", Ints{before, after}},
                 {"group", e.position_groups}});
}

Value* positions_of(Net& net, const SpeechEncoder& e, Value* x) {
  const Net::Scope scope = net.enter("pos_conv_embed");
  x = net.transpose(x, {0, 2, 1});
  if (e.norms_positions) x = net.batch_norm("batch_norm", x, e.width);
  x = net.activation(e.conv_act, convolve_positions(net, e, x), "feat_extract_activation");
  return net.transpose(x, {0, 2, 1});
}

Value* attend(Net& net, const SpeechEncoder& e, Value* x) {
  const Net::Scope scope = net.enter("attention");
  Value* seen = net.attention({.query = net.linear("q_proj", x, e.width, e.width),
                               .key = net.linear("k_proj", x, e.width, e.width),
                               .value = net.linear("v_proj", x, e.width, e.width),
                               .heads = e.heads,
                               .head_size = e.head_size})
                    .output;
  return net.linear("out_proj", seen, e.width, e.width);
}

Value* feed_forward(Net& net, const SpeechEncoder& e, Value* x) {
  const Net::Scope scope = net.enter("feed_forward");
  x = net.activation(e.act, net.linear("intermediate_dense", x, e.width, e.inner));
  return net.linear("output_dense", x, e.inner, e.width);
}

Value* adapt(Net& net, const SpeechEncoder& e, Value* x) {
  const Net::Scope scope = net.enter("adapter_layer");
  x = net.linear("linear_1", net.layer_norm("norm", x, e.width, 1e-5), e.width, e.adapter_width);
  return net.linear("linear_2", net.op("Relu", {x}), e.adapter_width, e.width);
}

SpeechStates normalize_after(Net& net, const SpeechEncoder& e, Value* x) {
  x = net.add_layer_norm("layer_norm", positions_of(net, e, x), x, e.width, e.epsilon);
  SpeechStates states{.layers = {x}};
  for (std::int64_t i = 0; i < e.layers; ++i) {
    const Net::Scope scope = net.enter("layers", i);
    x = net.add_layer_norm("layer_norm", attend(net, e, x), x, e.width, e.epsilon);
    x = net.add_layer_norm("final_layer_norm", feed_forward(net, e, x), x, e.width, e.epsilon);
    states.layers.push_back(x);
  }
  states.last = x;
  return states;
}

// To look at what a layer makes is to add it up, so that is done only where somebody wants it.
SpeechStates normalize_before(Net& net, const SpeechEncoder& e, Value* x, bool keeps_layers) {
  Residual stream(net, x, e.width, e.epsilon);
  stream.add(positions_of(net, e, x));
  SpeechStates states;
  if (keeps_layers) states.layers.push_back(stream.sum());
  for (std::int64_t i = 0; i < e.layers; ++i) {
    const Net::Scope scope = net.enter("layers", i);
    stream.add(attend(net, e, stream.norm("layer_norm")));
    stream.add(feed_forward(net, e, stream.norm("final_layer_norm")));
    if (e.adapter_width > 0) stream.add(adapt(net, e, stream.sum()));
    if (keeps_layers) states.layers.push_back(stream.sum());
  }
  states.last = stream.norm("layer_norm");
  // What the heads call the last layer is behind the norm.
  if (keeps_layers) states.layers.back() = states.last;
  return states;
}

}  // namespace

SpeechEncoder read_speech_encoder(const Config& config, bool is_hubert) {
  SpeechEncoder e{
      .width = config.size("hidden_size", 768),
      .heads = config.size("num_attention_heads", 12),
      .head_size = 1,
      .inner = config.size("intermediate_size", 3072),
      .layers = config.layers("num_hidden_layers", 12),
      .epsilon = config.real("layer_norm_eps", 1e-5),
      .act = config.word("hidden_act", "gelu"),
      .has_conv_bias = config.flag("conv_bias", false),
      .norms_each_conv = config.one_of("feat_extract_norm", {"group", "layer"}, "group") == "layer",
      .conv_act = config.word("feat_extract_activation", "gelu"),
      .norms_features = !is_hubert || config.flag("feat_proj_layer_norm", true),
      .position_kernel = config.size("num_conv_pos_embeddings", 128),
      .position_groups = config.size("num_conv_pos_embedding_groups", 16),
      .norms_positions = is_hubert && config.flag("conv_pos_batch_norm", false),
      .norms_before = config.flag("do_stable_layer_norm", false),
      .adapter_width = 0};
  // Layers that normalize last have no adapters, whatever the file says.
  if (e.norms_before && config.has("adapter_attn_dim")) {
    e.adapter_width = config.size("adapter_attn_dim");
  }
  e.head_size = config.divided("hidden_size", e.width, "num_attention_heads", e.heads);
  config.divided("hidden_size", e.width, "num_conv_pos_embedding_groups", e.position_groups);
  read_convolutions(config, e);
  return e;
}

SpeechStates encode_speech(Net& net, const SpeechEncoder& e, Value* samples, bool keeps_layers) {
  net.ignore("masked_spec_embed");
  Value* x = project_features(net, e, extract_features(net, e, samples));
  const Net::Scope scope = net.enter("encoder");
  return e.norms_before ? normalize_before(net, e, x, keeps_layers) : normalize_after(net, e, x);
}

}  // namespace hone
