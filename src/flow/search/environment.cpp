#include "flow/search/environment.h"

#include "base/hash.h"
#include "flow/build.h"
#include "flow/version.h"
#include "flow/where.h"
#include "model/fingerprint.h"
#include "model/model.h"
#include "record/machine_facts.h"
#include "runtime/ep_names.h"
#include "runtime/prepared.h"
#include "runtime/runtime.h"
#include "runtime/target.h"

namespace hone {
namespace {

// What the EP's library says of itself; nothing where it does not.
std::optional<std::string> version_of_ep(const Runtime& runtime, const std::string& ep) {
  for (const EpDevice& found : runtime.devices()) {
    const Device& device = found.facts;
    if (ep_short_name(device.ep) != ep_short_name(ep)) continue;
    const auto version = device.metadata.find("version");
    if (version != device.metadata.end()) return version->second;
  }
  return std::nullopt;
}

// Which accelerator it is, by the numbers of its maker; nothing for the CPU, which has its own
// fact.
std::optional<std::string> accelerator_of(const Runtime& runtime, const Target& target) {
  if (ep_short_name(target.ep) == "cpu") return std::nullopt;
  const auto devices = find_devices(runtime, target);
  if (!devices) return std::nullopt;
  const Device& device = devices->front().facts;
  return std::to_string(device.vendor_id) + ":" + std::to_string(device.device_id);
}

}  // namespace

std::string SearchEnvironment::fact(const std::string& name) const {
  const auto found = facts.find(name);
  return found != facts.end() ? found->second : std::string();
}

Result<SearchEnvironment> find_environment(const Where& where, const Target& target) {
  RunPlan plan;
  HONE_TRY_DO(fill_plan(where, plan));
  HONE_TRY(const std::shared_ptr<Runtime> runtime, start_runtime(plan));
  const Machine machine = machine_of(read_machine());
  SearchEnvironment environment;
  environment.facts = {{"os", machine.os},
                       {"kernel", machine.kernel},
                       {"cpu", machine.cpu},
                       {"cores", std::to_string(machine.cores)},
                       {"ort_version", runtime->version()},
                       {"tool_version", version_number()},
                       {"ep", target.ep}};
  if (const auto version = version_of_ep(*runtime, target.ep))
    environment.facts["ep_version"] = *version;
  if (const auto accelerator = accelerator_of(*runtime, target))
    environment.facts["accelerator"] = *accelerator;
  Sha256 hash;
  for (const auto& [name, value] : environment.facts) {
    hash.add_field(name);
    hash.add_field(value);
  }
  std::vector<Path> libraries = {runtime->path()};
  for (const auto& [name, path] : plan.ep_libraries) libraries.emplace_back(path);
  HONE_TRY(const std::string bytes, hash_of_libraries(libraries));
  hash.add_field(bytes);
  environment.key = hash.finish().hex();
  return environment;
}

Result<std::map<std::string, std::string>> facts_for_findings(
    const Path& model, const SearchEnvironment& environment) {
  HONE_TRY(const Model loaded, load_model(model));
  HONE_TRY(const Digest content, content_fingerprint(loaded));
  std::map<std::string, std::string> facts = environment.facts;
  facts["hardware"] = hardware_key(read_machine());
  facts["model_fingerprint"] = content.hex();
  return facts;
}

std::string hardware_key(const MachineFacts& machine) {
  Sha256 hash;
  hash.add_field(machine.arch).add_field(machine.board).add_field(machine.cpu.model);
  hash.add_number(static_cast<std::uint64_t>(machine.cpu.online));
  constexpr std::size_t enough = 16;
  return hash.finish().hex().substr(0, enough);
}

}  // namespace hone
