#include "report/system/sys_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/system/reason.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;

MachineFacts machine() {
  MachineFacts facts;
  facts.os = "Debian 12";
  facts.kernel = "6.1.0";
  facts.arch = "x86_64";
  facts.cpu.model = "AMD EPYC";
  facts.cpu.online = 8;
  facts.cpu.allowed = 4;
  facts.memory.total_bytes = std::uint64_t{8} << 30;
  facts.memory.available_bytes = std::uint64_t{2} << 30;
  return facts;
}

System example() {
  System system;
  system.machine = machine();
  system.ort_libraries = {
      {"/opt/ort.so", "/opt/ort.so", "1.30.0", true, ""},
      {"libonnxruntime.so", std::nullopt, std::nullopt, false, "No such file or directory"}};
  system.eps = {{"cpu", EpState::primary, "", "", {"cpu"}},
                {"webgpu",
                 EpState::failed,
                 "onnxruntime: /src/webgpu_context.cc:136 Initialize() status == ok was false. "
                 "No supported adapters\\n",
                 "",
                 {}},
                {"qnn", EpState::absent, "", "", {}},
                {"sim", EpState::primary, "", "/opt/libhone_ep.so", {"cpu", "npu"}},
                {"other", EpState::failed, "killed by SIGSEGV", "/opt/libother.so", {}}};
  Device device;
  device.ep = "HoneSim";
  device.type = "npu";
  device.hardware_vendor = "hone";
  device.vendor_id = 0x1022;
  device.device_id = 1;
  device.metadata = {{"version", "0.1.0"}};
  system.devices = {device};
  return system;
}

TEST(SystemText, HasOneLineForEachThingInColumns) {
  EXPECT_EQ(describe_system(example()),
            "machine\n"
            "  system  Debian 12, 6.1.0, x86_64\n"
            "  CPU     AMD EPYC, 4 of 8 CPUs\n"
            "  memory  8.00 GiB, 2.00 GiB free\n"
            "\n"
            "ONNX Runtime\n"
            "  1.30.0  /opt/ort.so        in use\n"
            "  -       libonnxruntime.so  No such file or directory\n"
            "\n"
            "EPs\n"
            "  cpu     primary  cpu\n"
            "  webgpu  failed   -         No supported adapters\n"
            "  qnn     absent   -\n"
            "  sim     primary  cpu, npu  libhone_ep.so\n"
            "  other   failed   -         libother.so: killed by SIGSEGV\n"
            "\n"
            "devices\n"
            "  npu  HoneSim  0.1.0  hone, vendor 0x1022, device 0x1\n"
            "\n"
            "`hone doctor EP` says what an EP lacks and what to do.\n");
}

TEST(SystemText, NamesALimitOnTheCpusAndTheHypervisor) {
  System system = example();
  system.machine.cpu.quota = 1.5;
  system.machine.hypervisor = "KVM";
  const std::string text = describe_system(system);
  EXPECT_THAT(text, HasSubstr("2 of 8 CPUs (quota 1.5)"));
  EXPECT_THAT(text, HasSubstr("  hypervisor  KVM\n"));
  system.machine.hypervisor = "unknown";
  EXPECT_THAT(describe_system(system), HasSubstr("there is one that does not tell its name"));
}

TEST(SystemText, GivesNoAdviceWhenNothingFailed) {
  System system = example();
  std::erase_if(system.eps, [](const EpStatus& ep) { return ep.state == EpState::failed; });
  EXPECT_THAT(describe_system(system), Not(HasSubstr("hone doctor")));
}

TEST(SystemText, MakesControlCharactersOfALibraryVisible) {
  System system = example();
  system.eps[4].reason = "\x1b[31mred";
  EXPECT_THAT(describe_system(system), Not(HasSubstr("\x1b")));
}

TEST(Reason, KeepsWhatABrokenConditionSays) {
  EXPECT_EQ(text_form::essence("/a/b.cc:1 f() x == 1 was false. No adapter.\\n"), "No adapter.");
  EXPECT_EQ(text_form::essence("libx.so: cannot open\n"), "libx.so: cannot open");
}

TEST(SessionOptionText, ShowsOurWordsFirstAndThenTheKeysThatAreHandedOn) {
  const SessionOptionList list{{{"execution_mode", OptionKind::word, {"sequential", "parallel"}},
                                {"log_severity_level", OptionKind::number, {}},
                                {"session.disable_prepacking", OptionKind::text, {}}}};
  EXPECT_EQ(describe_session_options(list),
            "  execution_mode      sequential, parallel\n"
            "  log_severity_level  a whole number\n"
            "\n"
            "keys of ONNX Runtime, which reads their values by itself\n"
            "  session.disable_prepacking\n");
}

}  // namespace
}  // namespace hone
