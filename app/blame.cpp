#include "app/blame.h"

#include <algorithm>

#include "app/own_command.h"
#include "record/system.h"
#include "support/lines.h"

namespace hone::app {

RunClass class_of_failure(const Where& where, const Target& target, std::chrono::seconds limit) {
  std::vector<std::string> words = {"sys"};
  for (std::string& word : runtime_words(where)) words.push_back(std::move(word));
  const auto answer = run_own({.words = std::move(words), .limit = limit});
  const auto system = answer ? from_document<System>(*answer, system_schema_version)
                             : Result<System>(fail(answer.error()));
  if (!system) return RunClass::host;
  const auto status = std::ranges::find(system->eps, target.ep, &EpStatus::name);
  if (status == system->eps.end() || status->state == EpState::absent) return RunClass::host;
  return status->state == EpState::failed ? RunClass::packaging : RunClass::recipe;
}

void settle_failure(TierProof& tier, const Error& error, RunClass fault) {
  const bool is_recipe = fault == RunClass::recipe;
  tier.verdict = is_recipe ? TierVerdict::fail : TierVerdict::host_blocked;
  if (error.fault == Fault::timeout) tier.verdict = TierVerdict::timeout;
  tier.reason = what_and_why(error);
}

void block_by_hone(TierProof& tier, std::string reason) {
  tier.verdict = TierVerdict::cli_blocked;
  tier.reason = std::move(reason);
}

}  // namespace hone::app
