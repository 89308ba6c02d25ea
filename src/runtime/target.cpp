#include "runtime/target.h"

#include <algorithm>

#include "base/text.h"
#include "kinds/ep.h"
#include "record/target_name.h"
#include "runtime/ep_names.h"

namespace hone {
namespace {

bool fits(const Device& device, const Target& target) {
  const std::string wanted = lowercase(target.device);
  return lowercase(device.ep) == lowercase(ep_own_name(target.ep)) &&
         (is_left_open(wanted) || device.type == wanted);
}

// Accelerators before the CPU when the user leaves the choice to us.
int rank(const Device& device) { return device.type == "npu" ? 0 : device.type == "gpu" ? 1 : 2; }

// What there is, as people would ask for it: "cpu, openvino/gpu".
std::string listed(const std::vector<Device>& devices) {
  std::vector<std::string> names;
  for (const Device& device : devices) {
    std::string name = describe(Target{.ep = device.ep, .device = device.type, .options = {}});
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names.empty() ? "nothing" : join(names, ", ");
}

Failure no_device(const std::string& version, const std::vector<Device>& devices,
                  const Target& target) {
  const std::string ep = ep_short_name(target.ep);
  const bool is_there = std::ranges::any_of(
      devices, [&](const Device& device) { return ep_short_name(device.ep) == ep; });
  return fail(Fault::not_found, Trouble::absent,
              is_there ? ep + " has no " + lowercase(target.device) + " here"
                       : ep + " is not here: there is no device for it",
              "ONNX Runtime " + version + " offers: " + listed(devices),
              "`hone doctor " + ep + "` says what is missing; `hone sys` lists what is here");
}

// Some built-in EPs (WebGPU in the npm build) offer no device until a session asks for them by
// name. Which device that is, is theirs to say: only their usual one can be meant.
bool is_opened_by_name(const std::vector<std::string>& built_in, const Target& target) {
  const Ep* known = find_ep(target.ep);
  if (known == nullptr || known->append_name.empty()) return false;
  return std::ranges::find(built_in, std::string(known->own_name)) != built_in.end() &&
         (is_left_open(target.device) || lowercase(target.device) == known->devices.front());
}

struct OptionList {
  std::vector<const char*> keys;
  std::vector<const char*> values;
  explicit OptionList(const std::map<std::string, std::string>& options) {
    for (const auto& [key, value] : options) {
      keys.push_back(key.c_str());
      values.push_back(value.c_str());
    }
  }
};

}  // namespace

std::string describe(const Target& target) {
  const std::string ep = ep_short_name(target.ep);
  return ep == "cpu" ? ep : target_name(ep, lowercase(target.device));
}

Result<std::vector<EpDevice>> find_devices(const Runtime& runtime, const Target& target) {
  std::vector<EpDevice> found;
  std::vector<Device> all;
  for (EpDevice& device : runtime.devices()) {
    all.push_back(device.facts);
    if (fits(device.facts, target)) found.push_back(std::move(device));
  }
  if (found.empty()) return no_device(runtime.version(), all, target);
  std::stable_sort(found.begin(), found.end(), [](const EpDevice& a, const EpDevice& b) {
    return rank(a.facts) < rank(b.facts);
  });
  return found;
}

Result<std::vector<Device>> offered_devices(const WorkerProbed& probed, const Target& target) {
  std::vector<Device> offered = probed.devices;
  std::erase_if(offered, [&](const Device& device) { return !fits(device, target); });
  std::ranges::stable_sort(offered, {}, rank);
  if (!offered.empty() || is_opened_by_name(probed.built_in_eps, target)) return offered;
  return no_device(probed.ort_version, probed.devices, target);
}

Status append_target(const Runtime& runtime, ort::OrtSessionOptions* options,
                     const Target& target) {
  const std::string ep = ep_short_name(target.ep);
  if (ep == "cpu") {
    if (target.options.empty()) return done();
    return fail(Fault::bad_input, "the CPU EP takes no provider options",
                "'" + target.options.begin()->first + "' was given",
                "session options are set with --session-options");
  }
  const OptionList list(target.options);
  const std::string what = "cannot use " + describe(target);
  auto devices = find_devices(runtime, target);
  if (devices) {
    const ort::OrtEpDevice* const chosen[] = {devices->front().handle};
    return runtime.check(runtime.api().SessionOptionsAppendExecutionProvider_V2(
                             options, runtime.env(), chosen, 1, list.keys.data(),
                             list.values.data(), list.keys.size()),
                         what);
  }
  if (!is_opened_by_name(runtime.built_in_eps(), target)) return fail(std::move(devices).error());
  const std::string append_name = ep_append_name(ep);
  return runtime.check(
      runtime.api().SessionOptionsAppendExecutionProvider(
          options, append_name.c_str(), list.keys.data(), list.values.data(), list.keys.size()),
      what);
}

}  // namespace hone
