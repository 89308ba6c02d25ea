// What is refused before a worker is started; tests/run_test.cpp has what comes out.

#include "flow/run.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "model/text/text.h"

namespace hone {
namespace {

class RunOrders : public testing::Test {
 protected:
  RunOrders() {
    EXPECT_TRUE(write_file(folder_.path() / "net.txt",
                           "<opset_import: [\"\": 17]> g (float[1] x) => (float[1] y) "
                           "{ y = Relu(x) }"));
    const auto model = parse_text(read_file(folder_.path() / "net.txt").value());
    EXPECT_TRUE(model && save_model(*model, folder_.path() / "net.onnx", {}));
    order_.model = (folder_.path() / "net.onnx").string();
  }

  Error refusal() const {
    const auto report = run_on_inputs(order_, {});
    return report ? Error{} : report.error();
  }

  TemporaryFolder folder_ = *TemporaryFolder::create("runs");
  RunOrder order_;
};

TEST_F(RunOrders, AreRefusedForAnOutputThatIsNoArchive) {
  order_.output = "out.json";
  EXPECT_EQ(refusal().what, "'out.json' does not end in .npz");
  EXPECT_EQ(refusal().fault, Fault::bad_input);
}

TEST_F(RunOrders, AreRefusedForADeviationOfZero) {
  order_.pictures.deviation = {0.2, 0.0, 0.2};
  EXPECT_EQ(refusal().what, "--std cannot be 0: pixels are divided by it");
}

TEST_F(RunOrders, AreRefusedWithoutInputs) {
  EXPECT_EQ(refusal().what, "there is nothing to run the model on");
  EXPECT_EQ(refusal().cause, "its inputs are x: float[1]");
  EXPECT_EQ(refusal().fault, Fault::bad_input);
}

TEST_F(RunOrders, AreRefusedForATargetThatThereIsNot) {
  order_.where.ep = "qnnn";
  EXPECT_NE(refusal().what.find("there is no EP 'qnnn'"), std::string::npos) << refusal().what;
}

}  // namespace
}  // namespace hone
