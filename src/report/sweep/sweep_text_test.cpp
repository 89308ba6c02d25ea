#include "report/sweep/sweep_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/sweep/sweeps_for_tests.h"

namespace hone {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The place had it when the sweep went on; nobody here has its files.
SweepCell found_cell_for_test() {
  SweepCell cell = cell_for_test("acme/bert", "cpu");
  cell.status = CellStatus::done;
  cell.upload = "uploaded";
  cell.is_resumed = true;
  return cell;
}

SweepResult sweep_of(SweepCell cell) {
  SweepResult sweep;
  sweep.run_stamp = "20260609";
  sweep.targets.emplace_back().label = cell.label;
  sweep.cells = {std::move(cell)};
  return sweep;
}

TEST(SweepText, GivesNoSizeToACellWhoseFilesAreNotKnown) {
  const std::string text = describe_sweep(sweep_of(found_cell_for_test()));
  EXPECT_THAT(text, HasSubstr("acme/bert text-classification  -\n"));
}

TEST(SweepText, HasEveryErrorOfPublishingOnALineOfItsOwn) {
  SweepResult sweep = mixed_sweep();
  sweep.cells[1].upload_error = "'model.onnx' is not what its package promises\nits SHA-256 is x\n";
  const std::string text = describe_sweep(sweep);
  EXPECT_THAT(text, HasSubstr("'model.onnx' is not what its package promises; its SHA-256 is x\n"));
  EXPECT_THAT(text, Not(HasSubstr("\\n")));
}

TEST(SweepText, HasTheErrorsOfWhatCountsAsPublishedToo) {
  SweepResult sweep = mixed_sweep();
  sweep.cells[2].upload_error = "it is there already, with other files";
  EXPECT_THAT(describe_sweep(sweep), HasSubstr(": it is there already, with other files\n"));
}

TEST(SweepText, HasWhatFailedOnALineOfItsOwn) {
  SweepResult sweep = mixed_sweep();
  sweep.cells[3].failure->what = "the worker exited with 1\n  std::bad_alloc\x1b[31m";
  EXPECT_THAT(describe_sweep(sweep),
              HasSubstr("oom in build: the worker exited with 1; std::bad_alloc"));
  EXPECT_EQ(describe_sweep(sweep).find('\x1b'), std::string::npos);
}

TEST(BuildOnlyResults, SayWhatThePlaceHadBeforeItWasBuilt) {
  const SweepCell found = found_cell_for_test();
  const Json results = build_only_results(sweep_of(found), "models", "2026-06-09T00:00:00Z");
  ASSERT_NE(results.find(found.version), nullptr);
  const Json& cell = *results.find(found.version);
  ASSERT_NE(cell.find("source"), nullptr);
  EXPECT_EQ(*cell.find("source"), Json("feed"));
  EXPECT_EQ(*cell.find("upload_status"), Json("uploaded"));
}

TEST(BuildOnlyResults, SayNothingOfTheKindOfWhatAnEarlierRunBuilt) {
  SweepCell built = done_cell_for_test("acme/bert", "cpu");
  built.is_resumed = true;
  const Json results = build_only_results(sweep_of(built), "models", "2026-06-09T00:00:00Z");
  EXPECT_EQ(results.find(built.version)->find("source"), nullptr);
}

}  // namespace
}  // namespace hone
