#include "report/system/doctor_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::EndsWith;

Diagnosis example() {
  Diagnosis diagnosis;
  diagnosis.checks = {{CheckState::ok, "load", "0.1 in the last minute", ""},
                      {CheckState::warn, "CPU governor", "powersave", "set it to performance"},
                      {CheckState::unknown, "SMT", "this machine does not tell", ""}};
  return diagnosis;
}

TEST(DoctorText, SaysUnderACheckWhatToTry) {
  EXPECT_EQ(describe_diagnosis(example()),
            "  ok       load          0.1 in the last minute\n"
            "  warn     CPU governor  powersave\n"
            "                         try: set it to performance\n"
            "  unknown  SMT           this machine does not tell\n"
            "\n"
            "1 thing to look at.\n");
}

TEST(DoctorText, ConcludesWithTheNumberOfThingsToLookAt) {
  Diagnosis diagnosis = example();
  diagnosis.checks.push_back(diagnosis.checks[1]);
  EXPECT_THAT(describe_diagnosis(diagnosis), EndsWith("\n2 things to look at.\n"));
  std::erase_if(diagnosis.checks,
                [](const Check& check) { return check.state == CheckState::warn; });
  EXPECT_THAT(describe_diagnosis(diagnosis),
              EndsWith("\nNothing was found that spoils measurements.\n"));
}

TEST(DoctorText, ConcludesWhetherTheEpCanBeUsed) {
  Diagnosis diagnosis = example();
  diagnosis.ep = "qnn";
  diagnosis.status = EpState::failed;
  EXPECT_THAT(describe_diagnosis(diagnosis), EndsWith("\nqnn cannot be used here.\n"));
  diagnosis.status = EpState::primary;
  EXPECT_THAT(describe_diagnosis(diagnosis), EndsWith("\nqnn can be used here.\n"));
  diagnosis.hazards = {"two users disturb each other"};
  EXPECT_THAT(describe_diagnosis(diagnosis),
              EndsWith("\nqnn can be used here.\nknown of it: two users disturb each other\n"));
}

}  // namespace
}  // namespace hone
