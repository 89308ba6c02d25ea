#pragma once
// A family of two findings, without problems: tests take away one thing.

#include <string>
#include <utility>

#include "knowledge/family.h"

namespace hone {

inline ModelTrial tried(std::string model, std::string precision = "fp32", std::string ep = "cpu") {
  return {.model = std::move(model), .precision = std::move(precision), .ep = std::move(ep)};
}

inline ModelFinding claim(std::string title, ModelTrial trial) {
  ModelFinding finding;
  finding.title = std::move(title);
  finding.observation = "It was seen.";
  finding.scope.validated_on = {std::move(trial)};
  finding.effort = "L0";
  finding.evidence = {{"receipt.json", std::string(64, 'a')}};
  finding.date = "2026-06-25";
  return finding;
}

inline FamilyKnowledge small_family() {
  FamilyKnowledge family{.family = "bert", .model_type = "bert"};
  family = *appended(std::move(family), claim("Attention fuses", tried("bert-tiny")));
  return *appended(std::move(family), claim("w8a8 keeps it", tried("bert-tiny", "w8a8")));
}

}  // namespace hone
