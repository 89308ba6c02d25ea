#include "report/sweep/sweep_html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/sweep/sweeps_for_tests.h"

namespace hone {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST(SweepPage, SaysHowManyCellsAreDoneFailedAndPending) {
  const std::string page = sweep_page(mixed_sweep());
  EXPECT_THAT(page, HasSubstr("5 of 9 cells done, 3 failed, 1 pending"));
  EXPECT_THAT(page, HasSubstr("2 oom, 1 timeout"));
  EXPECT_THAT(page, HasSubstr("3.46 MiB for cells of 13.8 MiB, 25.0 %"));
  EXPECT_THAT(page, HasSubstr("61.5 s"));
}

TEST(SweepPage, LeadsFromEachCellOfTheMatrixToItsDetails) {
  const SweepResult sweep = mixed_sweep();
  const std::string page = sweep_page(sweep);
  for (std::size_t i = 0; i < sweep.cells.size(); ++i) {
    const std::string id = "cell-" + std::to_string(i) + "\"";
    EXPECT_EQ(count_of(page, "href=\"#" + id), 1u);
    EXPECT_EQ(count_of(page, "<div id=\"" + id), 1u);
  }
}

TEST(SweepPage, GivesEachStatusAsAWord) {
  const std::string page = sweep_page(mixed_sweep());
  for (const char* status : {"done", "failed", "pending"})
    EXPECT_THAT(page, HasSubstr("<span class=\"status " + std::string(status) + "\">" + status));
}

TEST(SweepPage, HasAllThatIsKnownOfACell) {
  const std::string page = sweep_page(mixed_sweep());
  for (const std::string& part :
       {std::string("0.0.0-20260609-qnn-npu-acme/bert"), std::string(64, 'b'),
        std::string("champion/model.onnx"), std::string("registry.example/models:bert"),
        "sha256:" + std::string(64, 'd'), std::string("out of memory"),
        std::string("the worker ended with signal 9"), std::string("no answer for 600 s"),
        std::string("accuracy pass"), std::string("3.25 ms"),
        std::string("the target has no preference"), std::string("an earlier run did it")})
    EXPECT_THAT(page, HasSubstr(part));
}

TEST(SweepPage, GivesNoSizeToACellWhoseFilesAreNotKnown) {
  SweepResult sweep;
  sweep.cells = {done_cell_for_test("acme/bert", "cpu")};
  sweep.cells[0].files.clear();
  sweep.cells[0].bytes = 0;
  const std::string page = sweep_page(sweep);
  EXPECT_THAT(page, HasSubstr("done</span><span class=\"line\">-</span>"));
  EXPECT_THAT(page, HasSubstr("<dt>Size</dt><dd>-</dd>"));
}

TEST(SweepPage, SetsEachKeptClaimAmongAllFinalTests) {
  const std::string page = sweep_page(mixed_sweep());
  EXPECT_THAT(page, HasSubstr("all 2 final tests"));
  EXPECT_THAT(page, HasSubstr("<td data-label=\"p\">0.031</td><td data-label=\"q\">0.062</td>"));
}

TEST(SweepPage, OfAClaimWithoutATestSaysThatItIsNotKnown) {
  SweepResult sweep = mixed_sweep();
  sweep.cells[0].p_value.reset();
  sweep.cells[0].q_value.reset();
  EXPECT_THAT(sweep_page(sweep), HasSubstr("<td data-label=\"q\">not known</td>"));
}

TEST(SweepPage, LeavesOutWhatThereIsNothingToSayAbout) {
  const std::string page = sweep_page({});
  EXPECT_THAT(page, HasSubstr("There is no cell."));
  EXPECT_THAT(page, HasSubstr("0 of 0 cells done"));
  EXPECT_THAT(page, Not(HasSubstr("id=\"claims\"")));
  EXPECT_THAT(page, Not(HasSubstr("id=\"notes\"")));
}

TEST(SweepPage, GivesACellOfAnUnknownTargetItsColumn) {
  SweepResult sweep = mixed_sweep();
  sweep.cells.push_back(done_cell_for_test("acme/bert", "ghost"));
  const std::string page = sweep_page(sweep);
  EXPECT_THAT(page, HasSubstr("<th scope=\"col\">ghost</th>"));
  EXPECT_EQ(count_of(page, "<td>-</td>"), 2u) << "the other models have no such cell";
}

TEST(SweepPage, NoTextOfASweepBecomesCode) {
  const std::string page = sweep_page(hostile_sweep());
  EXPECT_EQ(count_of(page, "<script"), 1u);
  EXPECT_EQ(count_of(page, "</script"), 1u);
  EXPECT_EQ(count_of(page, "<img"), 0u);
  EXPECT_GT(count_of(page, "&lt;img src=x"), 30u) << "the attack is shown as what it is";
  EXPECT_EQ(page.find('\x1b'), std::string::npos);
  EXPECT_EQ(page.find('\xff'), std::string::npos);
  EXPECT_EQ(count_of(page, "<style"), 1u);
  EXPECT_THAT(page, Not(HasSubstr(" style=")));
}

}  // namespace
}  // namespace hone
