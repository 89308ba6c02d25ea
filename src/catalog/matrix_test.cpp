#include "catalog/matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Matrix : public testing::Test {
 protected:
  Path write(const std::string& name, const std::string& text) {
    const Path file = folder_.path() / name;
    EXPECT_TRUE(write_file(file, text));
    return file;
  }
  std::string complaint(const std::string& models) {
    const auto read =
        read_catalog(write("c.json", R"({"schema_version": 1, "models": [)" + models + "]}"));
    return read ? "" : read.error().what + " / " + read.error().cause;
  }

  TemporaryFolder folder_ = TemporaryFolder::create("matrix").value();
};

std::vector<std::string> precisions(const SweepTarget& target, CatalogModel model = {}) {
  const auto chosen = recipe_of_cell(model, target, {});
  EXPECT_TRUE(chosen) << chosen.error().what;
  return chosen->recipe.quantize ? chosen->recipe.quantize->precisions : std::vector<std::string>();
}

TEST_F(Matrix, HasEightTargetsInTheirOrder) {
  std::vector<std::string> labels;
  for (const SweepTarget& target : default_targets()) labels.push_back(target.label);
  EXPECT_THAT(labels, ElementsAre("qnn_npu", "qnn_gpu", "ov_cpu", "ov_npu", "ov_gpu", "mlas_cpu",
                                  "dml_gpu", "vitisai_npu"));
}

TEST_F(Matrix, QuantizesForNpusUnlessTheEpDoesThatItself) {
  const std::vector<SweepTarget> targets = default_targets();
  EXPECT_THAT(precisions(targets[0]), ElementsAre("w8a16"));  // qnn_npu
  EXPECT_THAT(precisions(targets[1]), IsEmpty());             // qnn_gpu
  EXPECT_THAT(precisions(targets[3]), ElementsAre("w8a16"));  // ov_npu
  EXPECT_THAT(precisions(targets[5]), IsEmpty());             // mlas_cpu
  EXPECT_THAT(precisions(targets[7]), IsEmpty());             // vitisai_npu
}

TEST_F(Matrix, TakesTheModelsPrecisionButForEpsThatQuantizeThemselves) {
  const std::vector<SweepTarget> targets = default_targets();
  CatalogModel model;
  model.precision = "w8a8";
  EXPECT_THAT(precisions(targets[0], model), ElementsAre("w8a8"));
  EXPECT_THAT(precisions(targets[5], model), ElementsAre("w8a8"));
  const auto vitisai = recipe_of_cell(model, targets[7], {});
  EXPECT_FALSE(vitisai->recipe.quantize);
  EXPECT_THAT(vitisai->notes.front(), HasSubstr("'w8a8' is left out"));
}

TEST_F(Matrix, PutsAModelsOverridesOverTheRecipe) {
  CatalogModel model;
  model.overrides = Json::parse(R"({"opset": 19, "optimize": {"gelu_fusion": false}})").value();
  const auto chosen = recipe_of_cell(model, default_targets()[5], {});
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->recipe.opset, 19);
  EXPECT_FALSE(chosen->recipe.optimize.at("gelu_fusion"));
  model.overrides = Json::parse(R"({"opsett": 19})").value();
  EXPECT_THAT(recipe_of_cell(model, default_targets()[5], {}).error().what, HasSubstr("opsett"));
}

TEST_F(Matrix, RefusesOverridesThatTakeACellToAnotherTarget) {
  CatalogModel model;
  model.id = "a";
  model.overrides = Json::parse(R"({"target": {"ep": "qnn", "device": "npu"}})").value();
  EXPECT_THAT(recipe_of_cell(model, default_targets()[5], {}).error().what,
              HasSubstr("the overrides of 'a' change its target"));
  model.overrides = Json::parse(R"({"target": {"options": {"a": "b"}}})").value();
  EXPECT_TRUE(recipe_of_cell(model, default_targets()[0], {}));
}

TEST_F(Matrix, ReadsACatalogWhosePathsLeadThereFromAnywhere) {
  const Path file = write("c.json", R"({"schema_version": 1, "models": [
      {"id": "a/b", "model": "m/model.onnx", "task": "t", "priority": "P0", "data": "d"},
      {"id": "c", "model": "/x.onnx"}]})");
  const auto catalog = read_catalog(file);
  ASSERT_TRUE(catalog);
  EXPECT_EQ(catalog->models[0].model, (folder_.path() / "m/model.onnx").string());
  EXPECT_EQ(catalog->models[0].data, (folder_.path() / "d").string());
  EXPECT_EQ(catalog->models[1].model, "/x.onnx");
  EXPECT_EQ(
      models_that_match(*catalog, {.ids = {}, .tasks = {"t"}, .groups = {}, .priorities = {"P0"}})
          .size(),
      1U);
  EXPECT_THAT(models_that_match(*catalog,
                                {.ids = {"a/b"}, .tasks = {}, .groups = {}, .priorities = {"P1"}}),
              IsEmpty());
}

TEST_F(Matrix, RefusesACatalogThatCannotBeMeant) {
  EXPECT_THAT(complaint(R"({"id": "a", "model": "m"}, {"id": "a", "model": "n"})"),
              HasSubstr("'a' is in it twice"));
  EXPECT_THAT(complaint(R"({"id": "a", "model": "m", "priority": "P9"})"), HasSubstr("P0 to P3"));
  EXPECT_THAT(complaint(R"({"id": "a", "model": "https://x/m.onnx"})"),
              HasSubstr("nothing is fetched"));
  EXPECT_THAT(complaint(R"({"id": "a", "model": "m", "hf_id": "x"})"), HasSubstr("hf_id"));
  EXPECT_THAT(complaint(R"({"id": "", "model": "m"})"), HasSubstr("has no id"));
  EXPECT_THAT(complaint(R"({"id": "a", "model": "m", "overrides": 3})"), HasSubstr("no object"));
  EXPECT_THAT(complaint(R"({"id": "a", "model": "m", "overrides": {"target": {"ep": "qnn"}}})"),
              HasSubstr("change the target"));
  EXPECT_FALSE(read_catalog(folder_.path() / "nowhere.json"));
  const auto empty = read_catalog(write("empty.json", R"({"schema_version": 1})"));
  EXPECT_THAT(empty.error().what, HasSubstr("empty.json"));
}

TEST_F(Matrix, ReadsTargetsOfAFile) {
  const auto targets = read_targets(write("t.json", R"({"schema_version": 1, "targets": [
      {"label": "fast", "target": {"ep": "cpu"}, "precision": "w8a8",
       "slurm": {"partition": "main"}}]})"));
  ASSERT_TRUE(targets) << targets.error().what;
  EXPECT_THAT(precisions(targets->front()), ElementsAre("w8a8"));
  for (const char* bad : {R"([])", R"([{"label": "A b", "target": {"ep": "cpu"}}])",
                          R"([{"label": "a", "target": {"ep": "cpu"}},
                              {"label": "a", "target": {"ep": "qnn"}}])",
                          R"([{"label": "mlas_cpu", "target": {"ep": "qnn"}}])",
                          R"([{"label": "qnn_npu", "target": {"ep": "qnn", "device": "gpu"}}])"})
    EXPECT_FALSE(read_targets(
        write("t.json", std::string(R"({"schema_version": 1, "targets": )") + bad + "}")))
        << bad;
}

}  // namespace
}  // namespace hone
