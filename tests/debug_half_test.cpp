// `debug` of models in half precision, end to end on the real ONNX Runtime.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inspect/debug/debug.h"
#include "inspect/debug/half.h"
#include "model/edit.h"
#include "model/text/text.h"
#include "own_library.h"
#include "runtime/infer.h"
#include "transform/quantize/fp16.h"

namespace hone {
namespace {

using testing::Ge;
using testing::IsEmpty;
using testing::Le;
using testing::Optional;

const Path fixtures = Path(HONE_SOURCE_DIR) / "tests/fixtures";

std::shared_ptr<Runtime> runtime() { return runtime_with_own_eps(); }

Model model_of(const std::string& graph) {
  auto model = parse_text("<ir_version: 10, opset_import: [\"\": 17]> g " + graph);
  EXPECT_TRUE(model) << model.error().what << " " << model.error().cause;
  return *std::move(model);
}

Model in_half(const Model& model, const NodeFilter& takes = {}) {
  Model half = clone(model);
  EXPECT_TRUE(infer_types(runtime(), HONE_EP_LIBRARY, half));
  EXPECT_TRUE(convert_to_fp16(half, {.takes = takes}));
  return half;
}

DebugResult debug(const Model& original, const Model& half, const DebugOptions& options = {}) {
  SampleStream samples =
      SampleStream::from_seed(input_ports(original), {}, read_input_facts(original), 0, 2).value();
  auto result = debug_models(runtime(), original, half, samples, options);
  EXPECT_TRUE(result) << result.error().what << ": " << result.error().cause;
  return result ? *std::move(result) : DebugResult();
}

const ActivationLoss& loss_named(const DebugResult& result, const std::string& name) {
  for (const ActivationLoss& loss : result.activations) {
    if (loss.tensor_name == name) return loss;
  }
  ADD_FAILURE() << "no tensor " << name;
  static const ActivationLoss none;
  return none;
}

std::vector<std::string> originators(const DebugResult& result) {
  std::vector<std::string> names;
  for (const ActivationLoss& loss : result.activations) {
    if (loss.loss_class == LossClass::originator) names.push_back(loss.tensor_name);
  }
  return names;
}

// What a node makes goes up beyond float16 and down again, before anybody reads it: in float that
// changes nothing. Of numbers between 0.002 and 60 the second product alone is beyond it.
void plant_overflow(Model& model, const std::string& node_name, const std::string& prefix) {
  Graph& graph = *model.graph;
  const auto found = std::ranges::find(graph.nodes(), node_name, &Node::name);
  ASSERT_NE(found, graph.nodes().end());
  Value* made = found->output(0);
  const std::vector<Use> uses = made->uses();
  const auto step = [&](const char* op, float by, const std::string& name) {
    Value& number = graph.add_initializer(make_float_tensor(prefix + name + "_by", {&by, 1}, true));
    Value& next = graph.add_value(prefix + name, made->type);
    graph.add_node(op, {made, &number}, {&next}).name = prefix + name;
    made = &next;
  };
  step("Mul", 1000, "up");
  step("Mul", 60000, "over");
  step("Div", 60000, "back");
  step("Div", 1000, "down");
  for (const Use& use : uses) use.node->set_input(use.index, made);
  ASSERT_TRUE(sort_topologically(graph));
}

Model tiny_roberta() {
  return load_model(fixtures / "tiny/roberta-cls/torch-opset17.onnx").value();
}
const std::string first_value = "/m/roberta/encoder/layer.0/attention/self/value/Add";
const std::string second_value = "/m/roberta/encoder/layer.1/attention/self/value/Add";

TEST(DebugOfHalf, FindsNothingWrongWithAModelThatIsFine) {
  const Model original = tiny_roberta();
  const DebugResult result = debug(original, in_half(original));
  EXPECT_THAT(originators(result), IsEmpty());
  ASSERT_TRUE(result.half);
  EXPECT_EQ(result.half->type, "float16");
  EXPECT_EQ(result.half->overflow, 0U);
  EXPECT_THAT(result.model_outputs.at(0).cumulative_sqnr_db, Optional(Ge(40)));
  EXPECT_THAT(result.unmatched, IsEmpty());
  EXPECT_THAT(result.summary.local.min, Optional(Ge(40)));
  EXPECT_GT(result.weights.size(), 20U);
}

TEST(DebugOfHalf, NamesTheFirstTensorThatOverflowsAndWhatInheritsIt) {
  Model original = tiny_roberta();
  plant_overflow(original, first_value, "planted/");
  const DebugResult result = debug(original, in_half(original));
  ASSERT_THAT(originators(result), testing::ElementsAre("planted/over"));
  EXPECT_THAT(result.half->first_overflow, Optional(std::string("planted/over")));
  const ActivationLoss& planted = loss_named(result, "planted/over");
  EXPECT_THAT(planted.cause, Optional(LossCause::overflow));
  EXPECT_EQ(planted.op_type, "Mul");
  EXPECT_GT(planted.overflow, 0U);
  EXPECT_EQ(planted.local_sqnr_db, std::nullopt);
  EXPECT_EQ(loss_named(result, "planted/back").loss_class, LossClass::inheritor);
  EXPECT_EQ(loss_named(result, "planted/up").loss_class, LossClass::clean);
  EXPECT_GT(result.model_outputs.at(0).not_finite, 0U);
  EXPECT_EQ(result.model_outputs.at(0).cumulative_sqnr_db, std::nullopt);
}

TEST(DebugOfHalf, FindsASecondOverflowBehindTheFirst) {
  Model original = tiny_roberta();
  plant_overflow(original, first_value, "one/");
  plant_overflow(original, second_value, "two/");
  const DebugResult result = debug(original, in_half(original));
  EXPECT_THAT(originators(result), testing::ElementsAre("one/over", "two/over"));
}

TEST(DebugOfHalf, FindsTheSameInSmallStretches) {
  Model original = tiny_roberta();
  plant_overflow(original, first_value, "planted/");
  const Model half = in_half(original);
  const DebugResult whole = debug(original, half);
  const DebugResult parts = debug(original, half, {.memory_bytes = 64 << 10});
  EXPECT_GT(parts.stretches, 4U);
  EXPECT_EQ(to_json(parts.activations).dump(), to_json(whole.activations).dump());
}

TEST(DebugOfHalf, TakesAMixedModelInWhichTheCulpritStaysFloat) {
  Model original = tiny_roberta();
  plant_overflow(original, first_value, "planted/");
  const Model half =
      in_half(original, [](const Node& node) { return !node.name.starts_with("planted/"); });
  const DebugResult result = debug(original, half);
  EXPECT_THAT(originators(result), IsEmpty());
  EXPECT_THAT(result.model_outputs.at(0).cumulative_sqnr_db, Optional(Ge(40)));
}

TEST(DebugOfHalf, LeavesAMaskThatOverflowsAndDoesNoHarmInPeace) {
  const Model original = model_of(
      "(float[1,4] x) => (float[1,4] y) <float[4] k = {0, 300, 0, 0}, float c = {-300}>"
      "{ m = Mul(k, c) s = Add(x, m) y = Softmax(s) }");
  const DebugResult result = debug(original, in_half(original));
  EXPECT_THAT(originators(result), IsEmpty());
  EXPECT_EQ(result.half->overflow, 0U);
  EXPECT_EQ(result.half->harmless_overflow, 2U);
}

TEST(DebugOfHalf, TellsAnUnderflowThatSomebodyDividesBy) {
  const Model original = model_of(
      "(float[1,4] x) => (float[1,4] y) <float e = {0.00001}>"
      "{ d = Mul(e, e) n = Mul(x, e) y = Div(n, d) }");
  const DebugResult result = debug(original, in_half(original));
  const ActivationLoss& square = loss_named(result, "d");
  EXPECT_EQ(square.loss_class, LossClass::originator);
  EXPECT_THAT(square.cause, Optional(LossCause::underflow));
  EXPECT_GT(square.underflow, 0U);
  EXPECT_GT(result.model_outputs.at(0).not_finite, 0U);
}

TEST(DebugOfHalf, BlamesADifferenceOfLargeNumbersAndNotTheSumBeforeIt) {
  const Model original = model_of(
      "(float[1,64] x) => (float[1,64] y) <float c = {1000}>"
      "{ a = Add(x, c) d = Sub(a, c) y = Tanh(d) }");
  const DebugResult result = debug(original, in_half(original));
  EXPECT_THAT(originators(result), testing::ElementsAre("d"));
  EXPECT_THAT(loss_named(result, "d").cause, Optional(LossCause::few_digits));
  EXPECT_THAT(loss_named(result, "a").local_sqnr_db, Optional(Ge(60)));
  EXPECT_THAT(loss_named(result, "y").local_sqnr_db, Optional(Ge(60)));
  // ONNX Runtime's CPU EP would leave the rounding of the sum out, and lose nothing.
  EXPECT_THAT(result.model_outputs.at(0).cumulative_sqnr_db, Optional(Le(30)));
}

TEST(DebugOfHalf, RoundsToBfloat16ThoughTheCpuHasNoKernelForIt) {
  const Model original = model_of(
      "(float[4,8] x) => (float[4,2] y) <float[8,2] w = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8,"
      " 0.9, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7}> { y = MatMul(x, w) }");
  const Model half = model_of(
      "(float[4,8] x) => (float[4,2] y) <float[8,2] w = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8,"
      " 0.9, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7}>"
      "{ a = Cast<to = 16>(x) b = Cast<to = 16>(w) c = MatMul(a, b) y = Cast<to = 1>(c) }");
  const DebugResult result = debug(original, half);
  ASSERT_TRUE(result.half);
  EXPECT_EQ(result.half->type, "bfloat16");
  EXPECT_TRUE(result.half->simulated);
  EXPECT_THAT(result.model_outputs.at(0).cumulative_sqnr_db, Optional(Ge(40)));
  EXPECT_THAT(result.model_outputs.at(0).cumulative_sqnr_db, Optional(Le(65)));
}

TEST(DebugOfHalf, SetsTheDeviceBesideTheRoundedFloats) {
  const Model original = tiny_roberta();
  DebugOptions options;
  options.device.target.ep = "sim";
  const DebugResult result = debug(original, in_half(original), options);
  EXPECT_EQ(result.ep, "sim");
  EXPECT_THAT(result.model_outputs.at(0).device_cumulative_sqnr_db, Optional(Ge(40)));
  EXPECT_TRUE(result.model_outputs.at(0).device_exact || result.model_outputs.at(0).device_sqnr_db);
}

}  // namespace
}  // namespace hone
