// The fusions on whole models, as exporters write them: each finds what is there, and the outputs
// stay.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "real_runtime.h"
#include "runtime/infer.h"
#include "transform/ort_graph.h"
#include "transform/verify.h"

namespace hone {
namespace {

using Rewrites = std::map<std::string, std::size_t>;

struct Expected {
  std::string model;  // a folder of tests/fixtures/tiny, and the export
  Rewrites rewrites;
};

std::ostream& operator<<(std::ostream& out, const Expected& expected) {
  return out << expected.model;
}

const std::vector<std::string> fusions = {"gelu-singlegelu",
                                          "layernormalization-singlelayernorm",
                                          "tf-layer-norm-fusion",
                                          "fuse-rmsnorm",
                                          "attention-fusion",
                                          "tf-attention-fusion",
                                          "embed-layer-norm-fusion",
                                          "skip-layer-norm-fusion",
                                          "bias-skip-layer-norm-fusion"};

Rewrites run_all(Model& model) {
  Rewrites rewrites;
  for (const std::string& name : fusions) {
    EXPECT_TRUE(infer_types(onnxruntime(), HONE_EP_LIBRARY, model));
    const auto effect = run_pass(*find_pass(name), model);
    EXPECT_TRUE(effect) << name << ": " << effect.error().what;
    if (effect && effect->rewrites > 0) rewrites[name] = effect->rewrites;
  }
  return rewrites;
}

// Seeded samples whose last tokens are masked, where there is a mask: one of ones alone would not
// show a mask that is lost.
std::vector<Sample> masked_samples(const Model& model) {
  std::vector<Sample> samples = samples_for(model, {}).value();
  for (Sample& sample : samples) {
    const auto mask = sample.find("attention_mask");
    if (mask == sample.end()) continue;
    auto values = to_ints(*mask->second).value();
    std::fill(values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end(), 0);
    auto masked = std::make_shared<Tensor>(*make_int64_tensor("attention_mask", values));
    masked->dims = mask->second->dims;
    mask->second = masked;
  }
  return samples;
}

std::string as_name(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '-' || c == '/' || c == '.'; }, '_');
  return text;
}

class FusionsOnTinyModels : public testing::TestWithParam<Expected> {};

TEST_P(FusionsOnTinyModels, FindWhatIsThereAndKeepTheOutputs) {
  const Model model =
      load_model(HONE_SOURCE_DIR "/tests/fixtures/tiny/" + GetParam().model + ".onnx").value();
  // As `hone optimize` does: constants are folded before passes run.
  auto folded = optimize_with_ort(onnxruntime(), model, default_capabilities(), 1);
  ASSERT_TRUE(folded) << folded.error().what;
  EXPECT_EQ(run_all(folded->model), GetParam().rewrites);
  const auto verified =
      verify(onnxruntime(), model, folded->model, masked_samples(model), Numerics::close);
  ASSERT_TRUE(verified) << verified.error().what << ": " << verified.error().cause;
  EXPECT_TRUE(verified->holds);
  for (const OutputDifference& output : verified->outputs) {
    EXPECT_LE(output.relative, 1e-5) << output.output;
  }
}

const Rewrites post_norm_17 = {{"attention-fusion", 2},
                               {"bias-skip-layer-norm-fusion", 4},
                               {"embed-layer-norm-fusion", 1},
                               {"gelu-singlegelu", 2},
                               {"skip-layer-norm-fusion", 4}};
// From opset 20 on a Gelu is exported as one.
const Rewrites post_norm_21 = {{"attention-fusion", 2},
                               {"bias-skip-layer-norm-fusion", 4},
                               {"embed-layer-norm-fusion", 1},
                               {"skip-layer-norm-fusion", 4}};

