// What one file and one line are enough for: samples.cpp adds one of each kind to its list and
// nothing else, and everything that speaks of the kind speaks of the sample.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/help.h"
#include "catalog/matrix.h"
#include "catalog/publisher.h"
#include "checkpoint/export.h"
#include "checkpoint/family.h"
#include "flow/search/known_names.h"
#include "inspect/analyze/fusions.h"
#include "inspect/analyze/suggest.h"
#include "inspect/eval/dataset.h"
#include "kinds/ep.h"
#include "measure/monitor.h"
#include "model/text/text.h"
#include "runtime/ep_doctor.h"
#include "runtime/ep_names.h"
#include "search/hypotheses.h"
#include "support/bundle_for_tests.h"
#include "support/ladder.h"
#include "support/weights.h"
#include "tests/registry/doc_tables.h"
#include "transform/capability.h"

namespace hone {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string help_of(std::string_view command) {
  return app::explain(*app::command_named(command).value(), Style(false));
}

// In one of the documentation's tables.
std::string table_named(std::string_view name) {
  for (const DocTable& table : doc_tables())
    if (table.name == name) return table.text;
  return {};
}

Target on(const std::string& ep, const std::string& device = "auto") {
  return {.ep = ep, .device = device, .options = {}};
}

Insight insight_on(const std::string& ep, const std::string& device) {
  Insight insight;
  insight.baseline.target = on(ep, device);
  insight.device = device;
  insight.features.matmul_share = 0.5;
  return insight;
}

auto has_hypothesis(const std::string& id) {
  return Field(&HypothesisSet::hypotheses, Contains(Field(&Hypothesis::id, id)));
}

// --- EP

TEST(ASampleEp, IsKnownByAllOfItsNames) {
  EXPECT_EQ(ep_short_name("SampleExecutionProvider"), "sample");
  EXPECT_EQ(ep_short_name("smp"), "sample");
  EXPECT_EQ(ep_own_name("sample"), "SampleExecutionProvider");
}

TEST(ASampleEp, IsInHelpAndInTheDocumentation) {
  EXPECT_THAT(help_of("perf"), HasSubstr("sample"));
  EXPECT_THAT(help_of("sweep"), HasSubstr("sample_npu"));
  EXPECT_THAT(table_named("eps"),
              HasSubstr("| `sample`, `smp` | Devices that are none | npu, gpu |"));
  EXPECT_THAT(table_named("ep tries"),
              HasSubstr("| `sample` | npu | `w7a7` with `sample_speed=11` |"));
  EXPECT_THAT(table_named("ep hazards"), HasSubstr("| `sample` | it does nothing |"));
  EXPECT_THAT(table_named("swept targets"), HasSubstr("| `sample_npu` | `sample` | npu |"));
}

TEST(ASampleEp, IsDiagnosedByWhatItNeeds) {
  System system;
  system.ort_libraries = {
      {.asked = "ort", .path = "/ort", .version = "1.30", .is_used = true, .reason = ""}};
  system.eps = {{"sample", EpState::absent, "", "", {}}};
  Surroundings around;
  around.find_library = [](const std::string& name) -> Result<Path> {
    return fail(Fault::not_found, name + " is not there");
  };
  around.variable = [](const std::string&) { return std::optional<std::string>(); };
  const Diagnosis diagnosis = diagnose(system, "sample", around);
  EXPECT_THAT(diagnosis.checks, Contains(Field(&Check::what, "sample library")));
  EXPECT_THAT(diagnosis.checks, Contains(Field(&Check::hint, "nobody has it")));
  EXPECT_THAT(diagnosis.hazards, ElementsAre("it does nothing"));
}

TEST(ASampleEp, HasARecipeATargetOfSweepsAndHypotheses) {
  const auto choice = choose_recipe(on("smp"), "auto", {});
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->recipe.target.ep, "sample");
  EXPECT_TRUE(choice->recipe.compile);
  EXPECT_EQ(choice->recipe.quantize->preset, "cpu");
  EXPECT_EQ(default_targets().back().label, "sample_npu");
  EXPECT_THAT(propose_hypotheses(insight_on("sample", "npu")),
              has_hypothesis("w7a7+sample_speed=11"));
}

