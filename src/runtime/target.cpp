#include "runtime/target.h"

#include <algorithm>

#include "base/text.h"
#include "runtime/ep_names.h"

namespace hone {
namespace {

bool fits(const Device& device, const Target& target) {
  const std::string wanted = lowercase(target.device);
  return lowercase(device.ep) == lowercase(ep_own_name(target.ep)) &&
         (wanted.empty() || wanted == "auto" || device.type == wanted);
}

// Accelerators before the CPU when the user leaves the choice to us.
int rank(const Device& device) { return device.type == "npu" ? 0 : device.type == "gpu" ? 1 : 2; }

Failure no_device(const Runtime& runtime, const Target& target) {
  std::string there;
  for (const EpDevice& device : runtime.devices()) {
    there += (there.empty() ? "" : ", ") + ep_short_name(device.facts.ep) + "/" + device.facts.type;
  }
  return fail(
      Fault::not_found, Trouble::absent, "there is no device for " + describe(target),
      "ONNX Runtime " + runtime.version() + " offers: " + (there.empty() ? "nothing" : there),
      "`hone sys` lists EPs and devices; --ep-library NAME=PATH adds a plugin EP");
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

bool is_built_in(const Runtime& runtime, const std::string& own_name) {
  const std::vector<std::string> names = runtime.built_in_eps();
  return std::find(names.begin(), names.end(), own_name) != names.end();
}

}  // namespace

std::string describe(const Target& target) {
  const std::string ep = ep_short_name(target.ep);
  const std::string device = lowercase(target.device);
  return device.empty() || device == "auto" || ep == "cpu" ? ep : ep + "/" + device;
}

Result<std::vector<EpDevice>> find_devices(const Runtime& runtime, const Target& target) {
  std::vector<EpDevice> found;
  for (EpDevice& device : runtime.devices()) {
    if (fits(device.facts, target)) found.push_back(std::move(device));
  }
  if (found.empty()) return no_device(runtime, target);
  std::stable_sort(found.begin(), found.end(), [](const EpDevice& a, const EpDevice& b) {
    return rank(a.facts) < rank(b.facts);
  });
  return found;
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
  // Some built-in EPs (WebGPU in the npm build) offer no device until a session asks for them by
  // name.
  const std::string append_name = ep_append_name(ep);
  if (append_name.empty() || !is_built_in(runtime, ep_own_name(ep)))
    return fail(std::move(devices).error());
  return runtime.check(
      runtime.api().SessionOptionsAppendExecutionProvider(
          options, append_name.c_str(), list.keys.data(), list.values.data(), list.keys.size()),
      what);
}

}  // namespace hone