const std::vector<Expected> tiny = {
    {"bert-cls/torch-opset17", post_norm_17},
    {"bert-cls/torch-opset21", post_norm_21},
    {"distilbert-cls/torch-opset17", post_norm_17},
    {"distilbert-cls/torch-opset21", post_norm_21},
    {"roberta-cls/torch-opset17", post_norm_17},
    {"roberta-cls/torch-opset21", post_norm_21},
    {"vit-cls/torch-opset17",
     {{"attention-fusion", 2},
      {"bias-skip-layer-norm-fusion", 4},
      {"gelu-singlegelu", 2},
      {"skip-layer-norm-fusion", 5}}},
    {"vit-cls/torch-opset21",
     {{"attention-fusion", 2}, {"bias-skip-layer-norm-fusion", 4}, {"skip-layer-norm-fusion", 5}}},
    // A Mul stands between each bias and its sum.
    {"dinov2/torch-opset17",
     {{"attention-fusion", 2}, {"gelu-singlegelu", 2}, {"skip-layer-norm-fusion", 5}}},
    {"dinov2/torch-opset21", {{"attention-fusion", 2}, {"skip-layer-norm-fusion", 5}}},
    {"convnext-cls/torch-opset17", {{"gelu-singlegelu", 5}}},
    {"convnext-cls/torch-opset21", {}},
    {"resnet-cls/torch-opset17", {}},
};

INSTANTIATE_TEST_SUITE_P(All, FusionsOnTinyModels, testing::ValuesIn(tiny),
                         [](const auto& one) { return as_name(one.param.model); });

// Architectures without their weights: what is found needs none, and running them would. Those of
// opset 21 have their shapes computed by the exporter; for the others ONNX Runtime would have to
// fold constants, and so to read weights, first.
class FusionsOnTheZoo : public testing::TestWithParam<Expected> {};

TEST_P(FusionsOnTheZoo, FindWhatIsThere) {
  Model model =
      load_model(HONE_SOURCE_DIR "/tests/fixtures/zoo/" + GetParam().model + ".onnx").value();
  EXPECT_EQ(run_all(model), GetParam().rewrites);
}

Rewrites of_layers(std::size_t layers) {
  return {{"attention-fusion", layers},
          {"bias-skip-layer-norm-fusion", 2 * layers},
          {"embed-layer-norm-fusion", 1},
          {"skip-layer-norm-fusion", 2 * layers}};
}

// A transformer of images normalizes first, and once more at its end.
Rewrites of_image_layers(std::size_t layers) {
  return {{"attention-fusion", layers},
          {"bias-skip-layer-norm-fusion", 2 * layers},
          {"skip-layer-norm-fusion", 2 * layers + 1}};
}

const std::vector<Expected> zoo = {
    {"bert-tiny.opset21", of_layers(2)},
    {"bge-small-en.opset21", of_layers(12)},
    {"distilbert-base.opset21", of_layers(6)},
    {"minilm-l6.opset21", of_layers(6)},
    {"roberta-base.opset21", of_layers(12)},
    {"tinyroberta-squad2.opset21", of_layers(6)},
    {"dino-vitb16.opset21", of_image_layers(12)},
    {"vit-base-patch16-224.opset21", of_image_layers(12)},
    {"dinov2-small.opset21", {{"attention-fusion", 12}, {"skip-layer-norm-fusion", 25}}},
    {"mobilevit-small.opset21",
     {{"attention-fusion", 9},
      {"bias-skip-layer-norm-fusion", 18},
      {"skip-layer-norm-fusion", 18}}},
    {"segformer-b0.opset21",
     {{"attention-fusion", 8},
      {"bias-skip-layer-norm-fusion", 16},
      {"skip-layer-norm-fusion", 16}}},
    {"convnext-tiny-224.opset17", {{"gelu-singlegelu", 18}}},
};

INSTANTIATE_TEST_SUITE_P(All, FusionsOnTheZoo, testing::ValuesIn(zoo),
                         [](const auto& one) { return as_name(one.param.model); });

}  // namespace
}  // namespace hone
