#include "record/system.h"

#include <gtest/gtest.h>

#include "record/doctor.h"

namespace hone {
namespace {

System example() {
  System system;
  system.ort_libraries = {
      {"libonnxruntime.so.1", std::nullopt, std::nullopt, false, "No such file"},
      {"/lib/ort.so", "/lib/ort.so", "1.30.0", true, ""}};
  system.eps = {{"cpu", EpState::primary, "", "", {"cpu"}},
                {"npu", EpState::failed, "killed by SIGSEGV", "/lib/npu.so", {}}};
  Device device;
  device.ep = "CPUExecutionProvider";
  device.type = "cpu";
  system.devices = {device};
  return system;
}

TEST(System, HasTheFieldsThatScriptsRelyOn) {
  const Json document = to_document(example(), system_schema_version);
  EXPECT_EQ(document.as_object()->front().first, "schema_version");
  EXPECT_EQ(document.find("ort_libraries")->dump(-1),
            R"([{"asked":"libonnxruntime.so.1","path":null,"version":null,"used":false,)"
            R"("reason":"No such file"},{"asked":"/lib/ort.so","path":"/lib/ort.so",)"
            R"("version":"1.30.0","used":true,"reason":""}])");
  EXPECT_EQ(document.find("eps")->dump(-1),
            R"([{"name":"cpu","status":"primary","reason":"","library":"",)"
            R"("device_types":["cpu"]},{"name":"npu","status":"failed",)"
            R"("reason":"killed by SIGSEGV","library":"/lib/npu.so","device_types":[]}])");
  EXPECT_NE(document.find("machine"), nullptr);
  EXPECT_NE(document.find("devices"), nullptr);
}

TEST(System, ComesBackFromItsDocument) {
  const Json document = to_document(example(), system_schema_version);
  const auto again = from_document<System>(document, system_schema_version);
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_EQ(to_document(*again, system_schema_version), document);
}

TEST(System, KnowsWhichRuntimeIsInUse) {
  EXPECT_EQ(example().runtime()->asked, "/lib/ort.so");
  EXPECT_EQ(System{}.runtime(), nullptr);
}

TEST(SessionOptions, SayWhatTheyTake) {
  const SessionOptionList list{{{"execution_mode", OptionKind::word, {"parallel"}}}};
  EXPECT_EQ(to_document(list, system_schema_version).dump(-1),
            R"({"schema_version":1,"session_options":[{"key":"execution_mode","kind":"word",)"
            R"("values":["parallel"]}]})");
}

TEST(Diagnosis, WritesNullForAnEpThatNobodyAskedAbout) {
  Diagnosis diagnosis;
  diagnosis.checks = {{CheckState::warn, "load", "3 in the last minute", "wait"}};
  EXPECT_EQ(
      to_document(diagnosis, doctor_schema_version).dump(-1),
      R"({"schema_version":1,"ep":null,"status":null,"reason":"","checks":[)"
      R"({"state":"warn","what":"load","why":"3 in the last minute","hint":"wait"}],"hazards":[]})");
  diagnosis.ep = "qnn";
  diagnosis.status = EpState::absent;
  EXPECT_EQ(to_document(diagnosis, doctor_schema_version).find("status")->dump(-1), R"("absent")");
}

}  // namespace
}  // namespace hone
