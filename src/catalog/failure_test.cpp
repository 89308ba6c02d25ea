#include "catalog/failure.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

ProcessEnd ended(int code, std::string errors, std::string output = {}) {
  ProcessEnd end;
  end.exit_code = code;
  end.standard_error = std::move(errors);
  end.standard_output = std::move(output);
  return end;
}

ProcessEnd killed_by(std::string signal) {
  ProcessEnd end;
  end.signal = std::move(signal);
  return end;
}

std::string with_fault(const std::string& fault, const std::string& cause = {}) {
  return R"({"schema_version": 1, "error": {"fault": ")" + fault +
         R"(", "what": "it failed", "cause": ")" + cause + R"(", "hint": ""}})";
}

FailureClass kind(std::string_view stage, const ProcessEnd& end) {
  return classify(stage, end).kind;
}

TEST(Failures, AreToldApartByHowTheProcessEnded) {
  ProcessEnd late;
  late.timed_out = true;
  EXPECT_EQ(kind("build", late), FailureClass::timeout);
  EXPECT_EQ(kind("build", killed_by("SIGSEGV")), FailureClass::build_crash);
  EXPECT_EQ(kind("build", killed_by("SIGABRT")), FailureClass::build_crash);
  EXPECT_EQ(kind("build", killed_by("SIGKILL")), FailureClass::oom);
  EXPECT_EQ(kind("build", killed_by("SIGTERM")), FailureClass::infra);
  EXPECT_EQ(kind("build", ended(1, "")), FailureClass::build_crash);
}

TEST(Failures, AreToldApartByWhatTheCommandSaid) {
  EXPECT_EQ(kind("build", ended(1, "", with_fault("unsupported"))), FailureClass::unsupported_op);
  EXPECT_EQ(kind("build", ended(1, "",
                                with_fault("runtime",
                                           "NOT_IMPLEMENTED : Could not find an "
                                           "implementation for Foo(1)"))),
            FailureClass::unsupported_op);
  EXPECT_EQ(kind("build", ended(2, "", with_fault("bad_input"))), FailureClass::load);
  EXPECT_EQ(kind("build", ended(1, "", with_fault("timeout"))), FailureClass::timeout);
  EXPECT_EQ(kind("build", ended(1, "", with_fault("io"))), FailureClass::infra);
  EXPECT_EQ(kind("build", ended(1, "", with_fault("io", "No space left on device"))),
            FailureClass::disk_full);
  EXPECT_EQ(kind("build", ended(1, "terminate called: std::bad_alloc")), FailureClass::oom);
}

TEST(Failures, OfAThingThatDidNotHoldDependOnWhatWasChecked) {
  EXPECT_EQ(kind("perf", ended(3, "")), FailureClass::placement);
  EXPECT_EQ(kind("eval", ended(3, "")), FailureClass::numerics);
}

TEST(Failures, KeepTheLastLinesAndNothingATerminalWouldObey) {
  std::string log;
  for (int i = 0; i < 40; ++i) log += "line " + std::to_string(i) + "\n";
  const CellFailure failure = classify("build", ended(1, log + "\x1b[31mred\n"));
  EXPECT_EQ(failure.log_tail.find("line 28"), std::string::npos);
  EXPECT_NE(failure.log_tail.find("line 29"), std::string::npos);
  EXPECT_EQ(failure.log_tail.find('\x1b'), std::string::npos);
  EXPECT_EQ(failure.stage, "build");
}

}  // namespace
}  // namespace hone
