#pragma once
// A bundle as tests need it. All of it is made up: no figure here was measured.

#include "record/analyze.h"
#include "record/recipe_hash.h"
#include "support/bundle.h"
#include "support/recipe_file.h"

namespace hone::testing {

inline RecipeFile good_recipe() {
  RecipeFile file;
  file.model = "acme/reader";
  file.task = "text-recognition";
  file.precision = "w8a16";
  file.source = {.file = "reader.onnx",
                 .sha256 = std::string(64, 'a'),
                 .skeleton = {},
                 .statistics = {},
                 .seed = 0,
                 .checkpoint = {}};
  file.recipe.target.ep = "cpu";
  file.recipe.quantize.emplace();
  file.recipe.quantize->precisions = {"w8a16"};
  file.opset = 21;
  file.inputs = {{"x", "float", std::vector<Json>{1, 3, 48, 320}}};
  file.outputs = {{"y", "float", std::vector<Json>{1, 40, 97}}};
  file.data = DataRecipe{.kind = "text-lines", .count = 600, .seed = 1};
  file.max_drop = 0.01;
  return file;
}

inline Comparison good_race() {
  Comparison race;
  race.verdict = Verdict::faster;
  race.ratio = 0.6;
  race.interval = {0.5, 0.7};
  race.sessions = 6;
  race.pairs = 48;
  ComparedArm& arm = race.arms.emplace_back();
  arm.name = "built";
  arm.verdict = race.verdict;
  arm.ratio = race.ratio;
  arm.interval = race.interval;
  return race;
}

inline TierProof passed(Tier tier, const char* command) {
  TierProof proof;
  proof.tier = tier;
  proof.verdict = TierVerdict::pass;
  proof.commands = {command};
  return proof;
}

inline Ladder good_ladder(const RecipeFile& file) {
  Ladder ladder;
  ladder.recipe_sha256 = hash_of(file.recipe);
  ladder.source_sha256 = file.source.sha256;
  ladder.tool_version = "0.1.0";
  ladder.ort_version = "1.30.0";
  ladder.machine = {
      {"cpu", "Imagined 1"}, {"cores", "2"}, {"tool_version", "0.1.0"}, {"ort_version", "1.30.0"}};
  TierProof l0 = passed(Tier::l0, "hone build");
  l0.structure = StructureProof{.model_sha256 = std::string(64, 'b'),
                                .opset = 21,
                                .nodes = 100,
                                .weight_bytes = {{"int8", 1000}, {"float", 40}},
                                .checks = {{"opset", true, "21"}}};
  TierProof l1 = passed(Tier::l1, "hone perf");
  RunProof run;
  run.kind = RunClass::ran;
  run.p50_ms = 8.0;
  run.runs = 50;
  run.placement = 1.0;
  run.peak_bytes = 1 << 20;
  run.speed = good_race();
  RunProof absent;
  absent.target.ep = "qnn";
  absent.kind = RunClass::host;
  absent.reason = "there is no such EP here";
  l1.runs = {run, absent};
  TierProof l2 = passed(Tier::l2, "hone eval");
  OutputComparison output{.output = "y", .samples = 32};
  output.cosine = Estimate{.value = 0.98, .low = 0.97, .high = 0.99, .samples = 32};
  l2.parity = ParityProof{.least_cosine = 0.95, .seed = 0, .samples = 32, .outputs = {output}};
  TierProof l3 = passed(Tier::l3, "hone eval");
  EvalMetric metric;
  metric.name = "exact_line";
  metric.model = {.value = 0.968, .low = 0.95, .high = 0.98, .samples = 600};
  metric.reference = Estimate{.value = 0.97, .low = 0.95, .high = 0.98, .samples = 600};
  metric.difference.emplace();
  metric.difference->value = -0.002;
  metric.difference->low = -0.006;
  metric.difference->high = 0.003;
  l3.task = TaskProof{
      .metric = metric, .max_drop = 0.01, .samples = 600, .data_sha256 = std::string(64, 'd')};
  ladder.tiers = {l0, l1, l2, l3};
  return ladder;
}

inline Bundle good_bundle() {
  Bundle bundle;
  bundle.recipe = good_recipe();
  bundle.ladder = good_ladder(bundle.recipe);
  bundle.index = {.model = bundle.recipe.model,
                  .task = bundle.recipe.task,
                  .target = "cpu",
                  .precision = "w8a16",
                  .recipe = recipe_path(bundle.recipe).generic_string(),
                  .reached = Tier::l3};
  bundle.artifacts.files = {{"model.onnx", std::string(64, 'c'), 1000}};
  bundle.receipt.model = bundle.recipe.source.file;
  bundle.receipt.model_sha256 = bundle.recipe.source.sha256;
  bundle.receipt.recipe = bundle.recipe.recipe;
  bundle.receipt.recipe_sha256 = bundle.ladder.recipe_sha256;
  bundle.receipt.tool_version = "0.1.0";
  bundle.receipt.ort_version = "1.30.0";
  bundle.receipt.stages.emplace_back();
  bundle.receipt.stages.back().name = "normalize";
  bundle.receipt.stages.back().status = StageStatus::done;
  bundle.receipt.final_artifact = "model.onnx";
  bundle.receipt.final_sha256 = std::string(64, 'b');
  Analysis analysis;
  analysis.target = bundle.recipe.recipe.target;
  bundle.coverage = to_document(analysis, analyze_schema_version);
  bundle.claim = {.model = bundle.recipe.model,
                  .task = bundle.recipe.task,
                  .effort = Effort::l0,
                  .goal = Tier::l3,
                  .outcome = OutcomeLevel::l0,
                  .recipe_template = "recipes/acme_other/cpu/text-recognition_w8a16.json",
                  .changes = {bundle.index.recipe}};
  bundle.notes = {.surprises = {}, .without_friction = true};
  bundle.manifest = {.model = bundle.recipe.model, .task = bundle.recipe.task, .files = {}};
  return bundle;
}

}  // namespace hone::testing
