#include "checkpoint/speech_encoder.h"

#include <gtest/gtest.h>

#include "model/elements.h"

namespace hone {
namespace {

TensorPtr floats(const std::string& name, const std::vector<float>& numbers,
                 std::vector<std::int64_t> dims) {
  const TensorPtr list = make_float_tensor(name, numbers);
  return make_tensor(name, list->type, std::move(dims), list->dense);
}

// The weight that positions are convolved with, of a length for each tap and of directions.
std::vector<double> position_weight(const std::string& length, const std::string& direction) {
  const std::string conv = "encoder.pos_conv_embed.conv.";
  Weights weights({floats(conv + length, {10, 1}, {1, 1, 2}),
                   floats(conv + direction, {3, 0, 4, 2}, {2, 1, 2})});
  Problems problems;
  Net net({}, weights, problems);
  const SpeechEncoder encoder{.width = 2,
                              .heads = 1,
                              .head_size = 2,
                              .inner = 1,
                              .layers = 0,
                              .epsilon = 1e-5,
                              .act = "gelu",
                              .conv_widths = {1},
                              .conv_strides = {1},
                              .conv_kernels = {1},
                              .has_conv_bias = false,
                              .norms_each_conv = false,
                              .conv_act = "gelu",
                              .norms_features = true,
                              .position_kernel = 2,
                              .position_groups = 2,
                              .norms_positions = false,
                              .norms_before = false,
                              .adapter_width = 0};
  Value* samples = net.float_input("samples", {1, 8});
  net.output("last", encode_speech(net, encoder, samples, false).last, {1, 8, 2});
  const Model model = net.finish("speech");
  const Value* weight = model.graph->find(conv + "weight");
  return weight && weight->initializer() ? to_doubles(*weight->initializer()).value()
                                         : std::vector<double>{};
}

// Taps of (3, 4) and (0, 2), whose lengths are 5 and 2, are made 10 and 1 long.
TEST(SpeechEncoder, NormsTheWeightOfPositionsForEachTap) {
  const std::vector<double> normed = {6, 0, 8, 1};
  EXPECT_EQ(
      position_weight("parametrizations.weight.original0", "parametrizations.weight.original1"),
      normed);
  EXPECT_EQ(position_weight("weight_g", "weight_v"), normed);
}

}  // namespace
}  // namespace hone
