#include "flow/proof/blame.h"

#include <algorithm>

#include "flow/where.h"
#include "runtime/ep_names.h"
#include "runtime/survey.h"
#include "support/lines.h"

namespace hone {
namespace {

// No recipe makes a machine larger.
bool lacks_room(const Error& error) {
  return error.trouble == Trouble::no_memory || error.trouble == Trouble::disk_full;
}

}  // namespace

RunClass class_of_failure(const System& system, const Target& target) {
  const auto status = std::ranges::find_if(system.eps, [&](const EpStatus& ep) {
    return ep_short_name(ep.name) == ep_short_name(target.ep);
  });
  if (status == system.eps.end() || status->state == EpState::absent) return RunClass::host;
  return status->state == EpState::failed ? RunClass::packaging : RunClass::recipe;
}

RunClass class_of_failure(const Error& error, const Host& host, const Target& target) {
  if (lacks_room(error)) return RunClass::host;
  SurveyRequest request = survey_request(host);
  request.only_ep = ep_short_name(target.ep);
  const auto system = survey_system(request);
  return system ? class_of_failure(*system, target) : RunClass::host;
}

void settle_failure(TierProof& tier, const Error& error, RunClass fault) {
  const bool is_recipe = fault == RunClass::recipe && !lacks_room(error);
  tier.verdict = is_recipe ? TierVerdict::fail : TierVerdict::host_blocked;
  if (error.fault == Fault::timeout) tier.verdict = TierVerdict::timeout;
  tier.reason = what_and_why(error);
}

void block_by_hone(TierProof& tier, std::string reason) {
  tier.verdict = TierVerdict::cli_blocked;
  tier.reason = std::move(reason);
}

}  // namespace hone
