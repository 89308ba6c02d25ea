#include "runtime/survey.h"

#include <algorithm>

#include "base/text.h"
#include "kinds/ep.h"
#include "model/text/text.h"
#include "runtime/ep_libraries.h"
#include "runtime/ep_names.h"
#include "runtime/surveyor.h"

namespace hone {
namespace {

using std::chrono::milliseconds;

// One float Add: the op that no accelerator leaves out. The opset is old enough for every runtime.
constexpr std::string_view test_model = R"(
  <ir_version: 8, opset_import: ["" : 17]>
  survey (float[1,8] x) => (float[1,8] y) { y = Add(x, x) }
)";

std::string last_line(std::string_view text) {
  std::string last;
  for (const std::string& line : split(text, '\n')) {
    if (!line.empty()) last = line;
  }
  return last;
}

// A worker that is gone tells how it ended, and its last words; one that answers says what was
// wrong.
std::string reason_of(const Error& error, bool is_gone) {
  if (!is_gone) return error.cause.empty() ? error.what : error.cause;
  const std::string words = last_line(error.cause);
  return words.empty() ? error.what : error.what + "; its last words: " + words;
}

// What a message says of a library once more begins with the library's name.
std::string without_name(std::string reason, const std::string& name) {
  while (reason.starts_with(name + ": ")) reason.erase(0, name.size() + 2);
  return reason;
}

// The devices of `all` that are not in `known`, each as often as it is there more.
std::vector<Device> beyond(std::vector<Device> all, const std::vector<Device>& known) {
  for (const Device& device : known) {
    const auto found = std::ranges::find(all, device);
    if (found != all.end()) all.erase(found);
  }
  return all;
}

constexpr auto no_fallback_key = "session.disable_cpu_ep_fallback";

// "gpu, npu: no driver; cpu: ...", or the reason alone where all device classes share it.
std::string join_reasons(const std::vector<SurveyTrial>& trials) {
  std::vector<std::pair<std::string, std::vector<std::string>>> devices_by_reason;
  for (const SurveyTrial& trial : trials) {
    auto group = std::ranges::find(devices_by_reason, trial.reason,
                                   &decltype(devices_by_reason)::value_type::first);
    if (group == devices_by_reason.end())
      group = devices_by_reason.insert(group, {trial.reason, {}});
    group->second.push_back(trial.device);
  }
  if (devices_by_reason.size() == 1) return devices_by_reason.front().first;
  std::vector<std::string> parts;
  for (const auto& [reason, devices] : devices_by_reason) {
    if (!reason.empty()) parts.push_back(join(devices, ", ") + ": " + reason);
  }
  return join(parts, "; ");
}

EpStatus judge(const FoundEp& ep, const std::vector<SurveyTrial>& trials) {
  const bool is_usable = std::ranges::any_of(trials, &SurveyTrial::is_open);
  return {ep.name, is_usable ? EpState::primary : EpState::failed, join_reasons(trials), ep.library,
          ep.device_types};
}

}  // namespace

std::vector<FoundEp> eps_of(const std::vector<Device>& devices, const std::string& library_name,
                            const std::string& library) {
  std::vector<FoundEp> eps;
  for (const Device& device : devices) {
    const std::string name = ep_short_name(device.ep);
    auto found = std::ranges::find(eps, name, &FoundEp::name);
    if (found == eps.end()) found = eps.insert(eps.end(), FoundEp{name, library_name, library, {}});
    if (std::ranges::find(found->device_types, device.type) == found->device_types.end())
      found->device_types.push_back(device.type);
  }
  return eps;
}

Status write_survey_model(const Path& file) {
  HONE_TRY(const Model model, parse_text(test_model));
  HONE_TRY_DO(save_model(model, file));
  return done();
}

template <class Ask>
auto Surveyor::in_worker(const std::string& doing, milliseconds limit, Ask ask)
    -> decltype(ask(std::declval<Worker&>())) {
  if (progress_) progress_(doing);
  const auto left =
      std::chrono::duration_cast<milliseconds>(end_ - std::chrono::steady_clock::now());
  if (left <= milliseconds(0)) {
    return fail(Fault::timeout, "not tried: the time of the whole survey was over");
  }
  WorkerLimits limits;
  limits.open = limits.probe = limits.block = std::min(limit, left);
  HONE_TRY(Worker worker, Worker::start(request_.program, limits));
  auto answer = ask(worker);
  if (answer) return answer;
  return fail(answer.error().fault, reason_of(answer.error(), worker.is_gone()));
}

RunPlan Surveyor::plan_with(const std::string& library_name, const std::string& library) const {
  RunPlan plan;
  plan.ort = {ort_};
  if (!library_name.empty()) plan.ep_libraries = {{library_name, library}};
  return plan;
}

OrtLibrary Surveyor::probe_runtime(const std::string& candidate) {
  OrtLibrary library;
  library.asked = candidate;
  RunPlan plan;
  plan.ort = {candidate};
  auto probed = in_worker("loading '" + candidate + "'", limits_.loading,
                          [&](Worker& worker) { return worker.probe(plan); });
  if (!probed) {
    library.reason = without_name(probed.error().what, candidate);
    return library;
  }
  library.path = probed->ort_path;
  library.version = probed->ort_version;
  library.is_used = ort_.empty();
  if (library.is_used) {
    ort_ = candidate;
    runtime_ = std::move(*probed);
  }
  return library;
}

std::vector<OrtLibrary> Surveyor::find_runtimes() {
  std::vector<OrtLibrary> libraries;
  for (const std::string& candidate : request_.ort) libraries.push_back(probe_runtime(candidate));
  return libraries;
}

