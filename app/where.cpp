#include "app/where.h"

#include <algorithm>
#include <cstdlib>

#include "base/process.h"
#include "base/system_files.h"
#include "base/text.h"
#include "runtime/ep_names.h"
#include "runtime/session_options.h"

namespace hone::app {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// build/bin/hone finds build/lib; an installed bin/hone finds lib/hone.
std::vector<Path> own_library_folders() {
  const auto program = own_program();
  if (!program) return {};
  const Path folder = program->parent_path();
  return {folder, folder / "../lib/hone", folder / "../lib"};
}

std::string find_own_library(const std::string& name) {
  for (const Path& folder : own_library_folders()) {
    const Path candidate = (folder / name).lexically_normal();
    if (std::filesystem::exists(candidate)) return candidate.string();
  }
  return {};
}

}  // namespace

void declare_runtime(Options& options, WhereArguments& arguments) {
  options.text("--ort PATH", arguments.ort,
               "the ONNX Runtime library; else $HONE_ORT, beside hone, the system's");
  options.texts("--ep-library NAME=PATH", arguments.ep_libraries,
                "a plugin EP library to register; also $HONE_EP_PATH");
}

void declare_where(Options& options, WhereArguments& arguments) {
  options.text("--ep NAME", arguments.ep,
               "where it runs: cpu, webgpu, qnn, openvino, ..., sim, or a library's EP");
  options.choice("--device CLASS", arguments.device, {"auto", "cpu", "gpu", "npu"},
                 "the kind of device of that EP");
  options.texts("--ep-options KEY=VALUE", arguments.ep_options, "an option of the EP");
  declare_runtime(options, arguments);
  options.texts("--session-options KEY=VALUE", arguments.session_options,
                "a session option of ONNX Runtime; unknown keys are refused");
  options.integer("--threads N", arguments.threads,
                  "threads of one operator; 0 leaves it to ONNX Runtime", Need::optional,
                  {.least = 0, .most = 1024});
  options.text("--require-placement SHARE", arguments.require_placement,
               "exit 3 unless this share of nodes runs on the EP, e.g. 95%");
}

Result<PlacementGate> PlacementGate::read(const std::string& text) {
  PlacementGate gate;
  if (text.empty()) return gate;
  const bool is_percent = text.ends_with('%');
  const std::optional<double> number =
      parse_number<double>(text.substr(0, text.size() - (is_percent ? 1 : 0)));
  const double share = number.value_or(-1) / (is_percent ? 100 : 1);
  if (!(share >= 0 && share <= 1)) {
    return fail(Fault::bad_input, "'" + text + "' is no value for --require-placement", {},
                "it takes a share of the nodes: 95% or 0.95");
  }
  gate.share_ = share;
  return gate;
}

Status PlacementGate::check(const Placement& placement) {
  if (!share_) return done();
  const std::uint64_t total = placement.total_nodes();
  const std::uint64_t own = placement.shares.empty() ? 0 : placement.shares.front().nodes;
  const bool holds = placement.known && total > 0 &&
                     static_cast<double>(own) >= *share_ * static_cast<double>(total);
  if (holds) return done();
  has_refused_ = true;
  return fail(
      Fault::unsupported,
      "the placement is not as required: " + std::to_string(own) + " of " + std::to_string(total) +
          " nodes are on the target",
      describe(placement),
      own == total ? "" : "--ep-options and the EP's own list of operators decide what it takes");
}

std::vector<std::string> ort_candidates(const std::string& chosen) {
  if (!chosen.empty()) return {chosen};
  if (const std::string from_environment = environment("HONE_ORT"); !from_environment.empty())
    return {from_environment};
  std::vector<std::string> candidates;
  if (const std::string own = find_own_library("libonnxruntime.so.1"); !own.empty())
    candidates.push_back(own);
  candidates.emplace_back("libonnxruntime.so.1");
  candidates.emplace_back("libonnxruntime.so");
  return candidates;
}

Result<Path> cache_folder() {
  if (const std::string own = environment("HONE_CACHE"); !own.empty()) return Path(own);
  if (const std::string user = environment("XDG_CACHE_HOME"); !user.empty()) {
    return Path(user) / "hone";
  }
  if (const std::string home = environment("HOME"); !home.empty()) {
    return Path(home) / ".cache" / "hone";
  }
  return fail(Fault::not_found, "there is no place for a cache",
              "neither HONE_CACHE nor HOME is set", "set HONE_CACHE to a folder");
}

