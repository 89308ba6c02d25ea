// The race: groups of arms against one baseline, the slower half out after each stage. What it
// shows picks finalists and is never reported as a speed: the winner of many is lucky too.

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
  std::erase_if(arms, [](const Contender* arm) { return !arm->is_racing; });
}

std::string ids_of(const Group& arms) {
  std::vector<std::string> ids;
  for (const Contender* arm : arms) ids.push_back(arm->arm.hypothesis.id);
  return join(ids, ", ");
}

double log_of(const std::vector<ArmBlock>& round, std::uint64_t arm) {
  return std::ranges::find(round, arm, &ArmBlock::arm)->log_ns;
}

std::string times(double ratio) {
  const auto tenths = static_cast<std::int64_t>(std::lround(ratio * 10));
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " times";
}

// Takes a round's differences; false when an arm is so slow that the others should not wait for it.
bool take_round(const SearchRun& run, const Group& arms, const std::vector<ArmBlock>& round) {
  bool goes_on = true;
  const double baseline = log_of(round, 0);
  for (std::size_t i = 0; i < arms.size(); ++i) {
    Contender& arm = *arms[i];
    const double difference = log_of(round, i + 1) - baseline;
    const bool is_first = !arm.has_score();
    arm.differences.push_back(difference);
    arm.arm.screen_ratio = std::exp(arm.score());
    arm.arm.screen_blocks = arm.differences.size();
    if (!is_first || difference < std::log(run.plan.futile_in_block)) continue;
    arm.leave(ArmOutcome::futile,
              times(std::exp(difference)) + " the baseline's time in its first block");
    goes_on = false;
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
    if (outcome.end == SessionEnd::interrupted) return done();
    if (outcome.end == SessionEnd::failed && arms.size() == 1) {
      leave_failed(*arms.front(), *outcome.error);
      return done();
    }
    if (outcome.end == SessionEnd::failed) {
      for (Contender* arm : arms) HONE_TRY_DO(run_group(run, {arm}, rounds, purpose));
      return done();
    }
    drop_those_out(arms);
  }
  return done();
}

// So many rounds for each arm, in sessions no longer than those that confirm.
Status run_stage(SearchRun& run, const Group& arms, std::size_t rounds,
                 const std::string& purpose) {
  for (std::size_t session = 0; rounds > 0; ++session) {
    const std::size_t part = std::min(rounds, run.plan.confirm_rounds);
    for (Group& group : grouped(arms, run.plan.group_size)) {
      if (run.is_stopped()) return done();
      drop_those_out(group);
      HONE_TRY_DO(run_group(run, group, part, purpose + "/" + std::to_string(session)));
    }
    rounds -= part;
  }
  return done();
}

}  // namespace

Status screen(SearchRun& run, const std::vector<Contender*>& arms, std::string_view purpose) {
  const std::size_t rounds = run.plan.screen_rounds;
  HONE_TRY_DO(run_stage(run, arms, rounds, std::string(purpose) + "/screen"));
  for (Contender* arm : arms) {
    if (!arm->is_racing || arm->differences.size() < rounds) continue;
    if (arm->score() < std::log(run.plan.futile_in_session)) continue;
    arm->leave(ArmOutcome::futile,
               times(std::exp(arm->score())) + " the baseline's time in its first session");
  }
  return done();
}

Status race(SearchRun& run, std::vector<Contender*> arms, std::string_view purpose) {
  constexpr std::size_t finalists = 2;
  // What the time did not suffice for was not beaten.
  std::erase_if(arms, [](const Contender* arm) { return !arm->is_racing || !arm->has_score(); });
  std::size_t rounds = run.plan.screen_rounds;
  for (std::size_t stage = 1; arms.size() > finalists && !run.is_stopped(); ++stage) {
    std::ranges::stable_sort(arms, std::less(), &Contender::score);
    const std::size_t kept = std::max(finalists, (arms.size() + 1) / 2);
    for (std::size_t i = kept; i < arms.size(); ++i)
      arms[i]->leave(ArmOutcome::raced_out, "others were faster in the race");
    arms.resize(kept);
    if (arms.size() <= finalists || run.is_late()) break;
    rounds *= 2;
    HONE_TRY_DO(run_stage(run, arms, rounds, std::string(purpose) + "/" + std::to_string(stage)));
    drop_those_out(arms);
  }
  return done();
}

}  // namespace hone