// --- Precision

TEST(ASamplePrecision, IsTakenByRecipesAndOptions) {
  EXPECT_THAT(choose_precision(on("cpu"), "int7")->precisions, ElementsAre("w7a7"));
  EXPECT_THAT(choose_precision(on("cuda"), "auto")->precisions, ElementsAre("w7a7"));
  Recipe recipe;
  recipe.quantize.emplace().precisions = {"w7a7"};
  EXPECT_TRUE(check_recipe(recipe));
  EXPECT_THAT(choose_precision(on("cpu"), "w9a9").error().cause, HasSubstr("w7a7"));
  EXPECT_THAT(known_names().precisions, Contains("w7a7"));
}

TEST(ASamplePrecision, IsInHelpAndInTheDocumentation) {
  for (const char* command : {"build", "quantize", "debug"})
    EXPECT_THAT(help_of(command), HasSubstr("w7a7")) << command;
  EXPECT_THAT(table_named("precisions"), HasSubstr("| `w7a7`, `int7` | 7-bit weights"));
}

TEST(ASamplePrecision, IsTriedBySearchesWhereItMayBeFaster) {
  EXPECT_THAT(propose_hypotheses(insight_on("qnn", "npu")), has_hypothesis("w7a7"));
  const HypothesisSet on_cpu = propose_hypotheses(insight_on("cpu", "cpu"));
  EXPECT_THAT(on_cpu, Not(has_hypothesis("w7a7")));
  EXPECT_THAT(on_cpu.skips, Contains(Field(&SkippedHypothesis::reason, "a sample has no kernels")));
}

TEST(ASamplePrecision, IsHeldToItsWeightsAndItsFloorByEvidence) {
  Recipe recipe;
  recipe.quantize.emplace().precisions = {"w7a7"};
  EXPECT_EQ(weights_problem(recipe, {{"int8", 1000}}), "");
  EXPECT_THAT(weights_problem(recipe, {{"float", 1000}}), HasSubstr("it is called w7a7"));
  EXPECT_EQ(least_cosine_of(recipe), 0.5);
}

// --- Calibration method

TEST(ASampleMethod, IsTakenByRecipesAndInHelpAndInTheDocumentation) {
  Recipe recipe;
  recipe.quantize.emplace().precisions = {"w8a8"};
  recipe.quantize->method = "middle";
  EXPECT_TRUE(check_recipe(recipe));
  recipe.quantize->method = "midle";
  EXPECT_EQ(check_recipe(recipe).error().hint, "did you mean 'middle'?");
  for (const char* command : {"build", "quantize", "debug"})
    EXPECT_THAT(help_of(command), HasSubstr("percentile, middle")) << command;
  EXPECT_THAT(table_named("methods"), HasSubstr("| `middle` | The middle half of what was seen |"));
}

// --- Pass

constexpr auto idle_node = R"(<ir_version: 10, opset_import: ["" : 20]>
g (float[2] x) => (float[2] y) { i = Identity(x)  y = Relu(i) })";

TEST(ASamplePass, IsLookedForSuggestedAndTried) {
  Model model = parse_text(idle_node).value();
  const std::vector<FusionCandidate> fusions = find_fusions(model).value();
  EXPECT_THAT(fusions, Contains(Field(&FusionCandidate::capability, "sample_elimination")));
  const SuggestedCapabilities advice =
      suggest(fusions, on("cpu"), support_by(nullptr, "cpu", model.opset()));
  EXPECT_THAT(advice.suggestions, Contains(Field(&Suggestion::capability, "sample_elimination")));
  Insight insight = insight_on("cpu", "cpu");
  insight.fusions = fusions;
  EXPECT_THAT(propose_hypotheses(insight), has_hypothesis("sample-elimination"));
}

TEST(ASamplePass, IsTakenByRecipesAndFindingsAndInTheDocumentation) {
  Recipe recipe;
  recipe.optimize["sample_elimination"] = true;
  EXPECT_TRUE(check_recipe(recipe));
  EXPECT_EQ(find_capability("sample-eliminaton").error().hint,
            "did you mean 'sample-elimination'?");
  EXPECT_THAT(known_names().capabilities, Contains("sample_elimination"));
  EXPECT_THAT(table_named("capabilities"), HasSubstr("| `sample-elimination` | hone |"));
}

