#include "runtime/ep_doctor.h"

#include <algorithm>

#include "base/folder.h"
#include "base/text.h"
#include "kinds/ep.h"
#include "runtime/ep_libraries.h"
#include "runtime/vulkan_driver.h"

namespace hone {
namespace {

// How looking for one need went.
struct Sighting {
  bool is_fine = false;
  std::string why;        // what was seen, or what was not
  std::string hint = {};  // what to do about just that; empty: what the need says
};

std::string listed(const std::vector<std::string_view>& names) {
  const std::vector<std::string> texts(names.begin(), names.end());
  return join(texts, ", ");
}

// "/dev/dri/renderD*" below `root`: those there are, in the order of their names.
std::vector<Path> matches(const Path& root, std::string_view pattern) {
  const Path whole = root / Path(pattern).relative_path();
  const std::string last = whole.filename().string();
  const std::size_t star = last.find('*');
  std::error_code ignored;
  if (star == std::string::npos) {
    return std::filesystem::exists(whole, ignored) ? std::vector{whole} : std::vector<Path>{};
  }
  std::vector<Path> found;
  for (const FolderEntry& entry : list_folder(whole.parent_path()).value_or({})) {
    if (entry.name.size() + 1 >= last.size() && entry.name.starts_with(last.substr(0, star)) &&
        entry.name.ends_with(last.substr(star + 1)))
      found.push_back(entry.path);
  }
  return found;
}

Sighting look_for_library(const EpNeed& need, const Surroundings& around) {
  std::vector<std::string> problems;
  for (const std::string_view name : need.names) {
    const auto path = around.find_library(std::string(name));
    if (path) return {true, path->string()};
    const Error& error = path.error();
    problems.push_back(error.cause.empty() ? error.what : error.cause);
  }
  return {false, join(problems, "; ")};
}

// The EP's own library: the one that was registered, else where it would be found.
Sighting look_for_plugin(const EpStatus& ep, const OrtLibrary* runtime,
                         const Surroundings& around) {
  if (!ep.library.empty()) return {true, ep.library};
  if (runtime == nullptr || !runtime->path) return {false, "there is no ONNX Runtime"};
  std::vector<std::string> folders;
  for (const Path& folder : library_folders(around.ep_folders, *runtime->path))
    folders.push_back(folder.string());
  return {false, "not in " + join(folders, ", ")};
}

// The files that a variable lists instead of the usual ones.
Sighting look_at_list(const std::string& variable, const std::string& value) {
  std::vector<std::string> missing;
  for (const std::string& file : split(value, ':')) {
    std::error_code ignored;
    if (!file.empty() && !std::filesystem::exists(file, ignored)) missing.push_back(file);
  }
  if (missing.empty()) return {true, value + " (" + variable + ")"};
  return {false, variable + " names " + join(missing, ", ") + ", which is not there"};
}

// The variable that names files in the place of the usual ones, and its value.
std::optional<std::pair<std::string, std::string>> said_instead(const EpNeed& need,
                                                                const Surroundings& around) {
  for (const std::string_view variable : need.instead) {
    const auto value = around.variable(std::string(variable));
    if (value && !value->empty()) return std::pair(std::string(variable), *value);
  }
  return std::nullopt;
}

Sighting look_for_file(const EpNeed& need, const Surroundings& around) {
  if (const auto said = said_instead(need, around)) return look_at_list(said->first, said->second);
  std::string forbidden;
  for (const std::string_view pattern : need.names) {
    for (const Path& file : matches(around.root, pattern)) {
      if (need.kind != NeedKind::device || around.may_open(file)) return {true, file.string()};
      forbidden = file.string();
    }
  }
  if (!forbidden.empty()) return {false, forbidden + " is there, and this user may not open it"};
  return {false, "there is no " + listed(need.names)};
}

// One driver that may start is enough.
Sighting look_for_vulkan(const EpNeed& need, const Surroundings& around) {
  const Sighting files = look_for_file(need, around);
  if (!files.is_fine) return files;
  std::vector<Path> manifests;
  if (const auto said = said_instead(need, around)) {
    for (const std::string& file : split(said->second, ':'))
      if (!file.empty()) manifests.emplace_back(file);
  } else {
    for (const std::string_view pattern : need.names)
      for (const Path& file : matches(around.root, pattern)) manifests.push_back(file);
  }
  const auto is_set = [&](const char* name) { return !around.variable(name).value_or("").empty(); };
  const bool has_display = is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
  Sighting worst;
  for (const Path& manifest : manifests) {
    const DriverProblem problem = check_vulkan_manifest(manifest, has_display);
    if (problem.why.empty()) return {true, manifest.string()};
    if (worst.hint.empty()) worst = {false, problem.why, problem.hint};
  }
  return worst;
}

Sighting look_at_variable(const EpNeed& need, const Surroundings& around) {
  for (const std::string_view name : need.names) {
    const auto value = around.variable(std::string(name));
    if (value && !value->empty()) return look_at_list(std::string(name), *value);
  }
  return {false, listed(need.names) + " is not set"};
}

Sighting look_for(const EpNeed& need, const EpStatus& ep, const System& system,
                  const Surroundings& around) {
  switch (need.kind) {
    case NeedKind::library:
      return look_for_library(need, around);
    case NeedKind::plugin:
      return look_for_plugin(ep, system.runtime(), around);
    case NeedKind::vulkan_driver:
      return look_for_vulkan(need, around);
    case NeedKind::file:
    case NeedKind::device:
      return look_for_file(need, around);
    case NeedKind::variable:
      return look_at_variable(need, around);
  }
  return {};
}

Check check_need(const EpNeed& need, const EpStatus& ep, const System& system,
                 const Surroundings& around) {
  const Sighting sighting = look_for(need, ep, system, around);
  Check check{CheckState::ok, std::string(need.what), sighting.why, {}};
  if (sighting.is_fine) return check;
  check.hint = sighting.hint.empty() ? std::string(need.hint) : sighting.hint;
  check.state = need.only_for.empty() ? CheckState::warn : CheckState::unknown;
  if (!need.only_for.empty()) check.why += "; needed only for " + std::string(need.only_for);
  return check;
}

std::string advice_on(const std::string& library) {
  return "look at the path, and at what the library needs: ldd " + library;
}

Check check_ep(const EpStatus& ep, const OrtLibrary* runtime) {
  Check check{CheckState::warn, "EP", ep.reason, {}};
  if (ep.state == EpState::primary) {
    check.state = CheckState::ok;
    if (ep.reason.empty()) check.why = "a model of one node ran on it";
  } else if (!ep.library.empty()) {
    check.why = ep.library + ": " + ep.reason;
    check.hint = advice_on(ep.library);
  } else if (ep.state == EpState::absent && runtime != nullptr) {
    const Ep* known = find_ep(ep.name);
    check.why = "ONNX Runtime " + runtime->version.value_or("") + " has none";
    if (known != nullptr) check.hint = known->origin;
  }
  return check;
}

std::string replaced(std::string text, const std::string& mark, const std::string& with) {
  const std::size_t at = text.find(mark);
  return at == std::string::npos ? text : text.replace(at, mark.size(), with);
}

// What its words are known to mean.
void add_known_failures(const Ep& known, const EpStatus& ep, const OrtLibrary* runtime,
                        std::vector<Check>& checks) {
  for (const EpFailure& failure : known.failures) {
    if (ep.reason.find(failure.says) == std::string::npos) continue;
    std::string why(failure.why);
    if (runtime != nullptr) why = replaced(why, "<<runtime>>", runtime->version.value_or("?"));
    const auto version = ep.library.empty() ? std::nullopt : version_in_library(ep.library);
    why = replaced(why, "<<library>>", version.value_or("of another version"));
    checks.push_back({CheckState::warn, std::string(failure.what), why, std::string(failure.hint)});
  }
}

// Plugin libraries that could not be used; one of them may have been meant to bring the EP.
void add_failed_libraries(const System& system, const EpStatus& ep, std::vector<Check>& checks) {
  for (const EpStatus& other : system.eps) {
    const bool is_failed = other.state == EpState::failed && !other.library.empty();
    if (!is_failed || other.name == ep.name) continue;
    checks.push_back({CheckState::warn, "library '" + other.name + "'",
                      other.library + ": " + other.reason, advice_on(other.library)});
  }
}

// The entry that says most: one that works, else one that failed.
const EpStatus& best_of(const System& system, const std::string& name) {
  const EpStatus* best = nullptr;
  for (const EpStatus& ep : system.eps) {
    if (ep.name == name && (best == nullptr || ep.state < best->state)) best = &ep;
  }
  HONE_CHECK(best != nullptr);
  return *best;
}

}  // namespace

Check check_runtime(const std::vector<OrtLibrary>& libraries) {
  std::vector<std::string> tried;
  for (const OrtLibrary& library : libraries) {
    if (library.is_used) {
      return {CheckState::ok,
              "ONNX Runtime",
              library.version.value_or("") + ", " + library.path.value_or(library.asked),
              {}};
    }
    tried.push_back(library.asked + ": " + library.reason);
  }
  return {CheckState::warn, "ONNX Runtime", join(tried, "; "),
          "set HONE_ORT or --ort to libonnxruntime.so of version 1.22 or newer; `make setup` "
          "fetches one"};
}

Diagnosis diagnose(const System& system, const std::string& name, const Surroundings& around) {
  const EpStatus& ep = best_of(system, name);
  Diagnosis diagnosis{ep.name, ep.state, ep.reason, {}, {}};
  diagnosis.checks = {check_runtime(system.ort_libraries), check_ep(ep, system.runtime())};
  const bool is_primary = ep.state == EpState::primary;
  if (!is_primary) add_failed_libraries(system, ep, diagnosis.checks);
  const Ep* known = find_ep(ep.name);
  if (known == nullptr) return diagnosis;
  diagnosis.hazards.assign(known->hazards.begin(), known->hazards.end());
  if (!is_primary) add_known_failures(*known, ep, system.runtime(), diagnosis.checks);
  for (const EpNeed& need : known->needs) {
    Check check = check_need(need, ep, system, around);
    if (!is_primary || check.state != CheckState::warn)
      diagnosis.checks.push_back(std::move(check));
  }
  return diagnosis;
}

}  // namespace hone
