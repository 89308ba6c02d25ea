#include "base/cpu_model.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(CpuModel, IsTheNameThatX86Gives) {
  EXPECT_EQ(cpu_model("processor\t: 0\nmodel name\t: AMD EPYC 7B13 64-Core Processor\n"),
            "AMD EPYC 7B13 64-Core Processor");
}

TEST(CpuModel, CountsTheKindsOfArmCores) {
  EXPECT_EQ(cpu_model("processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd05\n\n"
                      "processor\t: 1\nCPU implementer\t: 0x41\nCPU part\t: 0xd05\n\n"
                      "processor\t: 2\nCPU implementer\t: 0x41\nCPU part\t: 0xd0b\n"),
            "2x Cortex-A55 + 1x Cortex-A76");
}

TEST(CpuModel, QuotesTheNumbersOfAnArmCoreItDoesNotKnow) {
  EXPECT_EQ(cpu_model("CPU implementer\t: 0x61\nCPU part\t: 0x022\n"),
            "1x Arm core (implementer 0x61, part 0x022)");
}

TEST(CpuModel, IsEmptyWhenNothingIsTold) { EXPECT_EQ(cpu_model(""), ""); }

TEST(CpuModel, FindsWholeFlagsOnly) {
  EXPECT_TRUE(has_cpu_flag("flags\t\t: fpu avx2 hypervisor\n", "avx2"));
  EXPECT_FALSE(has_cpu_flag("flags\t\t: fpu avx2 hypervisor\n", "avx"));
  EXPECT_TRUE(has_cpu_flag("Features\t: fp asimd\n", "asimd"));
}

}  // namespace
}  // namespace hone
