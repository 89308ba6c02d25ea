#include "report/trace/diff_text.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TraceDiffRow row(std::string path, TraceMatch match, std::optional<double> before,
                 std::optional<double> after) {
  TraceDiffRow made;
  made.op_path = std::move(path);
  made.op_type = "Conv";
  made.match = match;
  made.before_us = before;
  made.after_us = after;
  made.delta_us = after.value_or(0) - before.value_or(0);
  return made;
}

TEST(DiffText, ShowsBeforeAfterAndDelta) {
  TraceDiff diff;
  diff.before = {.total_us = 200, .accounted_us = 150, .gaps_us = 50, .operators = 3};
  diff.after = {.total_us = 100, .accounted_us = 100, .gaps_us = {}, .operators = 3};
  diff.operators = {row("/a/Conv", TraceMatch::path, 100, 40), row("/b", TraceMatch::type, 20, 30),
                    row("/c", TraceMatch::only_before, 30, {}),
                    row("/d", TraceMatch::only_after, {}, 30), row("/e", TraceMatch::path, 1, 1)};
  diff.notes = {"not on one scale"};
  EXPECT_EQ(describe_diff(diff, 4),
            "                type  before us  after us  delta us\n"
            "  total                   200.0     100.0    -100.0  -50.0 %\n"
            "  in operators            150.0     100.0     -50.0  -33.3 %\n"
            "  in gaps                  50.0         -         -\n"
            "  /a/Conv       Conv      100.0      40.0     -60.0  -60.0 %\n"
            "  /b            Conv       20.0      30.0     +10.0  +50.0 %  matched by type\n"
            "  /c            Conv       30.0         -     -30.0           gone\n"
            "  /d            Conv          -      30.0     +30.0           new\n"
            "  ... and 1 more\n"
            "note: not on one scale\n");
}

TEST(DiffText, MakesNothingOfARounding) {
  TraceDiff diff;
  diff.before.gaps_us = 1e-13;
  diff.after.gaps_us = 0;
  EXPECT_NE(describe_diff(diff).find("  in gaps                   0.0       0.0       0.0\n"),
            std::string::npos)
      << describe_diff(diff);
}

}  // namespace
}  // namespace hone
