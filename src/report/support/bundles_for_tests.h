#pragma once
// Bundles as tests of pages need them. All of it is made up: no figure here was measured.

#include "record/bundle.h"

namespace hone {

inline TierProof shown_tier(Tier tier) {
  TierProof proof;
  proof.tier = tier;
  proof.verdict = TierVerdict::pass;
  proof.commands = {"hone build model.onnx -c recipe.json -o work/build"};
  return proof;
}

inline Bundle shown_bundle() {
  Bundle bundle;
  bundle.recipe.model = "acme/reader";
  bundle.recipe.task = "text-recognition";
  bundle.recipe.precision = "w8a16";
  bundle.recipe.source.file = "reader.onnx";
  bundle.recipe.source.sha256 = std::string(64, 'a');
  bundle.index.target = "cpu";
  bundle.index.recipe = "recipes/acme_reader/cpu/text-recognition_w8a16.json";
  bundle.index.reached = Tier::l2;
  bundle.claim.goal = Tier::l3;
  bundle.ladder.tool_version = "0.1.0";
  bundle.ladder.ort_version = "1.30.0";
  bundle.ladder.machine = {{"cpu", "A processor"}, {"cores", "8"}, {"os", "A system"}};
  TierProof l0 = shown_tier(Tier::l0);
  l0.structure.emplace();
  l0.structure->model_sha256 = std::string(64, 'b');
  l0.structure->opset = 21;
  l0.structure->nodes = 142;
  l0.structure->checks = {{"opset", true, "21"}, {"weights", true, "w8a16"}};
  TierProof l1 = shown_tier(Tier::l1);
  RunProof& run = l1.runs.emplace_back();
  run.kind = RunClass::ran;
  run.p50_ms = 11.08;
  run.placement = 1;
  run.peak_bytes = 70 << 20;
  run.speed.emplace();
  run.speed->verdict = Verdict::faster;
  run.speed->ratio = 0.5;
  run.speed->interval = {0.42, 0.6};
  TierProof l3 = shown_tier(Tier::l3);
  l3.verdict = TierVerdict::cli_blocked;
  l3.reason = "the recipe names no data that hone makes for text-recognition";
  bundle.ladder.tiers = {l0, l1, shown_tier(Tier::l2), l3};
  bundle.artifacts.files = {{"model.onnx", std::string(64, 'c'), 8'869'430},
                            {"stages/1-normalize/model.onnx", std::string(64, 'd'), 8'967'757}};
  bundle.notes.surprises = {"One fusion does not hold its check."};
  return bundle;
}

// Everything in it that somebody else writes tries to become a part of the page.
inline Bundle hostile_bundle() {
  const std::string attack = "</script><img src=x onerror=window.attacked=1>\x1b[31m\"'&\xff";
  Bundle bundle = shown_bundle();
  for (std::string* text :
       {&bundle.recipe.model, &bundle.recipe.task, &bundle.recipe.precision, &bundle.index.target,
        &bundle.artifacts.files[0].path, &bundle.artifacts.files[0].sha256,
        &bundle.notes.surprises[0], &bundle.ladder.tiers[3].reason,
        &bundle.ladder.tiers[0].commands[0], &bundle.ladder.tiers[0].structure->checks[0].name,
        &bundle.ladder.tiers[0].structure->checks[0].detail,
        &bundle.ladder.tiers[1].runs[0].target.ep})
    *text += attack;
  bundle.ladder.machine[attack] = attack;
  return bundle;
}

}  // namespace hone
