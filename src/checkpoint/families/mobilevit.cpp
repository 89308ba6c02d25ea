// MobileViT: inverted residual blocks, and between them transformers over what lies at the same
// place of each patch. For segmentation the head of DeepLabV3.

#include "checkpoint/convnet.h"
#include "checkpoint/family.h"
#include "checkpoint/heads.h"
#include "checkpoint/vit_layer.h"

namespace hone::families {
namespace {

struct Sizes {
  std::int64_t channels, patch, heads, kernel, output_stride, pyramid;
  std::vector<std::int64_t> widths, necks, rates;
  double inner, expansion, epsilon;
  bool has_bias;
  std::string act;
};

Sizes read_sizes_of(const Config& config) {
  Sizes s{.channels = config.size("num_channels", 3),
          .patch = config.size("patch_size", 2),
          .heads = config.size("num_attention_heads", 4),
          .kernel = config.size("conv_kernel_size", 3),
          .output_stride = config.size("output_stride", 32),
          .pyramid = config.size("aspp_out_channels", 256),
          .widths = read_sizes(config, "hidden_sizes", {144, 192, 240}, 3),
          .necks = read_sizes(config, "neck_hidden_sizes", {16, 32, 64, 96, 128, 160, 640}, 7),
          .rates = read_sizes(config, "atrous_rates", {6, 12, 18}, 3),
          .inner = read_factor(config, "mlp_ratio", 2.0),
          .expansion = read_factor(config, "expand_ratio", 4.0),
          .epsilon = config.real("layer_norm_eps", 1e-5),
          .has_bias = config.flag("qkv_bias", true),
          .act = config.word("hidden_act", "silu")};
  if (s.patch > 1'000) config.refuse("patch_size", "it can be at most 1,000");
  if (s.kernel % 2 == 0) config.refuse("conv_kernel_size", "it has to be odd");
  for (const std::int64_t width : s.widths) {
    config.divided("hidden_sizes", width, "num_attention_heads", s.heads);
  }
  return s;
}

Value* reverse(Net& net, const Sizes& s, Value* x, const Convolution& conv) {
  const std::int64_t inner = make_divisible(
      static_cast<double>(round_half_even(static_cast<double>(conv.in) * s.expansion)), 8, 8);
  return inverted_residual(net, x,
                           {.in = conv.in,
                            .inner = inner,
                            .out = conv.out,
                            .stride = conv.stride.front(),
                            .dilation = conv.dilation.front(),
                            .act = s.act});
}

Value* convolve(Net& net, const Sizes& s, std::string_view module, Value* x,
                const Convolution& conv) {
  return net.activation(s.act, convolve_and_normalize(net, module, x, conv));
}

// How many patches a picture has in each direction, and its own size, as lists of one or two.
struct Grid {
  Value *rows, *columns, *patches, *size;
};

Grid grid_of(Net& net, const Sizes& s, Value* x) {
  const auto count = [&](std::int64_t axis) {
    Value* rounded = net.op("Add", {net.size_of(x, axis), net.wholes({s.patch - 1})});
    return net.op("Div", {rounded, net.wholes({s.patch})});
  };
  Value* rows = count(2);
  Value* columns = count(3);
  return {rows, columns, net.op("Mul", {rows, columns}),
          net.op("Shape", {x}, {{"start", 2}, {"end", 4}})};
}

// [batch, width, height, width of the picture] to [batch * pixels of a patch, patches, width]. A
// picture that is no whole number of patches is stretched to one.
Value* unfold(Net& net, const Sizes& s, Value* x, const Grid& grid, std::int64_t width) {
  Value* patch = net.wholes({s.patch});
  Value* whole =
      net.concat({net.op("Mul", {grid.rows, patch}), net.op("Mul", {grid.columns, patch})}, 0);
  x = net.resize(x, whole, Net::Interpolation::bilinear);
  x = net.reshape(x, net.dims({-1, s.patch, grid.columns, s.patch}));
  x = net.reshape(net.transpose(x, {0, 2, 1, 3}),
                  net.dims({-1, width, grid.patches, s.patch * s.patch}));
  return net.reshape(net.transpose(x, {0, 3, 2, 1}), net.dims({-1, grid.patches, width}));
}

Value* fold(Net& net, const Sizes& s, Value* x, const Grid& grid, std::int64_t width) {
  x = net.reshape(x, net.dims({-1, s.patch * s.patch, grid.patches, width}));
  x = net.reshape(net.transpose(x, {0, 3, 2, 1}), net.dims({-1, grid.columns, s.patch, s.patch}));
  Value* patch = net.wholes({s.patch});
  x = net.reshape(net.transpose(x, {0, 2, 1, 3}),
                  net.dims({-1, width, net.op("Mul", {grid.rows, patch}),
                            net.op("Mul", {grid.columns, patch})}));
  return net.resize(x, grid.size, Net::Interpolation::bilinear);
}

struct Block {
  std::int64_t in, out, width, depth, dilation;
};

Value* transform(Net& net, const Sizes& s, Value* x, const Block& block) {
  {
    const Net::Scope scope = net.enter("downsampling_layer");
    const bool dilates = block.dilation > 1;
    x = reverse(
        net, s, x,
        keeping_size(block.in, block.out, 3, dilates ? 1 : 2, dilates ? block.dilation / 2 : 1));
  }
  Value* inner = convolve(net, s, "conv_kxk", x, keeping_size(block.out, block.out, s.kernel));
  inner = net.convolution("conv_1x1.convolution", inner, keeping_size(block.out, block.width, 1));
  const Grid grid = grid_of(net, s, inner);
  inner = unfold(net, s, inner, grid, block.width);
  const VitLayer layer{
      .width = block.width,
      .heads = s.heads,
      .inner = static_cast<std::int64_t>(static_cast<double>(block.width) * s.inner),
      .epsilon = s.epsilon,
      .has_bias = s.has_bias,
      .act = s.act};
  for (std::int64_t i = 0; i < block.depth; ++i) {
    const Net::Scope scope = net.enter("transformer.layer", i);
    inner = write_vit_layer(net, layer, inner);
  }
  inner = net.layer_norm("layernorm", inner, block.width, s.epsilon);
  inner = fold(net, s, inner, grid, block.width);
  inner = convolve(net, s, "conv_projection", inner, keeping_size(block.width, block.out, 1));
  return convolve(net, s, "fusion", net.concat({x, inner}, 1),
                  keeping_size(2 * block.out, block.out, s.kernel));
}

Value* encode(Net& net, const Sizes& s, Value* x) {
  x = convolve(net, s, "conv_stem", x, keeping_size(s.channels, s.necks[0], 3, 2));
  {
    const Net::Scope scope = net.enter("encoder.layer.0.layer.0");
    x = reverse(net, s, x, keeping_size(s.necks[0], s.necks[1], 3));
  }
  for (std::int64_t i = 0; i < 3; ++i) {
    const Net::Scope scope = net.enter("encoder.layer.1.layer", i);
    x = reverse(net, s, x,
                keeping_size(i == 0 ? s.necks[1] : s.necks[2], s.necks[2], 3, i == 0 ? 2 : 1));
  }
  const std::int64_t fourth = s.output_stride == 8 ? 2 : 1;
  const std::int64_t fifth = s.output_stride == 8 || s.output_stride == 16 ? 2 * fourth : 1;
  const Block blocks[] = {{s.necks[2], s.necks[3], s.widths[0], 2, 1},
                          {s.necks[3], s.necks[4], s.widths[1], 4, fourth},
                          {s.necks[4], s.necks[5], s.widths[2], 3, fifth}};
  for (std::int64_t i = 0; i < 3; ++i) {
    const Net::Scope scope = net.enter("encoder.layer", i + 2);
    x = transform(net, s, x, blocks[i]);
  }
  return x;
}

Value* segment(Net& net, const Sizes& s, Value* x, std::int64_t labels) {
  const Net::Scope scope = net.enter("segmentation_head");
  const auto step = [&](std::string_view module, Value* from, const Convolution& conv) {
    return net.op("Relu", {convolve_and_normalize(net, module, from, conv)});
  };
  const std::int64_t width = s.necks[5];
  std::vector<Value*> levels = {step("aspp.convs.0", x, keeping_size(width, s.pyramid, 1))};
  for (std::size_t i = 0; i < s.rates.size(); ++i) {
    levels.push_back(step("aspp.convs." + std::to_string(i + 1), x,
                          keeping_size(width, s.pyramid, 3, 1, s.rates[i])));
  }
  Value* pooled = step("aspp.convs.4.conv_1x1", net.op("GlobalAveragePool", {x}),
                       keeping_size(width, s.pyramid, 1));
  levels.push_back(spread(net, pooled, x));
  x = step("aspp.project", net.concat(levels, 1), keeping_size(5 * s.pyramid, s.pyramid, 1));
  return net.convolution("classifier.convolution", x,
                         {.in = s.pyramid, .out = labels, .kernel = {1, 1}});
}

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  const Sizes s = read_sizes_of(config);
  Value* x = image_input(net, s.channels, "height", "width");
  const bool segments = wanted.task == "image-segmentation";
  const std::int64_t width = s.necks[6];
  {
    const Net::Scope base = net.enter_base("mobilevit");
    x = encode(net, s, x);
    if (!segments) x = convolve(net, s, "conv_1x1_exp", x, keeping_size(s.necks[5], width, 1));
  }
  if (segments) {
    const std::int64_t labels = label_count(config);
    net.output("logits", segment(net, s, x, labels),
               {"batch_size", labels, "feature_height", "feature_width"});
    return;
  }
  Value* pooled = net.mean(x, {2, 3}, false);
  write_picture(net, config, wanted.task, x, pooled, width);
}

}  // namespace

Family mobilevit() {
  return {.name = "mobilevit",
          .model_types = {"mobilevit"},
          .tasks = {"feature-extraction", "image-classification", "image-segmentation"},
          .write = write};
}

}  // namespace hone::families
