#include "catalog/failure.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

FailureClass kind(Error error) { return failure_of("build", error).kind; }

TEST(Failures, AreToldApartByWhatTheirErrorSaysItWas) {
  const auto of = [](Trouble trouble) { return kind({Fault::runtime, "it", "", "", trouble}); };
  EXPECT_EQ(of(Trouble::crashed), FailureClass::build_crash);
  EXPECT_EQ(of(Trouble::no_memory), FailureClass::oom);
  EXPECT_EQ(of(Trouble::disk_full), FailureClass::disk_full);
  EXPECT_EQ(of(Trouble::no_kernel), FailureClass::unsupported_op);
  EXPECT_EQ(of(Trouble::misplaced), FailureClass::placement);
  EXPECT_EQ(of(Trouble::absent), FailureClass::infra);
  EXPECT_EQ(of(Trouble::other), FailureClass::load);
}

TEST(Failures, WithoutThatAreToldApartByWhoseFaultTheyAre) {
  EXPECT_EQ(kind({Fault::unsupported, "it"}), FailureClass::unsupported_op);
  EXPECT_EQ(kind({Fault::bad_input, "it"}), FailureClass::load);
  EXPECT_EQ(kind({Fault::not_found, "it"}), FailureClass::load);
  EXPECT_EQ(kind({Fault::io, "it"}), FailureClass::infra);
  EXPECT_EQ(kind({Fault::not_held, "it"}), FailureClass::numerics);
  EXPECT_EQ(kind({Fault::timeout, "it"}), FailureClass::timeout);
}

TEST(Failures, OfTimeAreThatWhateverElseWasLacking) {
  EXPECT_EQ(kind({Fault::timeout, "it", "", "", Trouble::no_memory}), FailureClass::timeout);
}

TEST(Failures, AreNotReadOutOfWords) {
  for (const char* words : {"No space left on device", "std::bad_alloc", "NOT_IMPLEMENTED",
                            "there is no device for qnn/npu", "cannot load ONNX Runtime"}) {
    EXPECT_EQ(kind({Fault::runtime, words, words, words}), FailureClass::load) << words;
  }
}

TEST(Failures, AreToldInOneLineWithWhatTheLayerBelowSaid) {
  const CellFailure failure = failure_of(
      "build", {Fault::not_found, "cannot read '/m/net.onnx'", "No such file\nor directory"});
  EXPECT_EQ(failure.what, "cannot read '/m/net.onnx': No such file; or directory");
  EXPECT_EQ(failure.stage, "build");
  EXPECT_EQ(failure_of("perf", {Fault::bad_input, "'net.onnx' is no model"}).what,
            "'net.onnx' is no model");
}

TEST(Failures, OfAProcessThatDiedKeepItsLastWordsForTheLog) {
  const CellFailure failure =
      failure_of("perf", {Fault::runtime, "the worker was killed by SIGSEGV", "about to fall\n", "",
                          Trouble::crashed});
  EXPECT_EQ(failure.what, "the worker was killed by SIGSEGV");
  EXPECT_EQ(failure.log_tail, "the worker was killed by SIGSEGV\nabout to fall");
}

TEST(Failures, KeepTheLastLinesAndNothingATerminalWouldObey) {
  std::string log;
  for (int i = 0; i < 40; ++i) log += "line " + std::to_string(i) + "\n";
  const CellFailure failure =
      failure_of("build", {Fault::runtime, "it", log + "\x1b[31mred\n", "again"});
  EXPECT_EQ(failure.log_tail.find("line 29\n"), std::string::npos);
  EXPECT_NE(failure.log_tail.find("line 30\n"), std::string::npos);
  EXPECT_TRUE(failure.log_tail.ends_with("\ntry: again")) << failure.log_tail;
  EXPECT_EQ(failure.log_tail.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace hone
