// The race: groups of arms against one baseline, the slower half out after each stage. What it
// shows picks finalists and is never reported as a speed: the winner of many is lucky too.

#include "base/counted.h"
#include "base/text.h"
#include "search/run.h"

namespace hone {
namespace {

using Group = std::vector<Contender*>;

std::vector<Group> grouped(const Group& arms, std::size_t size) {
  std::vector<Group> groups;
  for (std::size_t i = 0; i < arms.size(); i += size)
    groups.emplace_back(
        arms.begin() + static_cast<std::ptrdiff_t>(i),
        arms.begin() + static_cast<std::ptrdiff_t>(std::min(i + size, arms.size())));
  return groups;
}

void drop_those_out(Group& arms) {
  std::erase_if(arms, [](const Contender* arm) { return !arm->is_racing || arm->is_set_aside; });
}

std::string ids_of(const Group& arms) {
  std::vector<std::string> ids;
  for (const Contender* arm : arms) ids.push_back(arm->arm.hypothesis.id);
  return join(ids, ", ");
}

double log_of(const std::vector<ArmBlock>& round, std::uint64_t arm) {
  return std::ranges::find(round, arm, &ArmBlock::arm)->log_ns;
}

// "3.1 times the baseline's time in 2 rounds"
void let_go(Contender& arm) {
  const std::size_t rounds = arm.differences.size();
  arm.is_set_aside = false;
  arm.leave(ArmOutcome::futile,
            ratio_words(arm.score()) + " the baseline's time in " + counted(rounds, "round"));
}

// Whether the arm was so many times slower in every round, with what noise may add.
bool is_always_slower(const SearchRun& run, const Contender& arm, double ratio) {
  constexpr double sigmas = 3;
  const double limit = std::log(ratio) + sigmas * excess_noise(run, 1);
  return std::ranges::min(arm.differences) >= limit;
}

// Takes a round's differences; false when an arm is so slow that the others should not wait for it.
bool take_round(const SearchRun& run, const Group& arms, const std::vector<ArmBlock>& round) {
  bool goes_on = true;
  const double baseline = log_of(round, 0);
  for (std::size_t i = 0; i < arms.size(); ++i) {
    Contender& arm = *arms[i];
    const double difference = log_of(round, i + 1) - baseline;
    arm.differences.push_back(difference);
    arm.arm.screen_ratio = std::exp(arm.score());
    arm.arm.screen_blocks = arm.differences.size();
    const std::size_t rounds = arm.differences.size();
    if (rounds > 2 || !is_always_slower(run, arm, run.plan.futile_in_block)) continue;
    goes_on = false;
    const bool no_load_explains_it = difference >= std::log(run.plan.futile_at_once);
    if (rounds == 2 || (no_load_explains_it && !is_busy(run))) {
      let_go(arm);
    } else {
      arm.is_set_aside = true;
    }
  }
  return goes_on;
}

SessionRequest request_for(const SearchRun& run, const Group& arms, std::size_t rounds,
                           std::string purpose) {
  SessionRequest request;
  request.purpose = std::move(purpose);
  request.arms = {&run.baseline()};
  request.arms.insert(request.arms.end(), arms.begin(), arms.end());
  request.rounds = rounds;
  request.goes_on = [&run, &arms](const std::vector<ArmBlock>& round) {
    return take_round(run, arms, round);
  };
  return request;
}

void leave_failed(Contender& arm, const Error& error) {
  arm.leave(
      error.fault == Fault::unsupported ? ArmOutcome::placement_failed : ArmOutcome::run_failed,
      error);
}

// One session of a group. A hopeless arm ends it, and the others go on without; where a session
// fails, each arm runs alone to find out whose fault it is.
Status run_group(SearchRun& run, Group arms, std::size_t rounds, const std::string& purpose) {
  while (!arms.empty() && rounds > 0) {
    run.tell("race", ids_of(arms), 0, rounds);
    HONE_TRY(const SessionOutcome outcome,
             run_session(run, request_for(run, arms, rounds, purpose)));
    rounds -= outcome.session.rounds.size();
    if (outcome.end == RaceEnd::interrupted) return done();
    if (outcome.end == RaceEnd::failed && arms.size() == 1) {
      leave_failed(*arms.front(), *outcome.error);
      return done();
    }
    if (outcome.end == RaceEnd::failed) {
      for (Contender* arm : arms) HONE_TRY_DO(run_group(run, {arm}, rounds, purpose));
      return done();
    }
    drop_those_out(arms);
  }
  return done();
}

// The slower half leaves, but for those that may be there for noise. In time they have to go all
// the same.
void drop_slower_half(const SearchRun& run, Group& arms, std::size_t stage) {
  constexpr std::size_t finalists = 2;
  constexpr std::size_t most_lenient = 3;  // stages
  constexpr double sigmas = 2;
  std::ranges::stable_sort(arms, std::less(), &Contender::score);
  const std::size_t all = arms.size();
  const std::size_t half = std::max(finalists, (all + 1) / 2);
  const double line = arms[half - 1]->score();
  std::size_t place = 0;
  std::erase_if(arms, [&](Contender* arm) {
    if (++place <= half) return false;
    const std::size_t blocks = arm->differences.size();
    const double doubt = stage <= most_lenient ? sigmas * excess_noise(run, blocks) : 0;
    if (doubt > 0 && arm->score() - line <= doubt) return false;
    if (blocks < 2 && is_busy(run)) {
      arm->leave(ArmOutcome::out_of_time,
                 "one round gives it no place on a busy machine, and there was no time for two");
      return true;
    }
    arm->leave(ArmOutcome::raced_out, "place " + std::to_string(place) + " of " +
                                          std::to_string(all) + " in the race, after " +
                                          counted(blocks, "round"));
    return true;
  });
}

// So many rounds for each arm, in sessions no longer than those that confirm.
Status run_stage(SearchRun& run, const Group& arms, std::size_t rounds,
                 const std::string& purpose) {
  for (std::size_t session = 0; rounds > 0; ++session) {
    const std::size_t part = std::min(rounds, run.plan.confirm_rounds);
    for (Group& group : grouped(arms, run.plan.group_size)) {
      if (run.is_over()) return done();
      drop_those_out(group);
      HONE_TRY_DO(run_group(run, group, part, purpose + "/" + std::to_string(session)));
    }
    rounds -= part;
  }
  return done();
}

}  // namespace

Status screen(SearchRun& run, const std::vector<Contender*>& arms, std::string_view purpose) {
  const std::size_t whole = run.plan.screen_rounds;
  // One round of a slow model is better than none.
  const std::size_t rounds = run.pace.session_s(arms.size() + 1, whole) <= run.left() ? whole : 1;
  HONE_TRY_DO(run_stage(run, arms, rounds, std::string(purpose) + "/screen"));
  // One block is no evidence on a machine that others use: a round of another session has to show
  // the same. Who does not gets as many as the others, so that the first does not decide.
  Group aside;
  std::ranges::copy_if(arms, std::back_inserter(aside), &Contender::is_set_aside);
  for (Contender* arm : aside) {
    if (run.is_over()) break;
    arm->is_set_aside = false;
    HONE_TRY_DO(run_group(run, {arm}, rounds, std::string(purpose) + "/aside"));
  }
  for (Contender* arm : arms) {
    if (!arm->is_racing || arm->differences.size() < whole) continue;
    if (is_always_slower(run, *arm, run.plan.futile_in_session)) let_go(*arm);
  }
  return done();
}

Status screen_again(SearchRun& run, std::string_view purpose) {
  if (!is_busy(run)) return done();
  for (const auto& contender : run.contenders) {
    const std::size_t rounds = contender->differences.size();
    const bool was_let_go =
        contender->arm.outcome == ArmOutcome::futile && rounds <= run.plan.screen_rounds &&
        (rounds == 1 || contender->score() < std::log(run.plan.futile_in_block));
    if (!was_let_go || run.is_over()) continue;
    contender->is_racing = true;
    contender->arm.outcome = ArmOutcome::pending;
    // One round more than before: the middle of all is then among the new ones.
    HONE_TRY_DO(run_group(run, {contender.get()}, run.plan.screen_rounds + 1,
                          std::string(purpose) + "/again"));
    if (contender->is_racing && is_always_slower(run, *contender, run.plan.futile_in_session))
      let_go(*contender);
  }
  return done();
}

Status race(SearchRun& run, std::vector<Contender*> arms, std::string_view purpose) {
  constexpr std::size_t finalists = 2;
  // What the time did not suffice for was not beaten.
  drop_those_out(arms);
  std::erase_if(arms, [](const Contender* arm) { return !arm->has_score(); });
  std::size_t rounds = run.plan.screen_rounds;
  for (std::size_t stage = 1; arms.size() > finalists && !run.is_stopped(); ++stage) {
    drop_slower_half(run, arms, stage);
    if (arms.size() <= finalists || run.is_late()) break;
    rounds *= 2;
    HONE_TRY_DO(run_stage(run, arms, rounds, std::string(purpose) + "/" + std::to_string(stage)));
    drop_those_out(arms);
  }
  return done();
}

}  // namespace hone