std::vector<FoundEp> Surveyor::register_library(const std::string& name, const std::string& path,
                                                System& system) {
  auto probed = in_worker("registering '" + name + "'", limits_.loading,
                          [&](Worker& worker) { return worker.probe(plan_with(name, path)); });
  std::string reason;
  std::vector<FoundEp> eps;
  if (!probed) {
    reason = probed.error().what;
  } else {
    const std::vector<Device> devices = beyond(std::move(probed->devices), runtime_.devices);
    system.devices.insert(system.devices.end(), devices.begin(), devices.end());
    eps = eps_of(devices, name, path);
    if (eps.empty()) reason = "it registers, and finds no device of its own on this machine";
  }
  if (!reason.empty())
    system.eps.push_back({ep_short_name(name), EpState::failed, reason, path, {}});
  return eps;
}

EpLibraries Surveyor::libraries() const {
  return with_found_libraries(request_.ep_libraries,
                              library_folders(request_.ep_folders, runtime_.ort_path));
}

// Built-in EPs that offer no device. Where a plugin library brings the EP with a device, that is
// the one sessions are opened on; where it could not be registered, that is said already.
void Surveyor::add_built_ins(std::vector<FoundEp>& eps, const System& system) const {
  for (const std::string& own_name : runtime_.built_in_eps) {
    const std::string name = ep_short_name(own_name);
    const bool is_there = std::ranges::find(eps, name, &FoundEp::name) != eps.end() ||
                          std::ranges::find(system.eps, name, &EpStatus::name) != system.eps.end();
    if (!is_there) eps.push_back({name, {}, {}, {}});
  }
}

Result<WorkerOpened> Surveyor::open(const RunPlan& plan) {
  return in_worker("opening a model on " + plan.target.ep, limits_.opening, [&](Worker& worker) {
    auto opened = worker.open(plan);
    // In good order where that works: a device may mind a process that is killed.
    if (opened) (void)worker.close();
    return opened;
  });
}

// ONNX Runtime tells the placement from 1.24 on, and even then not of every EP: WebGPU's nodes are
// missing in 1.30. Where it tells nothing, a session that may not fall back to the CPU does.
bool Surveyor::takes_the_node(RunPlan plan, const Placement& placement) {
  if (plan.target.ep == "cpu") return true;
  if (placement.total_nodes() > 0) return placement.share_of(plan.target.ep).value_or(0) > 0;
  plan.session_options[no_fallback_key] = "1";
  return open(plan).has_value();
}

SurveyTrial Surveyor::open_on(const FoundEp& ep, const std::string& device, const Path& model) {
  RunPlan plan = plan_with(ep.library_name, ep.library);
  plan.model = model.string();
  plan.target.ep = ep.name;
  plan.target.device = device;
  // Our probe writes the graph it is shown, and must be told where.
  if (ep.name == "HoneProbe")
    plan.target.options = {{"dump", (model.parent_path() / "graph.json").string()}};
  const auto opened = open(plan);
  if (!opened) return {device, false, opened.error().what};
  if (takes_the_node(plan, opened->placement)) return {device, true, {}};
  return {device, true, "it opens, and left the test model (one float Add) to the CPU"};
}

EpStatus Surveyor::prove(const FoundEp& ep, const Path& model) {
  if (ep.device_types.empty() && ep_append_name(ep.name).empty()) {
    return judge(ep, {{"", false, "it is built in, and offers no device on this machine"}});
  }
  std::vector<SurveyTrial> trials;
  for (const std::string& device : ep.device_types) trials.push_back(open_on(ep, device, model));
  if (trials.empty()) trials.push_back(open_on(ep, "auto", model));
  return judge(ep, trials);
}

namespace {

// The order of the table of EPs, then as found.
void put_in_order(std::vector<EpStatus>& eps) {
  const std::vector<std::string> names = ep_names();
  std::ranges::stable_sort(eps, {},
                           [&](const EpStatus& ep) { return std::ranges::find(names, ep.name); });
}

}  // namespace

void Surveyor::add_absent(std::vector<EpStatus>& eps) const {
  const std::string reason = ort_.empty() ? "no ONNX Runtime could be loaded" : "";
  for (const std::string& name : ep_names()) {
    const bool is_there = std::ranges::find(eps, name, &EpStatus::name) != eps.end();
    if (!is_there && is_wanted(name)) eps.push_back({name, EpState::absent, reason, {}, {}});
  }
}

Status Surveyor::survey(System& system) {
  system.ort_libraries = find_runtimes();
  if (!ort_.empty()) {
    HONE_TRY(const TemporaryFolder folder, TemporaryFolder::create("survey"));
    const Path model_file = folder.path() / "survey.onnx";
    HONE_TRY_DO(write_survey_model(model_file));
    system.devices = runtime_.devices;
    std::vector<FoundEp> eps = eps_of(runtime_.devices, {}, {});
    for (const auto& [name, path] : libraries()) {
      for (FoundEp& ep : register_library(name, path, system)) eps.push_back(std::move(ep));
    }
    add_built_ins(eps, system);
    for (const FoundEp& ep : eps) {
      if (is_wanted(ep.name)) system.eps.push_back(prove(ep, model_file));
    }
  }
  add_absent(system.eps);
  put_in_order(system.eps);
  return done();
}

std::vector<OrtLibrary> survey_runtimes(const SurveyRequest& request, const SurveyLimits& limits,
                                        const SurveyProgress& progress) {
  return Surveyor(request, limits, progress).find_runtimes();
}

Result<System> survey_system(const SurveyRequest& request, const SurveyLimits& limits,
                             const SurveyProgress& progress) {
  System system;
  system.machine = read_machine();
  HONE_TRY_DO(Surveyor(request, limits, progress).survey(system));
  return system;
}

}  // namespace hone
