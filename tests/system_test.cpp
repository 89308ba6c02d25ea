// `hone sys` and `hone doctor` as scripts see them, with the real ONNX Runtime. What they print
// depends on the machine, so this is no transcript.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/process.h"
#include "ort_library.h"
#include "record/doctor.h"
#include "record/system.h"

namespace hone {
namespace {

using testing::HasSubstr;

class SystemCommands : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(ort_library()))
      GTEST_SKIP() << "no ONNX Runtime at " << ort_library() << ": run make setup";
  }

  static ProcessEnd hone(std::vector<std::string> words, const Path& folder = {}) {
    words.insert(words.begin(), HONE_PROGRAM);
    ProcessOptions options;
    options.folder = folder;
    options.environment = {{"HONE_ORT", ort_library()}, {"NO_COLOR", "1"}};
    auto end = run_process(words, options);
    EXPECT_TRUE(end) << end.error().what;
    return end ? *end : ProcessEnd{};
  }

  template <class T>
  static T document_of(const ProcessEnd& end, std::int64_t schema_version) {
    const auto json = Json::parse(end.standard_output);
    EXPECT_TRUE(json) << end.standard_output << end.standard_error;
    auto record = from_document<T>(*json, schema_version);
    EXPECT_TRUE(record) << record.error().what;
    return record ? *record : T{};
  }

  static EpState state_of(const System& system, const std::string& name) {
    for (const EpStatus& ep : system.eps) {
      if (ep.name == name) return ep.state;
    }
    ADD_FAILURE() << name << " is not listed";
    return EpState::absent;
  }
};

TEST_F(SystemCommands, SysIsOneDocumentWithMachineRuntimesEpsAndDevices) {
  const ProcessEnd end = hone({"sys", "--format", "json", "--ep-library", "own=" HONE_EP_LIBRARY,
                               "--ep-library", "gone=/nowhere/libgone.so"});
  EXPECT_TRUE(end.ok()) << end.describe();
  EXPECT_EQ(end.standard_error, "");
  const auto system = document_of<System>(end, system_schema_version);
  ASSERT_NE(system.runtime(), nullptr);
  EXPECT_NE(system.machine.arch, "");
  EXPECT_FALSE(system.devices.empty());
  EXPECT_EQ(state_of(system, "cpu"), EpState::primary);
  EXPECT_EQ(state_of(system, "sim"), EpState::primary);
  EXPECT_EQ(state_of(system, "gone"), EpState::failed);
}

TEST_F(SystemCommands, ALibraryIsLookedForWhereTheUserIs) {
  const Path library = HONE_EP_LIBRARY;
  const ProcessEnd end =
      hone({"sys", "--format", "json", "--ep-library", "own=" + library.filename().string()},
           library.parent_path());
  const auto system = document_of<System>(end, system_schema_version);
  EXPECT_EQ(std::ranges::count(system.eps, "own", &EpStatus::name), 0);
  EXPECT_NE(std::ranges::count(system.eps, library.string(), &EpStatus::library), 0);
}

TEST_F(SystemCommands, DoctorEndsWithThreeForAnEpThatCannotBeUsed) {
  const ProcessEnd end = hone({"doctor", "dml", "--format", "json"});
  EXPECT_EQ(end.exit_code, 3);
  const auto diagnosis = document_of<Diagnosis>(end, doctor_schema_version);
  EXPECT_EQ(diagnosis.ep, "dml");
  EXPECT_EQ(diagnosis.status, EpState::absent);
}

TEST_F(SystemCommands, DoctorEndsWithZeroForAnEpThatWorks) {
  const ProcessEnd end = hone({"doctor", "CPU"});
  EXPECT_EQ(end.exit_code, 0) << end.standard_output;
  EXPECT_THAT(end.standard_output, HasSubstr("cpu can be used here."));
}

TEST_F(SystemCommands, DoctorWithoutAnEpLooksAtTheMachineAndTheRuntime) {
  const ProcessEnd end = hone({"doctor", "--format", "json"});
  EXPECT_EQ(end.exit_code, 0);
  const auto diagnosis = document_of<Diagnosis>(end, doctor_schema_version);
  EXPECT_FALSE(diagnosis.ep);
  ASSERT_GT(diagnosis.checks.size(), 5u);
  EXPECT_EQ(diagnosis.checks[0].what, "ONNX Runtime");
  EXPECT_EQ(diagnosis.checks[0].state, CheckState::ok);
}

}  // namespace
}  // namespace hone
