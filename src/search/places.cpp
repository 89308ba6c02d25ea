#include "search/places.h"

#include <set>

namespace hone {
namespace {

bool is_home(const Contender& contender) {
  const std::string& dimension = contender.arm.hypothesis.dimension;
  return dimension == "baseline" || dimension == "target";
}

Contender* home_of(const SearchRun& run, const std::string& place) {
  for (Contender* home : homes_of(run))
    if (place_of(home->arm.hypothesis) == place) return home;
  return nullptr;
}

// Of the arms so far that run elsewhere, in ln t; null: none does. What a try gains on a target
// says nothing against the others there.
std::optional<double> best_elsewhere(const SearchRun& run, const std::string& place) {
  std::optional<double> best;
  if (place_of(run.baseline().arm.hypothesis) != place) best = 0;
  for (const auto& contender : run.contenders) {
    if (!contender->has_score() || place_of(contender->arm.hypothesis) == place) continue;
    best = std::min(best.value_or(contender->score()), contender->score());
  }
  return best;
}

// It ran, and nothing but its speed speaks against it.
bool may_be_shown(const Contender& contender) {
  const ArmOutcome outcome = contender.arm.outcome;
  const bool is_sound = outcome == ArmOutcome::pending || outcome == ArmOutcome::raced_out ||
                        outcome == ArmOutcome::futile;
  return is_sound && contender.has_score() && !contender.arm.confirmed;
}

// The fastest first. On the target of the baseline, what is not faster than that.
std::vector<Contender*> shown_on(const SearchRun& run, const std::string& place) {
  const bool is_first = place == place_of(run.baseline().arm.hypothesis);
  std::vector<Contender*> found;
  for (const auto& contender : run.contenders) {
    const bool is_there = place_of(contender->arm.hypothesis) == place;
    if (!is_there || !may_be_shown(*contender)) continue;
    if (is_first && contender->score() >= 0) continue;
    if (seconds_to_confirm(run, *contender) <= run.plan.most_hazard_s)
      found.push_back(contender.get());
  }
  std::ranges::stable_sort(found, std::less(), &Contender::score);
  return found;
}

// The fastest that was compared and may ship; null: none.
const SearchArm* best_compared(const SearchRun& run, const std::string& place) {
  const SearchArm* best = nullptr;
  for (const auto& contender : run.contenders) {
    const SearchArm& arm = contender->arm;
    const bool is_told = arm.confirmed && !arm.confirmed->is_cut && passes_gate(arm);
    if (!is_told || place_of(arm.hypothesis) != place) continue;
    if (best == nullptr || arm.confirmed->ratio < best->confirmed->ratio) best = &arm;
  }
  return best;
}

TargetBest best_at(const SearchRun& run, const Contender& home) {
  const SearchArm& base = home.arm;
  TargetBest best;
  best.target = base.hypothesis.recipe.target;
  const SearchArm* arm = best_compared(run, place_of(base.hypothesis));
  const bool is_first = &home == &run.baseline();
  const bool is_beaten = arm != nullptr && arm->confirmed->verdict == Verdict::faster;
  if (is_first && !is_beaten) {
    best.arm = base.hypothesis.id;
    best.median_ms = run.confirmation ? run.confirmation->baseline_ms : run.first_baseline_ms;
  } else if (arm != nullptr) {
    best.arm = arm->hypothesis.id;
    best.target = arm->hypothesis.recipe.target;
    best.ratio = arm->confirmed->ratio;
    best.interval = arm->confirmed->interval;
    best.median_ms = arm->confirmed->median_ms;
  } else {
    best.reason = base.reason.empty() ? "nothing on it was compared" : base.reason;
  }
  return best;
}

}  // namespace

std::string place_of(const Hypothesis& hypothesis) {
  const Target& target = hypothesis.recipe.target;
  return target.ep + "/" + target.device;
}

std::vector<Contender*> homes_of(const SearchRun& run) {
  std::vector<Contender*> homes;
  for (const auto& contender : run.contenders)
    if (is_home(*contender)) homes.push_back(contender.get());
  return homes;
}

std::optional<double> score_of_home(const SearchRun& run, const Contender& home) {
  if (&home == &run.baseline()) return 0.0;
  return home.has_score() ? std::optional(home.score()) : std::nullopt;
}

bool let_go_with_its_target(const SearchRun& run, Contender& contender) {
  // More than any try is known to have gained on a target.
  constexpr double far_behind = 3;
  if (is_home(contender)) return false;
  const std::string place = place_of(contender.arm.hypothesis);
  const Contender* home = home_of(run, place);
  if (home == nullptr) return false;
  const auto score = score_of_home(run, *home);
  const auto best = best_elsewhere(run, place);
  if (!score || !best || *score - *best < std::log(far_behind)) return false;
  contender.leave(ArmOutcome::raced_out,
                  home->arm.hypothesis.id + " takes " + ratio_words(*score - *best) +
                      " what the best does: nothing tried there makes up for that");
  return true;
}

Result<std::vector<Contender*>> best_of_others(SearchRun& run,
                                               const std::vector<Contender*>& finalists) {
  std::vector<Contender*> found;
  const std::vector<Contender*> homes = homes_of(run);
  if (homes.size() < 2) return found;
  std::set<std::string> places;
  for (const Contender* finalist : finalists) places.insert(place_of(finalist->arm.hypothesis));
  for (const Contender* home : homes) {
    const std::string place = place_of(home->arm.hypothesis);
    if (!places.insert(place).second) continue;
    for (Contender* contender : shown_on(run, place)) {
      if (run.is_over()) return found;
      if (contender->is_gate_open) HONE_TRY_DO(gate(run, *contender));
      if (!passes_gate(contender->arm)) continue;
      found.push_back(contender);
      break;
    }
  }
  return found;
}

std::vector<TargetBest> bests_of(const SearchRun& run, const SearchResult& result) {
  std::vector<TargetBest> bests;
  const std::vector<Contender*> homes = homes_of(run);
  if (homes.size() < 2) return bests;
  const std::string shipped = result.champion.value_or(run.baseline().arm.hypothesis.id);
  for (const Contender* home : homes) {
    TargetBest best = best_at(run, *home);
    best.ships = best.arm == shipped;
    bests.push_back(std::move(best));
  }
  return bests;
}

}  // namespace hone
