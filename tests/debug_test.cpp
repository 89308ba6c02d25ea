// `debug` end to end on the real ONNX Runtime, and against what ONNX Runtime's own qdq_loss_debug
// found in the same models on the same samples: tests/fixtures/golden.

#include "inspect/debug/debug.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <set>

#include "inspect/debug/pairs.h"
#include "inspect/debug/tracks.h"
#include "model/text/text.h"
#include "own_library.h"

namespace hone {
namespace {

using testing::Contains;
using testing::DoubleNear;
using testing::Each;
using testing::Field;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Le;
using testing::Optional;
using testing::SizeIs;

const Path fixtures = Path(HONE_SOURCE_DIR) / "tests/fixtures";

std::shared_ptr<Runtime> runtime() { return runtime_with_own_eps(); }

DebugResult debug(const Model& original, const Model& quantized, SampleStream samples,
                  const DebugOptions& options = {}) {
  auto result = debug_models(runtime(), original, quantized, samples, options);
  EXPECT_TRUE(result) << result.error().what << ": " << result.error().cause;
  return result ? *std::move(result) : DebugResult();
}

SampleStream seeded(const Model& model, std::size_t count = 2) {
  return SampleStream::from_seed(input_ports(model), {}, read_input_facts(model), 0, count).value();
}

Model model_of(const std::string& graph, int opset = 21) {
  auto model = parse_text("<ir_version: 10, opset_import: [\"\": " + std::to_string(opset) +
                          "]> g " + graph);
  EXPECT_TRUE(model) << model.error().what << " " << model.error().cause;
  return *std::move(model);
}

bool is_exact_weight(const DebugResult& result, const std::string& name) {
  const auto found = std::ranges::find(result.weights, name, &WeightLoss::weight_name);
  return found != result.weights.end() && found->exact;
}

const ActivationLoss& loss_named(const DebugResult& result, const std::string& name) {
  for (const ActivationLoss& loss : result.activations) {
    if (loss.tensor_name == name) return loss;
  }
  ADD_FAILURE() << "no tensor " << name;
  static const ActivationLoss none;
  return none;
}

// --- Golden files

struct Golden {
  std::string model;
  std::string precision;

