#include "app/progress.h"

#include <gtest/gtest.h>

#include <thread>

namespace hone::app {
namespace {

using namespace std::chrono_literals;

// What stderr sees of work that takes longer than anybody's patience.
std::string shown(Settings settings) {
  testing::internal::CaptureStderr();
  {
    const Call call(settings);
    Progress progress(call, "filling weights");
    progress.update(1 << 20, 4 << 20);
    std::this_thread::sleep_for(250ms);
    progress.update(2 << 20, 4 << 20);
    progress.update(3 << 20, 4 << 20);
  }
  return testing::internal::GetCapturedStderr();
}

TEST(Progress, OverprintsOneLineOnATerminalAndRemovesItAtTheEnd) {
  EXPECT_EQ(shown({.stderr_is_terminal = true}),
            "\r\x1b[Kfilling weights: 2.00 MiB of 4.00 MiB (49 %)\r\x1b[K");
}

TEST(Progress, SaysNothingInAPipeAndNothingWhenQuiet) {
  EXPECT_EQ(shown({}), "");
  EXPECT_EQ(shown({.stderr_is_terminal = true, .verbosity = -1}), "");
}

std::string shown_steps(Settings settings) {
  testing::internal::CaptureStderr();
  {
    const Call call(settings);
    Progress progress(call, "looking");
    progress.step("here");
    progress.step("there");
  }
  return testing::internal::GetCapturedStderr();
}

TEST(Progress, ShowsAStepAtOnceBecauseItMayHang) {
  EXPECT_EQ(shown_steps({.stderr_is_terminal = true}),
            "\r\x1b[Klooking: here\r\x1b[Klooking: there\r\x1b[K");
  EXPECT_EQ(shown_steps({}), "");
  EXPECT_EQ(shown_steps({.stderr_is_terminal = true, .verbosity = -1}), "");
  EXPECT_EQ(shown_steps({.verbosity = 1}), "looking: here\nlooking: there\n");
}

TEST(Progress, SaysInOneLineWhatWasDoneWhenVerbose) {
  EXPECT_EQ(shown({.verbosity = 1}), "filling weights: 3.00 MiB\n");
}

}  // namespace
}  // namespace hone::app