// --- Task

TEST(ASampleTask, IsJudgedAndHasData) {
  EXPECT_TRUE(find_task("sample-counting"));
  const TemporaryFolder folder = *TemporaryFolder::create("sample");
  DatasetRequest request;
  request.output = folder.path() / "data";
  const auto made = make_dataset(find_dataset("sample-things").value(), std::move(request));
  ASSERT_TRUE(made) << made.error().what;
  EXPECT_EQ(made->samples, 60u);
  EXPECT_EQ(find_task("sample-cuonting").error().hint, "did you mean 'sample-counting'?");
}

TEST(ASampleTask, IsWhatARecipeOfACatalogMayBeFor) {
  RecipeFile file = testing::good_recipe();
  file.task = "sample-counting";
  file.inputs = {{"x", "int64", std::vector<Json>{1, 8}}};
  file.data->kind = "sample-things";
  EXPECT_THAT(problems_of(file, {}), IsEmpty());
  file.data->kind = "digits";
  EXPECT_THAT(problems_of(file, {}), Contains(HasSubstr("digits are for image-classification")));
}

TEST(ASampleTask, IsInHelpAndInTheDocumentation) {
  EXPECT_THAT(help_of("eval"), HasSubstr("sample-counting"));
  EXPECT_THAT(help_of("eval"), HasSubstr("sample-things"));
  EXPECT_THAT(help_of("recipe"), HasSubstr("sample-counting"));
  EXPECT_THAT(table_named("tasks"), HasSubstr("| `sample-counting` | Things, each of which"));
  EXPECT_THAT(table_named("made data"),
              HasSubstr("| `sample-things` | `sample-counting` | Ones |"));
}

// --- Monitor

TEST(ASampleMonitor, TracesTheEpWhoseFileNamesItAndIsInTheDocumentation) {
  EXPECT_EQ(tracer_for("sample").name, "sample");
  EXPECT_THAT(find_monitor("nobody").error().cause, HasSubstr("sample"));
  EXPECT_THAT(table_named("monitors"), HasSubstr("| `sample` | What a sample does | operators |"));
}

// --- Publisher

TEST(ASampleFamily, ServesItsModelTypesAndIsInTheDocumentation) {
  ASSERT_NE(find_family("sample"), nullptr);
  EXPECT_EQ(find_family("sample")->name, "sample");
  EXPECT_THAT(table_named("families"), HasSubstr("| `sample` | `sample` | `feature-extraction` |"));
}

TEST(ASampleFamily, IsWhatACheckpointOfItIsExportedBy) {
  const TemporaryFolder folder = *TemporaryFolder::create("family");
  const std::string weights("\x02\0\0\0\0\0\0\0{}", 10);
  ASSERT_TRUE(write_file(folder.path() / "config.json", "{\"model_type\": \"sample\"}"));
  ASSERT_TRUE(write_file(folder.path() / "model.safetensors", weights));
  const auto exported = export_checkpoint(folder.path(), {});
  ASSERT_TRUE(exported) << exported.error().what << exported.error().cause;
  EXPECT_EQ(exported->family, "sample");
  EXPECT_EQ(exported->task, "feature-extraction");
}

TEST(ASamplePublisher, IsOpenedByItsSchemeAndInHelpAndInTheDocumentation) {
  EXPECT_EQ(open_destination("sample://here", {}).error().what, "a sample keeps nothing at 'here'");
  EXPECT_THAT(open_destination("nowhere", {}).error().hint, HasSubstr("sample://PLACE"));
  EXPECT_THAT(help_of("sweep"), HasSubstr("sample://PLACE"));
  EXPECT_THAT(help_of("pull"), HasSubstr("sample://PLACE:VERSION"));
  EXPECT_THAT(help_of("verify"), HasSubstr("sample://PLACE:VERSION"));
  EXPECT_THAT(table_named("publishers"), HasSubstr("| `sample://PLACE` | A place"));
}

}  // namespace
}  // namespace hone
