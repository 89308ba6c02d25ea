#pragma once
// The survey itself, for survey.cpp and choose_target.cpp.

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "record/run_plan.h"
#include "runtime/ep_libraries.h"
#include "runtime/survey.h"
#include "runtime/worker.h"

namespace hone {

// What was found, before it is tried.
struct FoundEp {
  std::string name;          // the short name
  std::string library_name;  // both empty for a built-in EP
  std::string library;
  std::vector<std::string> device_types;
};

std::vector<FoundEp> eps_of(const std::vector<Device>& devices, const std::string& library_name,
                            const std::string& library);

// How opening the test model went on one device class.
struct SurveyTrial {
  std::string device;
  bool is_open = false;
  std::string reason;  // why not, or what to know
};

// The model of one node that EPs are tried with.
Status write_survey_model(const Path& file);

class Surveyor {
 public:
  Surveyor(const SurveyRequest& request, const SurveyLimits& limits, const SurveyProgress& progress)
      : request_(request), limits_(limits), progress_(progress) {}

  std::vector<OrtLibrary> find_runtimes();
  Status survey(System& system);
  Result<TargetChoice> choose(const std::vector<Target>& wanted);

 private:
  // Asks a worker of its own. An error's `what` is the reason to show.
  template <class Ask>
  auto in_worker(const std::string& doing, std::chrono::milliseconds limit, Ask ask)
      -> decltype(ask(std::declval<Worker&>()));

  RunPlan plan_with(const std::string& library_name, const std::string& library) const;
  OrtLibrary probe_runtime(const std::string& candidate);
  std::vector<FoundEp> register_library(const std::string& name, const std::string& path,
                                        System& system);
  EpLibraries libraries() const;
  void add_built_ins(std::vector<FoundEp>& eps, const System& system) const;
  Status find_first_runtime();
  void register_for(const std::string& ep, System& system, std::vector<FoundEp>& eps);
  RefusedTarget try_target(const Target& target, const std::vector<FoundEp>& eps,
                           const System& system, const Path& model);
  EpStatus prove(const FoundEp& ep, const Path& model);
  SurveyTrial open_on(const FoundEp& ep, const std::string& device, const Path& model);
  Result<WorkerOpened> open(const RunPlan& plan);
  bool takes_the_node(RunPlan plan, const Placement& placement);
  void add_absent(std::vector<EpStatus>& eps) const;
  bool is_wanted(const std::string& ep) const {
    return request_.only_ep.empty() || lowercase(request_.only_ep) == lowercase(ep);
  }

  const SurveyRequest& request_;
  const SurveyLimits& limits_;
  const SurveyProgress& progress_;
  std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::now() + limits_.total;
  std::string ort_;                   // the candidate in use
  WorkerProbed runtime_;              // what it offers without plugin libraries
  std::set<std::string> registered_;  // libraries that were, while choosing
};

}  // namespace hone