  Model original() const {
    return load_model(fixtures / "tiny" / model / "torch-opset17.onnx").value();
  }
  Path folder() const { return fixtures / "golden" / ("tiny-" + model); }
  Model quantized() const { return load_model(folder() / (precision + ".onnx")).value(); }
  SampleStream samples() const {
    return SampleStream::from_files(folder() / "inputs.npz", input_ports(original())).value();
  }
  Json theirs() const {
    return Json::parse(read_file(folder() / (precision + ".sqnr.json")).value()).value();
  }
};

std::string name_of_golden(const testing::TestParamInfo<Golden>& info) {
  return info.param.model.substr(0, info.param.model.find('-')) + "_" + info.param.precision;
}

const auto goldens = testing::Values(Golden{"resnet-cls", "w8a8"}, Golden{"resnet-cls", "w8a16"},
                                     Golden{"bert-cls", "w8a8"}, Golden{"bert-cls", "w8a16"},
                                     Golden{"vit-cls", "w8a8"}, Golden{"vit-cls", "w8a16"});

class DebugOfGolden : public testing::TestWithParam<Golden> {};
INSTANTIATE_TEST_SUITE_P(OfOnnxRuntimesTools, DebugOfGolden, goldens, name_of_golden);

// Another version of ONNX Runtime computes the last bits of a tensor otherwise, and then some
// elements are rounded the other way. Of a tensor of 80 elements that keeps 96 dB this is seen.
double tolerance_at(double decibels) { return decibels < 90 ? 0.05 : 0.2; }

// What has no noise is 300 dB and more to them, or 0 dB where there is no signal either.
bool is_exact_to_them(double decibels) { return decibels > 200 || decibels == 0; }

std::string difference(const char* what, std::optional<double> ours, bool is_exact, double theirs) {
  if (is_exact_to_them(theirs) && is_exact) return "";
  if (ours && std::abs(*ours - theirs) <= tolerance_at(theirs)) return "";
  return std::string(what) + " " +
         (ours       ? std::to_string(*ours)
          : is_exact ? "exact"
                     : "none") +
         " and not " + std::to_string(theirs) + "; ";
}

// Two differences are meant. Constants that the model rounds while it runs are weights here. And
// where a Relu is left to the range of the integers, they count what it
// cuts off as noise (1 to 16 dB), and we do not.
TEST_P(DebugOfGolden, FindsWhatTheirsFinds) {
  const DebugResult result =
      debug(GetParam().original(), GetParam().quantized(), GetParam().samples());
  const Json theirs = GetParam().theirs();
  std::vector<std::string> differences;
  std::size_t constants = 0;
  for (const auto& [name, expected] : *theirs.find("activations")->as_object()) {
    if (is_exact_weight(result, name)) {
      ++constants;
      continue;
    }
    const ActivationLoss& ours = loss_named(result, name);
    const double local = expected.find("qdq_err")->to_double().value();
    std::string found = difference("cumulative", ours.cumulative_sqnr_db, ours.cumulative_exact,
                                   expected.find("xmodel_err")->to_double().value());
    if (ours.absorbed) {
      EXPECT_THAT(ours.local_sqnr_db, Optional(Ge(local + 20))) << name;
    } else {
      found += difference("local", ours.local_sqnr_db, ours.local_exact, local);
    }
    if (!found.empty()) differences.push_back(name + ": " + found);
  }
  EXPECT_THAT(differences, IsEmpty());
  EXPECT_EQ(result.activations.size() + constants, theirs.find("activations")->as_object()->size());
  EXPECT_THAT(result.perturbed, IsEmpty());
}

// Theirs takes unsigned zero points off modulo 256, so that only the signed ones can be compared.
TEST_P(DebugOfGolden, FindsEveryWeight) {
  const DebugResult result =
      debug(GetParam().original(), GetParam().quantized(), GetParam().samples());
  const Json theirs = GetParam().theirs();
  std::vector<std::string> differences;
  std::size_t compared = 0;
  for (const WeightLoss& ours : result.weights) {
    const Json* expected = theirs.find("weights")->find(ours.weight_name);
    if (!ours.type.starts_with("int")) continue;
    ASSERT_NE(expected, nullptr) << ours.weight_name;
    ++compared;
    const std::string found =
        difference("weight", ours.weight_sqnr_db, ours.exact, expected->to_double().value());
    if (!found.empty()) differences.push_back(ours.weight_name + ": " + found);
  }
  EXPECT_THAT(differences, IsEmpty());
  EXPECT_THAT(compared, Ge(13));
  std::vector<std::string> found;
  for (const WeightLoss& ours : result.weights) found.push_back(ours.weight_name);
  for (const auto& [name, ignored] : *theirs.find("weights")->as_object())
    EXPECT_THAT(found, Contains(name));
  EXPECT_THAT(result.unmatched, IsEmpty());
}

TEST_P(DebugOfGolden, FindsTheSameInSmallStretchesAsInOnePiece) {
  const DebugResult whole =
      debug(GetParam().original(), GetParam().quantized(), GetParam().samples());
  const DebugResult parts = debug(GetParam().original(), GetParam().quantized(),
                                  GetParam().samples(), {.memory_bytes = 64 << 10});
  EXPECT_EQ(whole.stretches, 1U);
  EXPECT_THAT(parts.stretches, Ge(5));
  EXPECT_EQ(to_json(parts.activations).dump(), to_json(whole.activations).dump());
  EXPECT_EQ(to_json(parts.model_outputs).dump(), to_json(whole.model_outputs).dump());
  EXPECT_THAT(parts.perturbed, IsEmpty());
}

// --- A planted fault

// The pair of one tensor gets a scale of its own that is wrong by a factor.
void plant(const RoundedTensor& tensor, double factor) {
  const double scale = to_doubles(*tensor.quantize->input(1)->initializer()).value().front();
  const std::vector<float> wrong = {static_cast<float>(scale * factor)};
  Value& planted =
      tensor.quantize->graph().add_initializer(make_float_tensor("planted", wrong, true));
  for (const Use& use : tensor.quantize->output(0)->uses()) use.node->set_input(1, &planted);
  const_cast<Node*>(tensor.quantize)->set_input(1, &planted);
}

// The quantized tensors that are computed from what is left of one, with no other in between.
void find_readers(const Value& value, std::set<std::string>& readers) {
  for (const Use& use : value.uses()) {
    if (use.node->op_type == "QuantizeLinear") readers.insert(without_suffix(value.name()));
    if (use.node->op_type == "QuantizeLinear" || use.node->op_type == "DequantizeLinear") continue;
    for (const Value* output : use.node->outputs()) find_readers(*output, readers);
  }
}

struct Planted {
  std::string victim;
  std::set<std::string> readers;
  DebugResult before;
  DebugResult after;
};

// In the input of the first Conv or MatMul that is no input of the model. All ranges are widened by
// the margin first.
Planted debug_planted(const Golden& golden, double factor, double margin = 1) {
  Planted planted;
  const Model original = golden.original();
  Model quantized = golden.quantized();
  for (const RoundedTensor& tensor : find_quantization(quantized).tensors) plant(tensor, margin);
  planted.before = debug(original, quantized, golden.samples());
  for (const RoundedTensor& tensor : find_quantization(quantized).tensors) {
    const bool is_computed = std::ranges::any_of(tensor.after->uses(), [](const Use& use) {
      return use.node->op_type == "Conv" || use.node->op_type == "MatMul";
    });
    if (!is_computed || tensor.before->producer() == nullptr) continue;
    planted.victim = without_suffix(tensor.before->name());
    find_readers(*tensor.after, planted.readers);
    plant(tensor, factor);
    break;
  }
  planted.after = debug(original, quantized, golden.samples());
  return planted;
}

std::string worst_local(const DebugResult& result) {
  const ActivationLoss* worst = nullptr;
  for (const ActivationLoss& loss : result.activations) {
    if (!loss.local_sqnr_db) continue;
    if (worst == nullptr || *loss.local_sqnr_db < *worst->local_sqnr_db) worst = &loss;
  }
  return worst != nullptr ? worst->tensor_name : "";
}

void expect_blame(const Planted& planted, LossCause cause) {
  const ActivationLoss& victim = loss_named(planted.after, planted.victim);
  EXPECT_EQ(victim.loss_class, LossClass::originator);
  EXPECT_THAT(victim.cause, Optional(cause));
  EXPECT_THAT(planted.readers, testing::Not(IsEmpty()));
  for (const std::string& reader : planted.readers) {
    if (loss_named(planted.before, reader).loss_class == LossClass::originator) continue;
    const ActivationLoss& loss = loss_named(planted.after, reader);
    EXPECT_EQ(loss.loss_class, LossClass::inheritor) << to_json(loss).dump();
  }
}

TEST_P(DebugOfGolden, BlamesATensorWhoseScaleIsEightTimesTooSmall) {
  const Planted planted = debug_planted(GetParam(), 1.0 / 8);
  EXPECT_EQ(worst_local(planted.after), planted.victim);
  expect_blame(planted, LossCause::clipping);
}

// Rounded weights push tensors a little beyond the ranges they had in float. Clipping that costs
// more of 16 bits (62 dB are left) than a scale eight times too large (72 dB), so that in these
// models others come first; where the ranges hold what the tensors do, none does.
TEST_P(DebugOfGolden, BlamesATensorWhoseScaleIsEightTimesTooLarge) {
  const Planted planted = debug_planted(GetParam(), 8, 1.1);
  EXPECT_EQ(worst_local(planted.after), planted.victim);
  expect_blame(planted, LossCause::wrong_range);
}

TEST_P(DebugOfGolden, FindsOnlyClippedTensorsWorseThanOneWhoseScaleIsEightTimesTooLarge) {
  const Planted planted = debug_planted(GetParam(), 8);
  const auto bound = loss_named(planted.after, planted.victim).local_sqnr_db;
  for (const ActivationLoss& loss : planted.after.activations) {
    if (!loss.local_sqnr_db || loss.local_sqnr_db >= bound) continue;
    EXPECT_THAT(loss.cause, Optional(LossCause::clipping)) << loss.tensor_name;
  }
  expect_blame(planted, LossCause::wrong_range);
}

// --- The rest

const std::string two_layers =
    "(float[1,4] x) => (float[1,2] y)"
    "<float[4,3] w = {1, -2, 3, 4, 5, 6, 7, -8, 9, 1, 2, 3}, float[3,2] v = {1, 2, 3, 4, -5, 6}>"
    "{ t = MatMul(x, w) u = Tanh(t) y = MatMul(u, v) }";

// The middle tensor is clipped at 0.4; the rest is fine.
const std::string two_layers_quantized =
    "(float[1,4] x) => (float[1,2] y)"
    "<float[4,3] w = {1, -2, 3, 4, 5, 6, 7, -8, 9, 1, 2, 3}, float[3,2] v = {1, 2, 3, 4, -5, 6},"
    " float s = {0.004}, float bad = {0.0031}, float wide = {0.2}, uint8 z = {0}, uint8 m = {128}>"
    "{ a = QuantizeLinear(x, s, z) b = DequantizeLinear(a, s, z) c = MatMul(b, w)"
    "  d = QuantizeLinear(c, wide, m) e = DequantizeLinear(d, wide, m) f = Tanh(e)"
    "  g = QuantizeLinear(f, bad, m) h = DequantizeLinear(g, bad, m) y = MatMul(h, v) }";

TEST(Debug, NamesTheTensorThatIsClippedAndWhatInheritsIt) {
  const Model original = model_of(two_layers);
  const DebugResult result = debug(original, model_of(two_layers_quantized), seeded(original));
  const ActivationLoss& clipped = loss_named(result, "u");
  EXPECT_EQ(clipped.loss_class, LossClass::originator);
  EXPECT_THAT(clipped.cause, Optional(LossCause::clipping));
  EXPECT_EQ(clipped.op_type, "Tanh");
  EXPECT_THAT(result.model_outputs, SizeIs(1));
  EXPECT_THAT(result.model_outputs[0].cumulative_sqnr_db, Optional(Le(30)));
}

TEST(Debug, TellsCumulativeLossOfOutputsWithoutAPair) {
  const Model original = model_of(two_layers);
  const DebugResult result = debug(original, model_of(two_layers_quantized), seeded(original));
  EXPECT_EQ(result.model_outputs.at(0).output_name, "y");
  EXPECT_TRUE(result.model_outputs.at(0).cumulative_sqnr_db);
  EXPECT_EQ(result.samples, 2U);
}

TEST(Debug, ListsATensorWithoutCounterpartAndHasNullForItsCumulativeLoss) {
  const Model original = model_of("(float[1,4] x) => (float[1,4] y) { y = Identity(x) }");
  const DebugResult result = debug(
      original,
      model_of("(float[1,4] x) => (float[1,4] y) <float s = {0.01}, uint8 z = {0}>"
               "{ t = Sin(x) u = Cos(t) a = QuantizeLinear(u, s, z) b = DequantizeLinear(a, s, z)"
               "  c = Acos(b) y = Asin(c) }"),
      seeded(original));
  ASSERT_THAT(result.activations, SizeIs(1));
  EXPECT_EQ(result.activations[0].cumulative_sqnr_db, std::nullopt);
  EXPECT_TRUE(result.activations[0].local_sqnr_db);
  ASSERT_THAT(result.unmatched, SizeIs(1));
  EXPECT_EQ(result.unmatched[0].tensor, "u");
  EXPECT_THAT(result.unmatched[0].reason, HasSubstr("no counterpart"));
}

TEST(Debug, LooksIntoSubgraphs) {
  const Model original = model_of(
      "(float[4] x, bool c) => (float[4] y) { y = If(c)"
      "<then_branch = a () => (float[4] p) { t = Tanh(x) p = Neg(t) },"
      " else_branch = b () => (float[4] q) { q = Identity(x) }> }");
  const Model quantized = model_of(
      "(float[4] x, bool c) => (float[4] y) <float s = {0.01}, uint8 z = {128}> { y = If(c)"
      "<then_branch = a () => (float[4] p) { t = Tanh(x) i = QuantizeLinear(t, s, z)"
      "  j = DequantizeLinear(i, s, z) p = Neg(j) },"
      " else_branch = b () => (float[4] q) { q = Identity(x) }> }");
  SampleStream taken = SampleStream::from_seed(input_ports(original), {.values = {{"c", 1}}},
                                               read_input_facts(original), 0, 4)
                           .value();
  const DebugResult result = debug(original, quantized, std::move(taken));
  ASSERT_THAT(result.activations, SizeIs(1));
  EXPECT_THAT(result.activations[0].local_sqnr_db, Optional(Ge(25)));
  EXPECT_THAT(result.activations[0].cumulative_sqnr_db, Optional(Ge(25)));
  EXPECT_THAT(result.notes, IsEmpty());
}

TEST(Debug, ComparesTheDeviceWithTheCpuToo) {
  const Model original = model_of(two_layers);
  DebugOptions options;
  options.device.target.ep = "sim";
  const DebugResult result =
      debug(original, model_of(two_layers_quantized), seeded(original), options);
  EXPECT_EQ(result.ep, "sim");
  EXPECT_TRUE(result.model_outputs.at(0).device_exact || result.model_outputs.at(0).device_sqnr_db);
  EXPECT_TRUE(result.model_outputs.at(0).device_cumulative_sqnr_db);
}

TEST(Debug, RefusesAModelWithNothingQuantized) {
  const Model original = model_of(two_layers);
  SampleStream samples = seeded(original);
  const auto result = debug_models(runtime(), original, original, samples, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what, "the quantized model holds nothing quantized");
}

}  // namespace
}  // namespace hone
