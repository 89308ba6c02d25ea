#pragma once
// Quantizing in tests: small models of text, on the real ONNX Runtime.

#include <gtest/gtest.h>

#include "model/text/text.h"
#include "real_runtime.h"
#include "transform/quantize/quantize.h"

namespace hone {

inline const Path fixtures = Path(HONE_SOURCE_DIR) / "tests/fixtures";

inline QuantizeTools tools() {
  QuantizeTools tools;
  tools.runtime = onnxruntime();
  tools.probe_library = HONE_EP_LIBRARY;
  return tools;
}

class Quantizing : public testing::Test {
 protected:
  QuantizeRequest request_for(const Path& model, const char* precision = "w8a8",
                              const char* preset = "ort") {
    QuantizeRequest request;
    request.model = model;
    request.output = folder_.path() / "quantized.onnx";
    request.overwrite = true;
    request.precisions = {find_precision(precision)};
    request.settings.preset = *find_preset(preset);
    return request;
  }
  QuantizeResult run(const QuantizeRequest& request) {
    auto result = quantize_file(request, tools());
    EXPECT_TRUE(result) << result.error().what << ": " << result.error().cause;
    return result ? *std::move(result) : QuantizeResult();
  }
  Path model_of(const std::string& graph, int opset = 17) {
    const Path file = folder_.path() / "model.onnx";
    Model model =
        parse_text("<opset_import: [\"\": " + std::to_string(opset) + "]> g " + graph).value();
    EXPECT_TRUE(save_model(
        model, file, {.placement = DataPlacement::inlined, .data_file = "", .overwrite = true}));
    return file;
  }

  TemporaryFolder folder_ = *TemporaryFolder::create("quantize");
};

inline const std::string two_layers =
    "(float[1,4] x) => (float[1,2] y)"
    "<float[4,3] w = {1, -2, 3, 4, 5, 6, 7, -8, 9, 1, 2, 3}, float[3,2] v = {1, 2, 3, 4, -5, 6}>"
    "{ t = MatMul(x, w) u = Relu(t) y = MatMul(u, v) }";

}  // namespace hone
