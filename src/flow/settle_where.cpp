// Which target is meant.

#include <algorithm>
#include <array>

#include "base/misuse.h"
#include "base/text.h"
#include "flow/where.h"
#include "kinds/ep.h"
#include "record/target_name.h"
#include "report/system/reason.h"
#include "runtime/ep_names.h"
#include "runtime/target.h"
#include "runtime/worker.h"

namespace hone {
namespace {

constexpr std::array<std::string_view, 3> classes = {"npu", "gpu", "cpu"};

// The EPs that libraries offer besides the CPU's; an empty library name asks for all of them.
Result<std::vector<std::string>> eps_of_libraries(const Host& host, const std::string& only) {
  RunPlan plan;
  plan.ort = host.ort;
  for (const auto& [name, path] : host.ep_libraries)
    if (only.empty() || name == only) plan.ep_libraries.emplace(name, path);
  HONE_TRY(Worker worker, Worker::start(host.program, {}));
  HONE_TRY(const WorkerProbed probed, worker.probe(plan));
  std::vector<std::string> names;
  for (const Device& device : probed.devices) {
    std::string name = ep_short_name(device.ep);
    const bool is_new = std::ranges::find(names, name) == names.end();
    if (is_new && name != "cpu") names.push_back(std::move(name));
  }
  return names;
}

Failure no_such_ep(const std::string& name, const std::string& problem) {
  const std::vector<std::string> known = ep_names();
  const std::string near = nearest(name, known);
  return fail(Fault::bad_input,
              "there is no EP '" + printable(name) + "'" +
                  (near.empty() ? "" : "; did you mean '" + near + "'?"),
              problem.empty() ? "hone knows " + join(known, ", ") : problem,
              "`hone sys` lists what is here; --ep-library NAME=PATH adds the EP of a library");
}

// A name that is not in the table: that of an EP in a library, or of the library of one EP.
Result<std::string> name_in_libraries(const std::string& name, const Host& host) {
  const auto is_it = [&](const std::string& offered) {
    return lowercase(offered) == lowercase(name);
  };
  const bool is_library = host.ep_libraries.contains(name);
  const auto offered = eps_of_libraries(host, is_library ? name : "");
  if (!offered) return no_such_ep(name, is_library ? offered.error().what : "");
  const auto found = std::ranges::find_if(*offered, is_it);
  if (found != offered->end()) return *found;
  if (is_library && offered->size() == 1) return offered->front();
  return no_such_ep(name, offered->empty() ? "" : "libraries offer " + join(*offered, ", "));
}

Result<std::string> name_of_ep(const std::string& name, const Host& host) {
  if (const Ep* known = find_ep(name)) return std::string(known->name);
  return name_in_libraries(name, host);
}

std::vector<std::string> names_for(std::string_view device) {
  std::vector<std::string> names;
  for (const Ep* ep : eps_for(device)) names.emplace_back(ep->name);
  return names;
}

Status check_device(const std::string& name, const std::string& device) {
  const Ep* known = find_ep(name);
  if (known == nullptr || is_left_open(device) || runs_on(*known, lowercase(device))) return done();
  const std::vector<std::string> has(known->devices.begin(), known->devices.end());
  const std::vector<std::string> others = names_for(lowercase(device));
  return fail(Fault::bad_input,
              name + " has no " + printable(device) + ": it runs on " + join(has, ", "), {},
              others.empty() ? "`hone sys` lists EPs and their devices"
                             : "--ep with one that has: " + join(others, ", "));
}

// The target of every EP with a place in the classes that were asked for, best first.
std::vector<Target> wanted_targets(std::string_view device) {
  std::vector<Target> wanted;
  for (const std::string_view one : classes) {
    if (device != "auto" && device != one) continue;
    for (const Ep* ep : eps_for(one))
      wanted.push_back({.ep = std::string(ep->name), .device = std::string(one), .options = {}});
  }
  return wanted;
}

SurveyRequest request_without_own(const Host& host) {
  SurveyRequest request = survey_request(host);
  request.ep_libraries = host.ep_libraries;
  return request;
}

// "cuda: no driver", of those that are here and do not work.
std::vector<std::string> failed_ones(const TargetChoice& choice) {
  std::vector<std::string> failed;
  for (const RefusedTarget& one : choice.before)
    if (one.is_here) failed.push_back(one.target.ep + ": " + text_form::essence(one.reason));
  return failed;
}

Failure none_works(const Host& host, const std::string& device, const TargetChoice& choice) {
  std::vector<std::string> there;
  for (const Target& target : offered_targets(host).value_or({})) there.push_back(describe(target));
  std::vector<std::string> cause = failed_ones(choice);
  cause.push_back("this machine offers: " + (there.empty() ? "nothing" : join(there, ", ")));
  return fail(Fault::not_found, Trouble::absent,
              "there is no " + device + " here: none of " + join(names_for(device), ", ") +
                  " has one that works",
              join(cause, "\n"),
              "`hone doctor EP` says what an EP lacks; --ep NAME is for that one, and --ep sim "
              "simulates a device");
}

std::string reason_of(const std::string& device, const Target& chosen) {
  const std::string target = describe(chosen);
  if (chosen.ep == "cpu") return device + ": " + target + ", as no npu and no gpu works here";
  return device + ": " + target + ", the first of " + join(names_for(chosen.device), ", ") +
         " that works here";
}

Result<SettledWhere> settle_by_device(const Where& said, const std::string& device) {
  SettledWhere settled{.where = said, .notes = {}};
  settled.where.ep = "cpu";
  settled.where.device = "cpu";
  if (device == "cpu") return settled;  // every ONNX Runtime has it
  HONE_TRY(const TargetChoice choice,
           choose_target(request_without_own(said.host), wanted_targets(device)));
  if (!choice.first) return none_works(said.host, device, choice);
  settled.where.ep = choice.first->ep;
  settled.where.device = choice.first->device;
  settled.notes.push_back(reason_of(device, *choice.first));
  for (const std::string& failed : failed_ones(choice))
    settled.notes.push_back("here, and cannot be used: " + failed);
  return settled;
}

}  // namespace

Result<SettledWhere> settle_where(const Where& said) {
  if (said.least_placement && !(*said.least_placement >= 0 && *said.least_placement <= 1))
    return misuse("the least placement is a share of nodes", "it is from 0 to 1: 0.95");
  const std::string device = lowercase(said.device);
  const bool is_nothing = said.ep.empty() && device.empty();
  if (is_left_open(said.ep) && !is_nothing)
    return settle_by_device(said, device.empty() ? "auto" : device);
  SettledWhere settled{.where = said, .notes = {}};
  HONE_TRY(settled.where.ep, name_of_ep(is_nothing ? "cpu" : said.ep, said.host));
  HONE_TRY_DO(check_device(settled.where.ep, device));
  settled.where.device = device.empty() ? "auto" : device;
  return settled;
}

Status check_target(const Target& target, const Host& host) {
  HONE_TRY(const std::string name, name_of_ep(target.ep, host));
  return check_device(name, target.device);
}

Result<std::vector<Target>> offered_targets(const Host& host, const SurveyProgress& progress) {
  HONE_TRY(const System system, survey_system(request_without_own(host), {}, progress));
  const auto works = [&](const Target& target) {
    return std::ranges::any_of(system.eps, [&](const EpStatus& ep) {
      const bool has_class =
          ep.device_types.empty()
              ? target.device == find_ep(target.ep)->devices.front()
              : std::ranges::find(ep.device_types, target.device) != ep.device_types.end();
      return ep.name == target.ep && ep.state == EpState::primary && has_class;
    });
  };
  std::vector<Target> offered = wanted_targets("auto");
  std::erase_if(offered, [&](const Target& target) { return !works(target); });
  return offered;
}

}  // namespace hone
