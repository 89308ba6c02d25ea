#include "flow/where.h"

#include <filesystem>

#include "base/text.h"
#include "kinds/ep.h"
#include "record/target_name.h"
#include "runtime/ep_libraries.h"
#include "runtime/ep_names.h"
#include "runtime/session_options.h"
#include "runtime/target.h"
#include "runtime/worker.h"

namespace hone {
namespace {

// Under a name that ends so ONNX Runtime lets it offer a GPU and an NPU, not only the CPU.
constexpr auto own_name = "hone.virtual";

EpLibraries libraries_with_own(const Host& host) {
  EpLibraries libraries = host.ep_libraries;
  if (!host.own_library.empty()) libraries.emplace(own_name, host.own_library);
  return libraries;
}

// Where ONNX Runtime is, without loading it where its path is known; empty where there is none.
Path runtime_file(const Host& host) {
  for (const std::string& candidate : host.ort) {
    std::error_code ignored;
    const bool is_path = candidate.find('/') != std::string::npos;
    if (is_path && std::filesystem::exists(candidate, ignored)) return candidate;
    if (is_path) continue;
    auto worker = Worker::start(host.program, {});
    if (!worker) return {};
    RunPlan plan;
    plan.ort = {candidate};
    if (const auto probed = worker->probe(plan)) return probed->ort_path;
  }
  return {};
}

// What is registered for an EP: what was given, our own library for what it holds, and the EP's own
// where it is found.
EpLibraries libraries_for(const std::string& ep, const Host& host) {
  const Ep* known = find_ep(ep);
  if (known == nullptr) return host.ep_libraries;
  if (known->comes_with_hone) return libraries_with_own(host);
  EpLibraries libraries = host.ep_libraries;
  if (plugin_files(*known).empty()) return libraries;
  const std::vector<Path> folders = library_folders(host.ep_folders, runtime_file(host));
  if (const auto found = find_ep_library(*known, libraries, folders))
    libraries.emplace(known->name, *found);
  return libraries;
}

}  // namespace

Status fill_plan(const Where& where, RunPlan& plan) {
  HONE_TRY(const SettledWhere settled, settle_where(where));
  plan.ort = where.host.ort;
  plan.target.ep = settled.where.ep;
  plan.target.device = settled.where.device;
  plan.target.options = where.ep_options;
  plan.ep_libraries = libraries_for(plan.target.ep, where.host);
  plan.session_options = where.session_options;
  plan.threads = where.threads.value_or(0);
  plan.io_binding = where.io_binding.value_or(IoBinding::automatic);
  return check_session_options(plan.session_options);
}

Result<std::vector<Device>> check_here(const Where& where) {
  RunPlan plan;
  HONE_TRY_DO(fill_plan(where, plan));
  if (plan.target.ep == "cpu") return std::vector<Device>();
  HONE_TRY(Worker worker, Worker::start(where.host.program, {}));
  const auto probed = worker.probe(plan);
  if (probed) return offered_devices(*probed, plan.target);
  const std::string why = probed.error().what + "\n" + probed.error().cause;
  return fail(Fault::not_found, Trouble::absent, plan.target.ep + " cannot be used here",
              std::string(trimmed(why)), "`hone doctor " + plan.target.ep + "` says what is wrong");
}

Result<std::vector<std::string>> put_over(Recipe& recipe, const Where& said) {
  Where meant = said;
  const Ep* own = find_ep(recipe.target.ep);
  const bool is_of_own =
      own != nullptr && (is_left_open(said.device) || runs_on(*own, said.device));
  if (said.ep.empty() && is_of_own) meant.ep = recipe.target.ep;
  std::vector<std::string> notes;
  const bool is_target_said = !said.ep.empty() || !said.device.empty();
  if (is_target_said) {
    HONE_TRY(SettledWhere settled, settle_where(meant));
    notes = std::move(settled.notes);
    const bool is_other_ep = settled.where.ep != ep_short_name(recipe.target.ep);
    if (is_other_ep) recipe.target = {.ep = settled.where.ep, .device = "auto", .options = {}};
    if (is_other_ep || !said.device.empty()) recipe.target.device = settled.where.device;
  }
  for (const auto& [key, value] : said.ep_options) recipe.target.options[key] = value;
  for (const auto& [key, value] : said.session_options) recipe.session.options[key] = value;
  if (said.threads) recipe.session.threads = *said.threads;
  if (said.io_binding) recipe.session.io_binding = said.io_binding;
  return notes;
}

Where where_of(const Recipe& recipe, const Where& said) {
  Where where = said;
  where.ep = recipe.target.ep;
  where.device = recipe.target.device;
  where.ep_options = recipe.target.options;
  where.session_options = recipe.session.options;
  where.threads = recipe.session.threads;
  where.io_binding = recipe.session.io_binding;
  return where;
}

Result<RunPlan> run_plan_of(const Recipe& recipe, const Where& said) {
  RunPlan plan;
  HONE_TRY_DO(fill_plan(where_of(recipe, said), plan));
  return plan;
}

Status check_placement(const Where& where, const Placement& placement) {
  if (!where.least_placement) return done();
  const std::uint64_t total = placement.total_nodes();
  const std::uint64_t own = placement.shares.empty() ? 0 : placement.shares.front().nodes;
  const bool holds =
      placement.known && total > 0 &&
      static_cast<double>(own) >= *where.least_placement * static_cast<double>(total);
  if (holds) return done();
  return fail(
      Fault::not_held, Trouble::misplaced,
      "the placement is not as required: " + std::to_string(own) + " of " + std::to_string(total) +
          " nodes are on the target",
      describe(placement),
      own == total ? "" : "--ep-options and the EP's own list of operators decide what it takes");
}

SurveyRequest survey_request(const Host& host) {
  SurveyRequest request;
  request.program = host.program;
  request.ort = host.ort;
  request.ep_libraries = libraries_with_own(host);
  request.ep_folders = host.ep_folders;
  return request;
}

}  // namespace hone
