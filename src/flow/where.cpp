#include "flow/where.h"

#include <algorithm>

#include "kinds/ep.h"
#include "runtime/ep_names.h"
#include "runtime/session_options.h"

namespace hone {
namespace {

// Under a name that ends so ONNX Runtime lets it offer a GPU and an NPU, not only the CPU.
constexpr auto own_name = "hone.virtual";

std::map<std::string, std::string> libraries_with_own(const Host& host) {
  std::map<std::string, std::string> libraries = host.ep_libraries;
  if (!host.own_library.empty()) libraries.emplace(own_name, host.own_library);
  return libraries;
}

}  // namespace

Status fill_plan(const Where& where, RunPlan& plan) {
  plan.ort = where.host.ort;
  plan.target.ep = where.ep.empty() ? "cpu" : ep_short_name(where.ep);
  plan.target.device = where.device.empty() ? "auto" : where.device;
  plan.target.options = where.ep_options;
  const Ep* known = find_ep(plan.target.ep);
  const bool is_own = known != nullptr && known->comes_with_hone;
  plan.ep_libraries = is_own ? libraries_with_own(where.host) : where.host.ep_libraries;
  plan.session_options = where.session_options;
  plan.threads = where.threads.value_or(0);
  return check_session_options(plan.session_options);
}

void put_over(Recipe& recipe, const Where& said) {
  const bool is_other_ep =
      !said.ep.empty() && ep_short_name(said.ep) != ep_short_name(recipe.target.ep);
  if (is_other_ep) recipe.target = {.ep = ep_short_name(said.ep), .device = "auto", .options = {}};
  if (!said.device.empty()) recipe.target.device = said.device;
  for (const auto& [key, value] : said.ep_options) recipe.target.options[key] = value;
  for (const auto& [key, value] : said.session_options) recipe.session.options[key] = value;
  if (said.threads) recipe.session.threads = *said.threads;
}

Where where_of(const Recipe& recipe, const Where& said) {
  Where where = said;
  where.ep = recipe.target.ep;
  where.device = recipe.target.device;
  where.ep_options = recipe.target.options;
  where.session_options = recipe.session.options;
  where.threads = recipe.session.threads;
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
  return request;
}

}  // namespace hone
