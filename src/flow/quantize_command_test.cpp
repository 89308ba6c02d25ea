#include "flow/quantize_command.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

QuantizeOrder order_of(std::vector<std::string> precisions) {
  QuantizeOrder order;
  order.model = "net.onnx";
  order.output = "out.onnx";
  order.quantize.precisions = std::move(precisions);
  return order;
}

TriedRemedy asked_by(const std::string& options) {
  TriedRemedy tried;
  tried.options = options;
  return tried;
}

TriedRemedy other_precision(const std::string& name) {
  TriedRemedy tried = asked_by("--precision " + name);
  tried.replaces_precision = true;
  tried.precision = name;
  return tried;
}

TEST(TheCommandOfARemedy, AddsItsOptionsToThoseOfTheOrder) {
  QuantizeOrder order = order_of({"w8a16"});
  order.overwrite = true;
  order.quantize.calibration_data = "my data.npz";
  order.quantize.samples = 7;
  order.quantize.seed = 3;
  order.quantize.exclude = {"Softmax", "node*"};
  EXPECT_EQ(command_with(asked_by("--per-channel"), order),
            "hone quantize net.onnx -o out.onnx --overwrite --precision w8a16 --calibration-data "
            "'my data.npz' --samples 7 --seed 3 --exclude Softmax --exclude 'node*' --per-channel");
}

TEST(TheCommandOfARemedy, SaysNothingThatIsAsUsual) {
  EXPECT_EQ(command_with(asked_by("--per-channel"), order_of({"w8a8"})),
            "hone quantize net.onnx -o out.onnx --per-channel");
}

TEST(TheCommandOfARemedy, KeepsNumbersBitForBit) {
  QuantizeOrder order = order_of({"w8a8"});
  order.quantize.method = "percentile";
  order.quantize.percentile = 99.99999999999999;
  order.quantize.min_sqnr_db = 1e-7;
  EXPECT_EQ(command_with({}, order),
            "hone quantize net.onnx -o out.onnx --method percentile --percentile "
            "99.99999999999999 --min-sqnr 1e-07");
}

TEST(TheCommandOfARemedy, LeavesOutWhatAnotherPrecisionWouldNotLookAt) {
  QuantizeOrder order = order_of({"w8a8"});
  order.quantize.preset = "qnn";
  order.quantize.method = "entropy";
  order.quantize.per_channel = true;
  order.quantize.symmetric = true;
  order.quantize.activation_type = "int8";
  EXPECT_EQ(command_with(other_precision("fp16"), order),
            "hone quantize net.onnx -o out.onnx --precision fp16");
  EXPECT_EQ(command_with(other_precision("dynamic"), order),
            "hone quantize net.onnx -o out.onnx --per-channel --precision dynamic");
  EXPECT_EQ(command_with(other_precision("w8a16"), order),
            "hone quantize net.onnx -o out.onnx --preset qnn --method entropy --per-channel "
            "--symmetric --precision w8a16");
}

TEST(TheCommandOfARemedy, OptimizesBeforeWithTheSameLibraryAndSizes) {
  QuantizeOrder order = order_of({"w8a8"});
  order.shape_config = "batch=1";
  order.where.host.ort = {"/opt/libonnxruntime.so"};
  TriedRemedy tried;
  tried.optimizes_first = true;
  tried.enables = {"conv-bn-fusion"};
  EXPECT_EQ(command_with(tried, order),
            "hone optimize net.onnx -o out.optimized.onnx --enable-conv-bn-fusion --shape-config "
            "batch=1 --ort /opt/libonnxruntime.so && hone quantize out.optimized.onnx -o out.onnx "
            "--shape-config batch=1 --ort /opt/libonnxruntime.so");
}

TEST(TheCommandOfARemedy, NamesNoLibraryWhereTheUsualOnesAreTried) {
  QuantizeOrder order = order_of({"w8a8"});
  order.where.host.ort = {"/prefix/libonnxruntime.so.1", "libonnxruntime.so"};
  EXPECT_EQ(command_with(asked_by("--per-channel"), order),
            "hone quantize net.onnx -o out.onnx --per-channel");
}

}  // namespace
}  // namespace hone
