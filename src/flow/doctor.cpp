#include "flow/doctor.h"

#include <unistd.h>

#include <algorithm>

#include "base/machine.h"
#include "base/text.h"
#include "flow/where.h"
#include "kinds/ep.h"
#include "measure/doctor.h"
#include "runtime/ep_doctor.h"
#include "runtime/ep_names.h"
#include "runtime/worker.h"

namespace hone {
namespace {

// A driver's library may do anything when it is loaded, so a worker of its own loads it.
Result<Path> find_in_worker(const Path& program, const std::string& library) {
  WorkerLimits limits;
  limits.probe = SurveyLimits{}.loading;
  HONE_TRY(Worker worker, Worker::start(program, limits));
  auto path = worker.find_library(library);
  if (!path && worker.is_gone())
    return fail(path.error().fault, library + ": " + path.error().what);
  return path;
}

Surroundings surroundings(const SurveyRequest& request, const EnvironmentVariable& variable,
                          const Watch& watch) {
  Surroundings around;
  around.ep_folders = request.ep_folders;
  around.find_library = [program = Path(request.program), &watch](const std::string& name) {
    watch.step("looking for " + name);
    return find_in_worker(program, name);
  };
  around.variable = variable;
  around.may_open = [](const Path& node) { return ::access(node.c_str(), R_OK | W_OK) == 0; };
  return around;
}

// The survey's own spelling of the name.
Result<std::string> find_ep(const System& system, const std::string& name) {
  const auto found = std::ranges::find(system.eps, lowercase(name),
                                       [](const EpStatus& ep) { return lowercase(ep.name); });
  if (found != system.eps.end()) return found->name;
  const std::string near = nearest(name, ep_names());
  return fail(
      Fault::bad_input,
      "there is no EP '" + name + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"), {},
      "`hone sys` lists EPs; --ep-library NAME=PATH adds a plugin EP");
}

SurveyProgress tell(const Watch& watch) {
  return [&watch](const std::string& doing) { watch.step(doing); };
}

}  // namespace

Diagnosis diagnose_machine(const Host& host, const Watch& watch) {
  Diagnosis diagnosis;
  diagnosis.checks = check_machine(read_machine());
  diagnosis.checks.insert(diagnosis.checks.begin(),
                          check_runtime(survey_runtimes(survey_request(host), {}, tell(watch))));
  return diagnosis;
}

Result<Diagnosis> diagnose_ep(const Host& host, const std::string& name,
                              const EnvironmentVariable& variable, const Watch& watch) {
  SurveyRequest request = survey_request(host);
  request.only_ep = ep_short_name(name);
  HONE_TRY(const System system, survey_system(request, {}, tell(watch)));
  HONE_TRY(const std::string ep, find_ep(system, request.only_ep));
  return diagnose(system, ep, surroundings(request, variable, watch));
}

}  // namespace hone
