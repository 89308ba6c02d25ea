#include "report/search/repeat.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

SearchArm an_arm(const std::string& model) {
  SearchArm arm;
  arm.built.emplace().model = model;
  arm.hypothesis.recipe.target = {.ep = "cpu", .device = "cpu", .options = {}};
  return arm;
}

TEST(Repeat, NamesAnArmByHowItRuns) {
  Recipe recipe;
  recipe.target = {.ep = "cuda", .device = "gpu", .options = {{"list", "1,2"}}};
  recipe.session.threads = 2;
  recipe.session.options = {{"execution_mode", "parallel"}};
  EXPECT_EQ(word_of_arm("fast", "a\\b.onnx", recipe),
            "fast:model=a\\\\b.onnx,ep=cuda,device=gpu,threads=2,"
            "session.execution_mode=parallel,option.list=1\\,2");
}

TEST(Repeat, BuildsByTheRecipeOfTheChampion) {
  EXPECT_EQ(line_of_build("my model.onnx", "search/champion/recipe.json"),
            "hone build 'my model.onnx' -c search/champion/recipe.json -o build");
}

TEST(Repeat, ComparesOnTheSameInputsWithTheSameLibraries) {
  const SearchArm baseline = an_arm("base.onnx");
  const SearchArm champion = an_arm("best.onnx");
  Host host;
  host.ort = {"/opt/libonnxruntime.so"};
  host.ep_libraries = {{"qnn", "/opt/qnn.so"}};
  EXPECT_EQ(line_of_compare({.baseline = baseline,
                             .champion = champion,
                             .margin = 0.025,
                             .seed = 7,
                             .input_data = "inputs.npz",
                             .shape_config = "x=1x3",
                             .host = host}),
            "hone compare --arm baseline:model=base.onnx,ep=cpu,device=cpu "
            "--arm champion:model=best.onnx,ep=cpu,device=cpu --margin 2.5 --seed 7 "
            "--input-data inputs.npz --shape-config x=1x3 --ort /opt/libonnxruntime.so "
            "--ep-library qnn=/opt/qnn.so");
}

TEST(Repeat, LeavesOutWhatNobodyChose) {
  const SearchArm arm = an_arm("a.onnx");
  Host host;
  host.ort = {"beside.so", "system.so"};
  EXPECT_EQ(line_of_compare({.baseline = arm,
                             .champion = an_arm("b.onnx"),
                             .margin = 0.01,
                             .seed = 0,
                             .input_data = {},
                             .shape_config = {},
                             .host = host}),
            "hone compare --arm baseline:model=a.onnx,ep=cpu,device=cpu "
            "--arm champion:model=b.onnx,ep=cpu,device=cpu --margin 1 --seed 0");
}

}  // namespace
}  // namespace hone
