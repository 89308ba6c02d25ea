// Models with other weights on the real ONNX Runtime: they load on the CPU EP and compute about
// what the float model computes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "model/text/text.h"
#include "real_runtime.h"
#include "runtime/infer.h"
#include "transform/quantize/dynamic.h"
#include "transform/quantize/fp16.h"
#include "transform/quantize/int4.h"
#include "transform/verify.h"

namespace hone {
namespace {

Model tiny(const std::string& name) {
  return load_model(HONE_SOURCE_DIR "/tests/fixtures/tiny/" + name + ".onnx").value();
}

// The worst output over all samples.
struct Closeness {
  double cosine = 1;
  double sqnr = std::numeric_limits<double>::infinity();  // dB
};

void compare(const Tensor& reference, const Tensor& other, Closeness& worst) {
  const auto a = to_doubles(reference).value();
  const auto b = to_doubles(other).value();
  ASSERT_EQ(a.size(), b.size());
  double aa = 0, bb = 0, ab = 0, error = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    aa += a[i] * a[i];
    bb += b[i] * b[i];
    ab += a[i] * b[i];
    error += (a[i] - b[i]) * (a[i] - b[i]);
  }
  // A NaN passes no comparison, so it counts as the worst and stays.
  const double cosine = ab / std::sqrt(aa * bb);
  const double sqnr = 10 * std::log10(aa / error);
  if (!(cosine >= worst.cosine)) worst.cosine = cosine;
  if (!(sqnr >= worst.sqnr)) worst.sqnr = sqnr;
}

Closeness closeness(const Model& before, const Model& after) {
  const auto samples = samples_for(before, {}).value();
  const auto expected = run_samples(onnxruntime(), before, samples, {}).value();
  const auto made = run_samples(onnxruntime(), after, samples, {});
  EXPECT_TRUE(made) << made.error().what << ": " << made.error().cause;
  Closeness worst{.cosine = made ? 1.0 : 0.0};
  for (std::size_t i = 0; made && i < samples.size(); ++i) {
    for (const auto& [name, tensor] : expected[i]) compare(*tensor, *made->at(i).at(name), worst);
  }
  return worst;
}

class Weights : public testing::TestWithParam<std::string> {
 protected:
  Weights() : before_(tiny(GetParam())), after_(clone(before_)) {}
  Model before_;
  Model after_;
};

TEST_P(Weights, InFloat16ComputeTheSame) {
  const Status typed = infer_types(onnxruntime(), HONE_EP_LIBRARY, after_);
  ASSERT_TRUE(typed) << typed.error().what << ": " << typed.error().cause;
  const auto report = convert_to_fp16(after_, {});
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_GT(report->tensors, 0u);
  const Closeness seen = closeness(before_, after_);
  EXPECT_GT(seen.cosine, 0.9999);
  EXPECT_GT(seen.sqnr, 40);
}

TEST_P(Weights, InInt4ComputeAboutTheSame) {
  for (const bool symmetric : {true, false}) {
    Model after = clone(before_);
    const auto report = quantize_int4(after, {.block_size = 16, .symmetric = symmetric});
    ASSERT_TRUE(report) << report.error().what;
    EXPECT_GT(report->matmuls, 0u);
    EXPECT_LT(report->bytes_after * 4, report->bytes_before);
    EXPECT_GT(closeness(before_, after).sqnr, 15) << (symmetric ? "symmetric" : "asymmetric");
  }
}

TEST_P(Weights, InDynamicInt8ComputeNearlyTheSame) {
  const std::vector<DynamicOptions> cases = {
      {}, {.weight_type = ElementType::uint8}, {.per_channel = true}};
  for (const DynamicOptions& options : cases) {
    Model after = clone(before_);
    const auto report = quantize_dynamic(after, options);
    ASSERT_TRUE(report) << report.error().what;
    EXPECT_GT(report->matmuls, 0u);
    EXPECT_GT(closeness(before_, after).sqnr, 25)
        << name_of(options.weight_type) << (options.per_channel ? " per channel" : "");
  }
}

std::string test_name(const testing::TestParamInfo<std::string>& instance) {
  std::string name = instance.param;
  for (char& c : name) {
    if (c == '-' || c == '/') c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Tiny, Weights,
                         testing::Values("bert-cls/torch-opset21", "resnet-cls/torch-opset17",
                                         "convnext-cls/torch-opset21", "vit-cls/torch-opset17",
                                         "roberta-cls/torch-opset17"),
                         test_name);

TEST(WeightsInSubgraphs, RunInFloat16) {
  const Model before = parse_text(R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[4] x) => (float[4] y) <int64 n = {3}, bool go = {1}, float[4] half = {0.5,0.5,0.5,0.5}> {
      s = Tanh(x)
      y = Loop(n, go, s) <body = b (int64 i, bool c, float[4] v) => (bool d, float[4] w) {
        d = Identity(c)  t = Mul(v, half)  m = Max(t, s)  w = Add(m, v) }> })")
                           .value();
  Model after = clone(before);
  ASSERT_TRUE(infer_types(onnxruntime(), HONE_EP_LIBRARY, after));
  const Fp16Report report = convert_to_fp16(after, {}).value();
  EXPECT_EQ(report.left_alone.size(), 1u) << "the Max inside the loop";
  EXPECT_GT(closeness(before, after).cosine, 0.99999);
}

}  // namespace
}  // namespace hone
