#include "report/debug/debug_text.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

ActivationLoss loss_of(const std::string& name, double local, double cumulative,
                       LossClass loss_class) {
  ActivationLoss loss;
  loss.tensor_name = name;
  loss.local_sqnr_db = local;
  loss.cumulative_sqnr_db = cumulative;
  loss.op_type = "Conv";
  loss.loss_class = loss_class;
  return loss;
}

DebugResult example() {
  DebugResult result;
  result.float_model = "m.onnx";
  result.quant_model = "q.onnx";
  result.samples = 2;
  result.samples_from = "seed 0";
  result.activations = {loss_of("fine", 55, 50, LossClass::clean),
                        loss_of("broken", 12.345, 12, LossClass::originator),
                        loss_of("behind", 45, 13, LossClass::inheritor)};
  result.activations[1].excess_loss_db = 18;
  result.activations[1].cause = LossCause::wrong_range;
  WeightLoss& weight = result.weights.emplace_back();
  weight.weight_name = "w";
  weight.weight_sqnr_db = 38;
  weight.op_type = "Conv";
  result.model_outputs.resize(2);
  result.model_outputs[0].output_name = "y";
  result.model_outputs[0].cumulative_sqnr_db = 20.5;
  result.model_outputs[1].output_name = "same";
  result.model_outputs[1].exact = true;
  result.summary.local = {2, 50, 30, 20, 80};
  return result;
}

TEST(DebugText, SaysWhereLossBeginsAndHasFourTablesWithTheWorstFirst) {
  EXPECT_EQ(describe_debug(example(), 2), R"(q.onnx against m.onnx, 2 samples (seed 0)
  1 originator, 1 inheritor, 1 clean
outputs, cumulative
  y     20.50 dB  fair
  same     exact
where loss begins
  broken  local 12.35 dB  cumulative 12.00 dB  Conv  wrong range, 18.0 dB in excess
local, a tensor's own rounding: 2, mean 50.00, std 30.00, min 20.00, max 80.00
  broken  12.35 dB  poor  originator  Conv  wrong range, 18.0 dB in excess
  behind  45.00 dB  good  inheritor   Conv
cumulative, with what it inherits: none
  broken  12.00 dB  poor  originator  Conv  wrong range, 18.0 dB in excess
  behind  13.00 dB  poor  inheritor   Conv
weights: none
  w  38.00 dB  fair  Conv
)");
}

TEST(DebugText, ListsWhatWasNotComparedAndWhatLookingChanged) {
  DebugResult result = example();
  result.unmatched = {{"a", "activation", "the float model has no counterpart of it"},
                      {"b", "weight", "its scale is computed"},
                      {"c", "weight", "its scale is computed"}};
  result.perturbed = {"the output 'y' on sim is not the same while tensors are looked at"};
  result.notes = {"something"};
  const std::string text = describe_debug(result, 2);
  EXPECT_NE(text.find("not compared: 3 tensors\n"
                      "  a  activation  the float model has no counterpart of it\n"
                      "  b  weight      its scale is computed\n"
                      "  ... and 1 more\n"
                      "looking changed: the output 'y' on sim is not the same while tensors are "
                      "looked at\n"
                      "note: something\n"),
            std::string::npos)
      << text;
}

TEST(DebugText, SetsTheDeviceBesideTheCpu) {
  DebugResult result = example();
  result.ep = "sim";
  result.model_outputs[0].device_cumulative_sqnr_db = 20.4;
  result.model_outputs[0].device_sqnr_db = 60;
  result.activations[2].device_sqnr_db = 61;
  const std::string text = describe_debug(result, 2);
  EXPECT_NE(text.find("  y     20.50 dB  fair  sim 20.40 dB  against cpu 60.00 dB\n"),
            std::string::npos)
      << text;
  EXPECT_NE(
      text.find("sim against cpu, the same quantized model:\n  behind  61.00 dB  good  Conv\n"),
      std::string::npos)
      << text;
}

TEST(DebugText, NamesWhatIsNotFiniteFirstAndSaysWhy) {
  DebugResult result = example();
  result.half = HalfSummary{.type = "float16", .overflow = 1, .first_overflow = "beyond"};
  result.activations[1].cause = LossCause::few_digits;
  for (ActivationLoss& loss : result.activations) loss.type = "float16";
  ActivationLoss& beyond = result.activations.emplace_back();
  beyond.tensor_name = "beyond";
  beyond.type = "float16";
  beyond.op_type = "Mul";
  beyond.loss_class = LossClass::originator;
  beyond.cause = LossCause::overflow;
  beyond.overflow = 12;
  beyond.local_not_finite = beyond.not_finite = 12;
  beyond.largest = 123456;
  result.weights[0].underflow = 3;
  result.model_outputs[0].cumulative_sqnr_db.reset();
  result.model_outputs[0].not_finite = 7;
  const std::string text = describe_debug(result, 2);
  EXPECT_NE(text.find("  y     not finite  poor\n"), std::string::npos) << text;
  EXPECT_NE(
      text.find("where loss begins\n"
                "  beyond  local not finite  cumulative not finite  Mul   overflow: 12 numbers, up "
                "to 1.23e+05, are infinite in float16\n"
                "  broken  local 12.35 dB    cumulative 12.00 dB    Conv  its inputs have too few "
                "digits in float16\n"
                "float16, simulated on the CPU: floats, rounded at the border of every tensor\n"
                "overflow: 1 tensor not finite in float16 (65504), the first 'beyond'\n"
                "weights with numbers too small for it: 1 tensor\n"
                "local, by its node alone: "),
      std::string::npos)
      << text;
}

}  // namespace
}  // namespace hone
