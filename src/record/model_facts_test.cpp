#include "record/model_facts.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

ModelFacts example() {
  ModelFacts model;
  model.path = "model.onnx";
  model.bytes = 1234;
  model.ir_version = 8;
  model.opsets = {{"ai.onnx", 17}};
  model.producer = "pytorch";
  model.nodes = 3;
  model.op_counts = {{"Conv", 2}, {"Relu", 1}};
  model.parameters = 100;
  model.dynamic_axes = {{"N", {"x[0]"}}};
  model.weight_bytes = {{"float", 400}};
  model.precision = "fp32";
  model.inputs = {{.name = "x", .type = "float", .shape = std::vector<Json>{"N", 3, nullptr}}};
  model.outputs = {{.name = "y", .type = "float", .shape = std::vector<Json>{}}};
  model.fingerprint = "abc";
  return model;
}

TEST(ModelFacts, HasTheFieldsThatScriptsRelyOn) {
  EXPECT_EQ(
      to_document(example(), 1).dump(-1),
      R"({"schema_version":1,"path":"model.onnx","bytes":1234,"ir_version":8,)"
      R"("opsets":{"ai.onnx":17},"producer":"pytorch","nodes":3,)"
      R"("op_counts":{"Conv":2,"Relu":1},"functions":0,"parameters":100,)"
      R"("weight_bytes":{"float":400},"absent_weight_bytes":0,"precision":"fp32","inputs":[{"name":"x","type":"float","shape":["N",3,null]}],)"
      R"("outputs":[{"name":"y","type":"float","shape":[]}],)"
      R"("dynamic_axes":{"N":["x[0]"]},"fingerprint":"abc"})");
}

TEST(ModelFacts, HoldsWhatWasAskedForOnTop) {
  ModelFacts model = example();
  model.content_fingerprint = "def";
  model.quantization = {{.tensor = "x",
                         .node = "q",
                         .op = "QuantizeLinear",
                         .scale = 0.5,
                         .zero_point = Json::array().push(0).push(128),
                         .type = "uint8",
                         .axis = {},
                         .kind = QuantizedKind::weight}};
  const Json json = to_json(model);
  EXPECT_EQ(*json.find("content_fingerprint"), Json("def"));
  EXPECT_EQ(json.find("quantization")->dump(-1),
            R"([{"tensor":"x","node":"q","op":"QuantizeLinear","scale":0.5,)"
            R"("zero_point":[0,128],"type":"uint8","axis":null,"kind":"weight"}])");
}

TEST(ModelFacts, AskingForQuantizationWhereThereIsNoneGivesAnEmptyList) {
  ModelFacts model = example();
  model.quantization.emplace();
  EXPECT_EQ(*to_json(model).find("quantization"), Json::array());
}

TEST(ModelFacts, IsReadBack) {
  const Json document = to_document(example(), 1);
  EXPECT_EQ(to_document(*from_document<ModelFacts>(document, 1), 1), document);
}

}  // namespace
}  // namespace hone
