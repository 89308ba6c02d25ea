#pragma once
// A finding that may rule out, and the situation in which it does: tests take away one thing.

#include <string>

#include "knowledge/situation.h"
#include "record/finding.h"

namespace hone {

inline FindingTrial trial_on(std::string model, std::string machine, char evidence) {
  return {.model = std::move(model),
          .model_fingerprint = {},
          .ep = "qnn",
          .device = "npu",
          .ep_version = "2.31.0",
          .ort_version = "1.24.5",
          .machine = std::move(machine),
          .hardware = {},
          .evidence = std::string(64, evidence)};
}

inline Finding confirmed_finding() {
  Finding finding;
  finding.id = "npu-100";
  finding.title = "Gelu fusion is slow";
  finding.category = FindingCategory::fusion_hazard;
  finding.status = FindingStatus::confirmed;
  finding.when.all.resize(2);
  finding.when.all[0].ep = "qnn";
  finding.when.all[1].pattern = "gelu_fusion";
  finding.change = Change{"optimize", {"gelu_fusion"}};
  finding.effect = FindingEffect{.direction = EffectDirection::slower,
                                 .ratio = 1.3,
                                 .interval = {1.2, 1.4},
                                 .sessions = 6,
                                 .method = EffectMethod::interleaved};
  finding.advice = FindingAdvice::skip;
  finding.observation = "It took longer.";
  finding.scope.validated_on = {trial_on("a.onnx", "left", 'a'), trial_on("b.onnx", "right", 'b')};
  finding.history = {{"2026-01-01", FindingAction::added, "as a draft"},
                     {"2026-01-02", FindingAction::promoted, "seen twice"}};
  return finding;
}

inline Situation matching_situation() {
  Situation situation;
  situation.ep = "qnn";
  situation.device = "npu";
  situation.ort_version = "1.24.2";
  situation.ep_version = "2.31.4";
  situation.precision = "fp32";
  situation.features = {{"opset", 17}, {"conv_share", 0.25}};
  situation.op_counts = {{"Conv", 3}};
  situation.patterns = {{"gelu_fusion", 2}};
  return situation;
}

}  // namespace hone
