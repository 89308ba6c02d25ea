// wav2vec 2.0 and HuBERT: what their heads make of the same network over samples of sound.

#include "checkpoint/family.h"
#include "checkpoint/heads.h"
#include "checkpoint/speech_encoder.h"

namespace hone::families {
namespace {

struct Sizes {
  SpeechEncoder encoder;
  bool weighs_layers;  // a head sees all of them
  bool has_adapter;    // convolutions after the last layer
  std::int64_t adapter_kernel, adapter_stride, adapter_layers, adapter_width;
};

Sizes read_sizes(const Config& config, bool is_hubert) {
  Sizes s{.encoder = read_speech_encoder(config, is_hubert),
          .weighs_layers = config.flag("use_weighted_layer_sum", false),
          .has_adapter = false,
          .adapter_kernel = 3,
          .adapter_stride = 2,
          .adapter_layers = 0,
          .adapter_width = 1};
  if (is_hubert) {
    config.only("add_adapter", false, "HuBERT has none");
  } else if (config.flag("add_adapter", false)) {
    s.has_adapter = true;
    s.adapter_kernel = config.size("adapter_kernel_size", 3);
    s.adapter_stride = config.size("adapter_stride", 2);
    s.adapter_layers = config.layers("num_adapter_layers", 3);
    s.adapter_width = config.nullable().size("output_hidden_size", s.encoder.width);
  }
  return s;
}

Value* adapter_layer(Net& net, const Sizes& s, Value* x) {
  const std::int64_t width = s.adapter_width;
  x = net.convolution("conv", x,
                      {.in = width,
                       .out = 2 * width,
                       .kernel = {s.adapter_kernel},
                       .stride = {s.adapter_stride},
                       .padding = {1}});
  const std::vector<Value*> halves = net.split(x, {width, width}, 1);
  return net.mul(halves[0], net.sigmoid(halves[1]));
}

Value* adapt(Net& net, const Sizes& s, Value* x) {
  const Net::Scope scope = net.enter("adapter");
  if (s.adapter_width != s.encoder.width) {
    x = net.linear("proj", x, s.encoder.width, s.adapter_width);
    x = net.layer_norm("proj_layer_norm", x, s.adapter_width, 1e-5);
  }
  x = net.transpose(x, {0, 2, 1});
  for (std::int64_t i = 0; i < s.adapter_layers; ++i) {
    const Net::Scope layer = net.enter("layers", i);
    x = adapter_layer(net, s, x);
  }
  return net.transpose(x, {0, 2, 1});
}

// The layers' sum, each with a share that the head has learnt.
Value* weigh_layers(Net& net, const std::vector<Value*>& layers) {
  const auto count = static_cast<std::int64_t>(layers.size());
  Value* shares = net.softmax(net.weight("layer_weights", {count}));
  Value* sum = nullptr;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    Value* part = net.mul(layers[i], net.slice(shares, 0, at, at + 1));
    sum = sum ? net.add(sum, part) : part;
  }
  return sum;
}

void write_features(Net& net, const Sizes& s, Value* x) {
  const std::int64_t width = s.has_adapter ? s.adapter_width : s.encoder.width;
  net.output("last_hidden_state", x, {"batch_size", "feature_length", width});
}

void write_letters(Net& net, const Config& config, const Sizes& s, Value* x) {
  const std::int64_t width = s.has_adapter ? s.adapter_width : s.encoder.width;
  const std::int64_t letters = config.size("vocab_size", 32);
  net.output("logits", net.linear("lm_head", x, width, letters),
             {"batch_size", "feature_length", letters});
}

void write_classes(Net& net, const Config& config, const Sizes& s, Value* x) {
  const std::int64_t inner = config.size("classifier_proj_size", 256);
  const std::int64_t labels = label_count(config);
  x = net.mean(net.linear("projector", x, s.encoder.width, inner), {1}, false);
  net.output("logits", net.linear("classifier", x, inner, labels), {"batch_size", labels});
}

void write_frames(Net& net, const Config& config, const Sizes& s, Value* x) {
  const std::int64_t labels = label_count(config);
  net.output("logits", net.linear("classifier", x, s.encoder.width, labels),
             {"batch_size", "feature_length", labels});
}

struct Step {
  std::int64_t in, out, kernel, dilation;
};

// A convolution in time whose weight lies as that of a linear layer over the frames it sees.
Value* time_layer(Net& net, const Step& step, Value* x) {
  const Net::Scope scope = net.enter("kernel");
  Value* lies = net.weight("weight", {step.out, step.in * step.kernel});
  Value* weight = net.transpose(net.reshape(lies, {step.out, step.kernel, step.in}), {0, 2, 1});
  x = net.op("Conv", {x, weight, net.weight("bias", {step.out})},
             {{"kernel_shape", std::vector<std::int64_t>{step.kernel}},
              {"dilations", std::vector<std::int64_t>{step.dilation}}});
  return net.op("Relu", {x});
}

std::vector<Step> read_steps(const Config& config) {
  const auto widths = config.wholes("tdnn_dim", {512, 512, 512, 512, 1500});
  const auto kernels = config.wholes("tdnn_kernel", {5, 3, 3, 1, 1});
  const auto dilations = config.wholes("tdnn_dilation", {1, 2, 3, 1, 1});
  const auto is_size = [](std::int64_t size) { return size >= 1 && size <= 0x7fffffff; };
  bool are_sizes =
      !widths.empty() && kernels.size() >= widths.size() && dilations.size() >= widths.size();
  std::vector<Step> steps;
  for (std::size_t i = 0; are_sizes && i < widths.size(); ++i) {
    steps.push_back({widths[i == 0 ? 0 : i - 1], widths[i], kernels[i], dilations[i]});
    are_sizes = is_size(widths[i]) && is_size(kernels[i]) && is_size(dilations[i]);
  }
  if (are_sizes) return steps;
  config.problems().add(
      "config.json: tdnn_dim, tdnn_kernel and tdnn_dilation have to be as many sizes, 1 to 100");
  return {{1, 1, 1, 1}};
}

// The mean and the deviation of each channel over time, as of a sample: divided by one less.
Value* pool_statistics(Net& net, Value* x) {
  Value* mean = net.mean(x, {2});
  Value* away = net.sub(x, mean);
  Value* squares = net.sum(net.mul(away, away), {2}, false);
  Value* others = net.sub(net.to_float(net.size_of(x, 2)), net.real(1));
  return net.concat({net.squeeze(mean, {2}), net.op("Sqrt", {net.div(squares, others)})}, 1);
}

void write_voice(Net& net, const Config& config, const Sizes& s, Value* x) {
  const std::vector<Step> steps = read_steps(config);
  const std::int64_t width = config.size("xvector_output_dim", 512);
  net.ignore("objective.weight");
  x = net.linear("projector", x, s.encoder.width, steps.front().in);
  x = net.transpose(x, {0, 2, 1});
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Net::Scope scope = net.enter("tdnn", static_cast<std::int64_t>(i));
    x = time_layer(net, steps[i], x);
  }
  x = net.linear("feature_extractor", pool_statistics(net, x), 2 * steps.back().out, width);
  net.output("logits", net.linear("classifier", x, width, width), {"batch_size", width});
  net.output("embeddings", x, {"batch_size", width});
}

