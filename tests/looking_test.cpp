// What `debug` relies on: on the CPU EP of the real ONNX Runtime, without graph optimizations,
// looking at tensors of a model does not change what it puts out.

#include <gtest/gtest.h>

#include "base/hash.h"
#include "inspect/debug/steps.h"
#include "model/text/text.h"
#include "real_runtime.h"
#include "runtime/sample_stream.h"

namespace hone {
namespace {

const Path golden = Path(HONE_SOURCE_DIR) / "tests/fixtures/golden";

std::vector<std::string> digests_of_outputs(Model& model, const Sample& sample,
                                            const std::vector<const Value*>& looked_at) {
  SessionSettings settings;
  settings.options = {{"graph_optimization_level", "disable"}};
  Step all{.end = model.graph->nodes().size(), .wanted = looked_at};
  for (const Value* output : model.graph->outputs()) all.wanted.push_back(output);
  SteppedModel steps = SteppedModel::plan(onnxruntime(), model, settings, {all}).value();
  steps.start(sample);
  EXPECT_TRUE(steps.next());
  std::vector<std::string> digests;
  for (const Value* output : model.graph->outputs())
    digests.push_back(sha256(steps.find(output)->dense.view()).hex());
  return digests;
}

Sample first_of(SampleStream samples) { return samples.next().value().value(); }

TEST(LookingAt, EveryTensorChangesNoBitOfTheOutputs) {
  for (const char* name : {"tiny-resnet-cls", "tiny-bert-cls", "tiny-vit-cls"}) {
    for (const char* quantized : {"w8a8.onnx", "w8a16.onnx"}) {
      Model model = load_model(golden / name / quantized).value();
      const Sample sample = first_of(
          SampleStream::from_files(golden / name / "inputs.npz", input_ports(model)).value());
      std::vector<const Value*> all;
      for (const Node& node : model.graph->nodes())
        all.insert(all.end(), node.outputs().begin(), node.outputs().end());
      EXPECT_EQ(digests_of_outputs(model, sample, all), digests_of_outputs(model, sample, {}))
          << name << " " << quantized;
    }
  }
}

// ONNX Runtime puts casts around nodes there, and takes some of them away again.
TEST(LookingAt, HalvesOnBothSidesOfAPairChangesNoBitOfTheOutputs) {
  Model model =
      parse_text(
          "<ir_version: 10, opset_import: [\"\": 21]> g"
          "(float16[1,4096] x) => (float[1,4096] y) <float16 s = {0.01}, uint8 z = {0}>"
          "{ t = Tanh(x) u = Sin(t) q = QuantizeLinear(u, s, z) d = DequantizeLinear(q, s, z)"
          "  v = Cos(u) w = Mul(v, d) p = Cast<to = 1>(w) r = Cast<to = 1>(u) y = Add(p, r) }")
          .value();
  const Sample sample = first_of(SampleStream::from_seed(input_ports(model), {}, {}, 0, 1).value());
  const std::vector<const Value*> both = {model.graph->find("u"), model.graph->find("d")};
  EXPECT_EQ(digests_of_outputs(model, sample, both), digests_of_outputs(model, sample, {}));
}

}  // namespace
}  // namespace hone
