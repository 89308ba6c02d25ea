// Shapes by ONNX Runtime's own inference, through the probe.

#include "runtime/infer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/text/text.h"
#include "real_runtime.h"

namespace hone {
namespace {

Model inferred(std::string_view text) {
  Model model = parse_text(text).value();
  const Status status = infer_types(onnxruntime(), HONE_EP_LIBRARY, model);
  EXPECT_TRUE(status) << status.error().what << ": " << status.error().cause;
  return model;
}

std::string type_in(const Graph& graph, const char* name) {
  const Value* value = graph.find(name);
  return value != nullptr ? to_string(value->type) : "absent";
}

TEST(InferTypes, FillsInWhatTheModelDoesNotSay) {
  const Model model = inferred(R"(<opset_import: ["": 17]> g (float[N,3] x) => (y)
      <float[3,2] w = {1, 2, 3, 4, 5, 6}> { t = MatMul(x, w) y = Shape(t) })");
  EXPECT_EQ(type_in(*model.graph, "t"), "float[N,2]");
  EXPECT_EQ(type_in(*model.graph, "y"), "int64[2]");
}

TEST(InferTypes, ReachesIntoSubgraphs) {
  const Model model = inferred(R"(<opset_import: ["": 17]> g (float[2,3] x, bool c) => (y)
      { y = If(c) < then_branch = a () => (p) { q = Relu(x) p = Transpose(q) },
                    else_branch = b () => (r) { s = Shape(x) t = Cast <to = 1> (s) r = Unsqueeze(t, z) }
                  > z = Constant <value = int64[1] {0}> () })");
  const Graph& branch =
      *model.graph->find("y")->producer()->attribute("then_branch")->graphs().at(0);
  EXPECT_EQ(type_in(branch, "q"), "float[2,3]");
}

TEST(InferTypes, NeedsNoWeight) {
  // The weights of this fixture are stripped: nothing is there that could be loaded.
  Model model = load_model(HONE_SOURCE_DIR "/tests/fixtures/zoo/roberta-base.opset17.onnx").value();
  const Status status = infer_types(onnxruntime(), HONE_EP_LIBRARY, model);
  ASSERT_TRUE(status) << status.error().what << ": " << status.error().cause;
  for (const Value* value : model.graph->values()) {
    EXPECT_TRUE(value->type.is_known() || value->initializer()) << value->name();
  }
}

TEST(InferTypes, HandsOnWhyAModelIsRefused) {
  Model model =
      parse_text(R"(<opset_import: ["": 17]> g (float[2] x) => (y) { y = NoSuchOp(x) })").value();
  const Status status = infer_types(onnxruntime(), HONE_EP_LIBRARY, model);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().cause, testing::HasSubstr("NoSuchOp"));
}

}  // namespace
}  // namespace hone
