// Which of several targets works here.

#include <algorithm>

#include "kinds/ep.h"
#include "runtime/ep_names.h"
#include "runtime/surveyor.h"
#include "runtime/target.h"

namespace hone {

Status Surveyor::find_first_runtime() {
  std::vector<std::string> reasons;
  for (const std::string& candidate : request_.ort) {
    const OrtLibrary library = probe_runtime(candidate);
    if (library.is_used) return done();
    reasons.push_back(candidate + ": " + library.reason);
  }
  return fail(Fault::not_found, Trouble::absent, "there is no ONNX Runtime", join(reasons, "; "),
              "set HONE_ORT or --ort to libonnxruntime.so of version 1.22 or newer");
}

// The libraries that may bring the EP: its own, and those whose names say nothing.
void Surveyor::register_for(const std::string& ep, System& system, std::vector<FoundEp>& eps) {
  for (const auto& [name, path] : libraries()) {
    if (registered_.contains(name) || (ep_short_name(name) != ep && find_ep(name) != nullptr))
      continue;
    registered_.insert(name);
    for (FoundEp& found : register_library(name, path, system)) eps.push_back(std::move(found));
  }
}

// An empty reason is a target that works. One that a session opens by name has to take the node:
// nothing else shows on what it runs.
RefusedTarget Surveyor::try_target(const Target& target, const std::vector<FoundEp>& eps,
                                   const System& system, const Path& model) {
  std::string reason;
  for (const FoundEp& ep : eps) {
    if (ep.name != target.ep) continue;
    if (std::ranges::find(ep.device_types, target.device) == ep.device_types.end()) {
      reason = "it has no " + target.device + " here";
      continue;
    }
    const SurveyTrial trial = open_on(ep, target.device, model);
    return {target, true, trial.is_open ? "" : trial.reason};
  }
  if (!reason.empty()) return {target, true, reason};
  const auto failed = std::ranges::find(system.eps, target.ep, &EpStatus::name);
  if (failed != system.eps.end()) return {target, true, failed->reason};
  if (!offered_devices(runtime_, target)) return {target, false, "it is not here"};
  const SurveyTrial trial = open_on({target.ep, {}, {}, {}}, target.device, model);
  return {target, true, trial.reason};
}

Result<TargetChoice> Surveyor::choose(const std::vector<Target>& wanted) {
  HONE_TRY_DO(find_first_runtime());
  HONE_TRY(const TemporaryFolder folder, TemporaryFolder::create("survey"));
  const Path model = folder.path() / "survey.onnx";
  HONE_TRY_DO(write_survey_model(model));
  System system;
  std::vector<FoundEp> eps = eps_of(runtime_.devices, {}, {});
  TargetChoice choice;
  for (const Target& target : wanted) {
    register_for(target.ep, system, eps);
    RefusedTarget tried = try_target(target, eps, system, model);
    if (tried.reason.empty()) {
      choice.first = target;
      break;
    }
    choice.before.push_back(std::move(tried));
  }
  return choice;
}

Result<TargetChoice> choose_target(const SurveyRequest& request, const std::vector<Target>& wanted,
                                   const SurveyLimits& limits, const SurveyProgress& progress) {
  return Surveyor(request, limits, progress).choose(wanted);
}

}  // namespace hone
