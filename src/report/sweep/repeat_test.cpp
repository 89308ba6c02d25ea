#include "report/sweep/repeat.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

CellOrder a_cell() {
  CellOrder cell;
  cell.model.model = "/m/my net.onnx";
  cell.folder = "/s/cells/net/cpu";
  cell.recipe.target = {.ep = "cpu", .device = "cpu", .options = {{"a", "b"}}};
  cell.recipe.session.threads = 2;
  return cell;
}

TEST(RepeatedCells, AreMeasuredByTheRecipeInTheirFolder) {
  CellOrder cell = a_cell();
  EXPECT_EQ(line_of_perf(cell, ""), "hone perf /s/cells/net/cpu");
  cell.model.input_data = "in.npz";
  cell.where.least_placement = 0.95;
  cell.where.host.ort = {"/o/libonnxruntime.so.1"};
  EXPECT_EQ(line_of_perf(cell, "x=1"),
            "hone perf /s/cells/net/cpu --input-data in.npz --shape-config x=1 "
            "--require-placement 0.95 --ort /o/libonnxruntime.so.1");
}

TEST(RepeatedCells, AreSearchedWithTheirGateToTheLastDigit) {
  CellOrder cell = a_cell();
  cell.model.task = "digits";
  cell.model.data = "/d";
  cell.max_drop = 1e-7;
  EXPECT_EQ(line_of_search({cell, "/s/search", "", 60}),
            "hone autoconfig '/m/my net.onnx' -o /s/search --overwrite --ep cpu --device cpu "
            "--ep-options a=b --threads 2 --task digits --data /d --max-drop 1e-07 "
            "--time-budget 60");
}

}  // namespace
}  // namespace hone