void write_head(Net& net, const Config& config, const WantedGraph& wanted, const Sizes& s,
                Value* x) {
  if (wanted.task == "feature-extraction") {
    write_features(net, s, x);
  } else if (wanted.task == "automatic-speech-recognition") {
    write_letters(net, config, s, x);
  } else if (wanted.task == "audio-classification") {
    write_classes(net, config, s, x);
  } else if (wanted.task == "audio-frame-classification") {
    write_frames(net, config, s, x);
  } else {
    write_voice(net, config, s, x);
  }
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  const std::string type = config.word("model_type");
  const bool is_hubert = type == "hubert";
  const Sizes s = read_sizes(config, is_hubert);
  const bool is_adapted =
      wanted.task == "feature-extraction" || wanted.task == "automatic-speech-recognition";
  if (s.has_adapter && !is_adapted) config.refuse("add_adapter", "heads that classify have none");
  if (is_hubert &&
      (wanted.task == "audio-frame-classification" || wanted.task == "audio-xvector")) {
    config.refuse("model_type", "HuBERT has no head for " + wanted.task);
  }
  const bool weighs = s.weighs_layers && !is_adapted;
  Value* samples = net.float_input("input_values", {"batch_size", "sequence_length"});
  SpeechStates states;
  Value* x = nullptr;
  {
    const Net::Scope base = net.enter_base(type);
    states = encode_speech(net, s.encoder, samples, weighs);
    x = s.has_adapter ? adapt(net, s, states.last) : states.last;
  }
  write_head(net, config, wanted, s, weighs ? weigh_layers(net, states.layers) : x);
}

}  // namespace

Family wav2vec2() {
  return {.name = "wav2vec2",
          .model_types = {"wav2vec2", "hubert"},
          .tasks = {"feature-extraction", "automatic-speech-recognition", "audio-classification",
                    "audio-frame-classification", "audio-xvector"},
          .write = write};
}

}  // namespace hone::families
