#include "knowledge/confirmation.h"

#include <algorithm>

#include "knowledge/version.h"

namespace hone {
namespace {

bool is_like(const FindingTrial& trial, const Situation& situation) {
  const Situation target = target_of(trial);
  return target.ep == situation.ep && !device_of(target).empty() &&
         device_of(target) == device_of(situation) &&
         is_same_major(ep_version_of(target), ep_version_of(situation));
}

bool differ_for_sure(const std::string& a, const std::string& b) {
  return !a.empty() && !b.empty() && a != b;
}

// By what cannot change where that is known of either, else by name.
bool differ_for_sure(const std::optional<std::string>& a_key,
                     const std::optional<std::string>& b_key, const std::string& a_name,
                     const std::string& b_name) {
  if (a_key || b_key) return differ_for_sure(a_key.value_or(""), b_key.value_or(""));
  return differ_for_sure(a_name, b_name);
}

bool is_measured(EffectDirection direction) {
  return direction == EffectDirection::faster || direction == EffectDirection::slower ||
         direction == EffectDirection::equivalent;
}

// What differs by no more is the same: a smaller advantage is not worth a change.
constexpr double equivalence_margin = 0.05;

// Does the interval say the same as the direction?
bool is_shown(const FindingEffect& effect) {
  if (effect.interval.size() != 2) return false;
  const double low = effect.interval[0];
  const double high = effect.interval[1];
  if (effect.direction == EffectDirection::faster) return high < 1;
  if (effect.direction == EffectDirection::slower) return low > 1;
  return low >= 1 / (1 + equivalence_margin) && high <= 1 + equivalence_margin;
}

std::vector<std::string> missing_of_effect(const std::optional<FindingEffect>& effect) {
  if (!effect || effect->direction == EffectDirection::unknown) {
    return {"it claims no effect"};
  }
  std::vector<std::string> missing;
  if (!is_measured(effect->direction)) return missing;  // what fails needs no clock
  if (effect->method != EffectMethod::interleaved) {
    missing.push_back("its effect was measured " + std::string(name_of(effect->method)) +
                      ", not interleaved");
  }
  if (effect->interval.empty()) {
    missing.emplace_back("its effect has no interval");
  } else if (!is_shown(*effect)) {
    missing.push_back("its interval does not show that it is " +
                      std::string(name_of(effect->direction)));
  }
  return missing;
}

// A pair counts inside one major version of one EP on one device.
bool has_pair_somewhere(const std::vector<FindingTrial>& trials) {
  return std::ranges::any_of(trials, [&](const FindingTrial& trial) {
    return has_independent_pair(trials_like(trials, target_of(trial)));
  });
}

}  // namespace

Situation target_of(const FindingTrial& trial) {
  return {.ep = trial.ep,
          .device = trial.device,
          .ort_version = trial.ort_version,
          .ep_version = trial.ep_version};
}

bool are_independent(const FindingTrial& a, const FindingTrial& b) {
  const bool is_shown_twice = a.evidence && b.evidence && *a.evidence != *b.evidence;
  const bool is_other_machine =
      differ_for_sure(a.hardware, b.hardware, a.machine.value_or(""), b.machine.value_or(""));
  const bool is_other_model =
      differ_for_sure(a.model_fingerprint, b.model_fingerprint, a.model, b.model);
  return is_shown_twice && (is_other_machine || is_other_model);
}

bool has_independent_pair(const std::vector<FindingTrial>& trials) {
  for (std::size_t i = 0; i < trials.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (are_independent(trials[i], trials[j])) return true;
    }
  }
  return false;
}

std::vector<std::string> missing_for_confirmation(const Finding& finding) {
  std::vector<std::string> missing = missing_of_effect(finding.effect);
  if (!has_pair_somewhere(finding.scope.validated_on)) {
    missing.emplace_back(
        "it has not been seen twice independently: on different machines or models, both with "
        "evidence, in one major version of the EP");
  }
  for (const FindingTrial& trial : finding.scope.validated_on) {
    const FindingTrial* against = counterexample(finding, target_of(trial));
    if (against == nullptr) continue;
    missing.push_back("it was falsified on " + against->model +
                      ": a narrower finding has to take its place");
    break;
  }
  return missing;
}

std::vector<FindingTrial> trials_like(const std::vector<FindingTrial>& trials,
                                      const Situation& situation) {
  std::vector<FindingTrial> alike;
  for (const FindingTrial& trial : trials) {
    if (is_like(trial, situation)) alike.push_back(trial);
  }
  return alike;
}

const FindingTrial* counterexample(const Finding& finding, const Situation& situation) {
  const auto is_against = [&](const FindingTrial& trial) {
    const Situation target = target_of(trial);
    const std::string there = ep_version_of(target);
    const std::string here = ep_version_of(situation);
    const bool is_other_major = !there.empty() && !here.empty() && !is_same_major(there, here);
    return target.ep == situation.ep && !is_other_major &&
           !differ_for_sure(device_of(target), device_of(situation));
  };
  const auto found = std::ranges::find_if(finding.scope.falsified_on, is_against);
  return found == finding.scope.falsified_on.end() ? nullptr : &*found;
}

bool is_covered(const Finding& finding, const Situation& situation) {
  const std::vector<FindingTrial> alike = trials_like(finding.scope.validated_on, situation);
  return std::ranges::any_of(alike, [&](const FindingTrial& trial) {
    return is_same_minor(trial.ort_version, situation.ort_version) &&
           is_same_minor(ep_version_of(target_of(trial)), ep_version_of(situation));
  });
}

}  // namespace hone