Result<Path> knowledge_folder() {
  if (const std::string user = environment("XDG_DATA_HOME"); !user.empty()) {
    return Path(user) / "hone/knowledge";
  }
  if (const std::string home = environment("HOME"); !home.empty()) {
    return Path(home) / ".local/share/hone/knowledge";
  }
  return fail(Fault::not_found, "there is no place for your findings",
              "neither XDG_DATA_HOME nor HOME is set", "--kb FOLDER says where they are");
}

Result<Path> own_ep_library() {
  const std::string found = find_own_library("libhone_ep.so");
  if (!found.empty()) return Path(found);
  return fail(Fault::not_found, "libhone_ep.so is not beside hone", {},
              "it comes with hone: make build, or make install");
}

Result<std::map<std::string, std::string>> ep_library_map(const std::vector<std::string>& words,
                                                          bool with_own) {
  std::vector<std::string> all = words;
  const std::string from_environment = environment("HONE_EP_PATH");
  if (!from_environment.empty()) {
    for (const std::string& word : split(from_environment, ':')) all.push_back(word);
  }
  HONE_TRY(OptionMap libraries, parse_options(all, "--ep-library"));
  // ONNX Runtime takes a relative path as relative to its own library.
  for (auto& [name, path] : libraries) path = std::filesystem::absolute(path).string();
  const std::string own = with_own ? find_own_library("libhone_ep.so") : "";
  // Under a name that ends so ONNX Runtime lets it offer a GPU and an NPU, not only the CPU.
  if (!own.empty()) libraries.emplace("hone.virtual", own);
  return libraries;
}

Status fill_plan(const WhereArguments& arguments, RunPlan& plan) {
  plan.ort = ort_candidates(arguments.ort);
  plan.target.ep = arguments.ep.empty() ? "cpu" : arguments.ep;
  plan.target.device = arguments.device.empty() ? "auto" : arguments.device;
  HONE_TRY(plan.target.options, parse_options(arguments.ep_options, "--ep-options"));
  HONE_TRY(plan.ep_libraries,
           ep_library_map(arguments.ep_libraries, ep_short_name(arguments.ep) == "sim"));
  HONE_TRY(plan.session_options, parse_options(arguments.session_options, "--session-options"));
  plan.threads = std::max<std::int64_t>(arguments.threads, 0);
  return check_session_options(plan.session_options);
}

Status put_over(Recipe& recipe, const WhereArguments& said) {
  HONE_TRY(const OptionMap ep_options, parse_options(said.ep_options, "--ep-options"));
  HONE_TRY(const OptionMap session, parse_options(said.session_options, "--session-options"));
  const bool is_other_ep =
      !said.ep.empty() && ep_short_name(said.ep) != ep_short_name(recipe.target.ep);
  if (is_other_ep) recipe.target = {.ep = ep_short_name(said.ep), .device = "auto", .options = {}};
  if (!said.device.empty()) recipe.target.device = said.device;
  for (const auto& [key, value] : ep_options) recipe.target.options[key] = value;
  for (const auto& [key, value] : session) recipe.session.options[key] = value;
  if (said.threads != WhereArguments::not_said) recipe.session.threads = said.threads;
  return done();
}

WhereArguments where_of(const Recipe& recipe, const WhereArguments& said) {
  WhereArguments where = said;
  where.ep = recipe.target.ep;
  where.device = recipe.target.device;
  where.threads = recipe.session.threads;
  where.ep_options.clear();
  where.session_options.clear();
  for (const auto& [key, value] : recipe.target.options)
    where.ep_options.push_back(key + "=" + value);
  for (const auto& [key, value] : recipe.session.options)
    where.session_options.push_back(key + "=" + value);
  return where;
}

Result<SurveyRequest> survey_request(const WhereArguments& arguments) {
  SurveyRequest request;
  HONE_TRY(request.program, own_program());
  request.ort = ort_candidates(arguments.ort);
  HONE_TRY(request.ep_libraries, ep_library_map(arguments.ep_libraries, true));
  return request;
}

}  // namespace hone::app
