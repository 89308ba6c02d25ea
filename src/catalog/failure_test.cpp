#include "catalog/failure.h"

#include <gtest/gtest.h>

#include "base/json.h"

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

// An error as a command of ours answers with it, and tells it on stderr.
ProcessEnd answered(int code, const std::string& fault, const std::string& what,
                    const std::string& cause) {
  Json error = Json::object().set("fault", fault).set("what", what);
  error.set("cause", cause.empty() ? Json() : Json(cause)).set("hint", Json());
  const Json document = Json::object().set("schema_version", 1).set("error", error);
  return ended(code, "error: " + what + "\n  " + cause + "\n", document.dump());
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

TEST(Failures, HaveTheWordsOfAnErrorThatDoesNotSayEverything) {
  const CellFailure failure = classify(
      "build", answered(2, "not_found", "cannot read '/m/net.onnx'", "No such file or directory"));
  EXPECT_EQ(failure.kind, FailureClass::load);
  EXPECT_EQ(failure.what, "cannot read '/m/net.onnx': No such file or directory");
  EXPECT_EQ(classify("build", answered(2, "bad_input", "'net.onnx' is no model", "")).what,
            "'net.onnx' is no model");
}

TEST(Failures, AreNotReadOutOfTheNamesOfThings) {
  for (const std::string name : {"/m/no kernel.onnx", "/m/bad_alloc.onnx", "missing/disk full.onnx",
                                 "/m/it's disk full.onnx", "/m/there is no device for.onnx"}) {
    EXPECT_EQ(kind("build", answered(2, "not_found", "cannot read '" + name + "'",
                                     "No such file or directory")),
              FailureClass::load)
        << name;
  }
  const std::string spaced = "/m/not a bad_alloc of mine.onnx";
  EXPECT_EQ(kind("perf", answered(1, "runtime", "cannot open '" + spaced + "' on cpu",
                                  "onnxruntime: Load model from " + spaced +
                                      " failed:Protobuf parsing failed.")),
            FailureClass::load);
  EXPECT_EQ(kind("perf", killed_by("SIGSEGV")), FailureClass::build_crash);
  ProcessEnd crashed = killed_by("SIGSEGV");
  crashed.standard_error = "warning [x] reading /m/disk full/net.onnx\n";
  EXPECT_EQ(kind("perf", crashed), FailureClass::build_crash);
}

// The words are those of ONNX Runtime 1.30 and glibc below `ulimit -v`.
TEST(Failures, OfMemoryAreToldByWhateverMetTheLimit) {
  const std::string model = "/m/no kernel.onnx";
  for (const std::string& cause :
       {"onnxruntime: Load model from " + model + " failed:std::bad_alloc",
        std::string("onnxruntime: Exception during initialization: std::bad_alloc"),
        std::string("onnxruntime: /o/env.cc:251 PosixThread pthread_create failed, error code: 12 "
                    "error msg: Cannot allocate memory"),
        std::string("onnxruntime: Non-zero status code returned while running Conv node. "
                    "Name:'p2o.Conv.4' Status Message: /o/bfc_arena.cc:360 Failed to allocate "
                    "memory for requested buffer of size 6553600\\n")}) {
    EXPECT_EQ(kind("perf", answered(1, "runtime", "cannot open '" + model + "' on cpu", cause)),
              FailureClass::oom)
        << cause;
  }
  const auto library = [](const std::string& why) {
    return answered(2, "not_found", "cannot load ONNX Runtime",
                    "/l/libonnxruntime.so.1: libstdc++.so.6: " + why +
                        "; libonnxruntime.so: cannot open shared object file: No such file or "
                        "directory");
  };
  EXPECT_EQ(kind("build", library("failed to map segment from shared object")), FailureClass::oom);
  EXPECT_EQ(
      kind("build", library("failed to map segment from shared object: Operation not permitted")),
      FailureClass::infra);
}

TEST(Failures, OfWhatThisMachineDoesNotHaveAreItsOwn) {
  EXPECT_EQ(kind("perf", answered(2, "not_found", "there is no device for qnn/npu",
                                  "ONNX Runtime 1.30.0 offers: cpu/cpu")),
            FailureClass::infra);
  EXPECT_EQ(kind("perf", answered(1, "runtime", "cannot register the EP library 'x' from '/x.so'",
                                  "onnxruntime: Failed to load library /x.so")),
            FailureClass::infra);
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
