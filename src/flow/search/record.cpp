#include "flow/search/record.h"

#include <algorithm>
#include <cmath>

#include "search/replay.h"

namespace hone {
namespace {

constexpr std::size_t group_size = 4;

RecordedArm record_arm(const SearchTools& tools, const Hypothesis& hypothesis) {
  RecordedArm arm;
  arm.hypothesis = hypothesis;
  auto built = tools.build(hypothesis.recipe, unlimited_s);
  if (!built) {
    arm.error = built.error();
    return arm;
  }
  arm.built = *std::move(built);
  for (const auto& [check, into] : {std::pair(&tools.check_numerics, &arm.numerics),
                                    std::pair(&tools.check_accuracy, &arm.accuracy)}) {
    auto checked = (*check)(*arm.built, hypothesis.recipe, unlimited_s);
    if (checked) {
      *into = *std::move(checked);
    } else {
      arm.error = checked.error();
    }
  }
  return arm;
}

// The differences from block 0's arm, round by round.
std::vector<double> differences_of(const RacedSession& session, std::uint64_t arm) {
  std::vector<double> found;
  for (const std::vector<ArmBlock>& round : session.rounds) {
    double baseline = 0;
    double own = 0;
    for (const ArmBlock& block : round) {
      if (block.arm == 0) baseline = block.log_ns;
      if (block.arm == arm) own = block.log_ns;
    }
    found.push_back(std::round((own - baseline) * 1e6) / 1e6);
  }
  return found;
}

std::vector<RecordedArm*> running_arms(RecordedSpace& space) {
  std::vector<RecordedArm*> running;
  for (RecordedArm& arm : space.arms)
    if (arm.built && !arm.error) running.push_back(&arm);
  return running;
}

double baseline_ms_of(const RacedSession& session) {
  double sum = 0;
  for (const std::vector<ArmBlock>& round : session.rounds) {
    for (const ArmBlock& block : round)
      if (block.arm == 0) sum += block.log_ns;
  }
  return std::exp(sum / static_cast<double>(session.rounds.size())) / 1e6;
}

}  // namespace

Result<RecordedSpace> record_space(const SearchSite& site, const SearchTools& tools,
                                   const RecordPlan& plan, const Watch& watch) {
  RecordedSpace space;
  space.model = site.model.filename().string();
  space.target = plan.hypotheses.front().recipe.target;
  for (const Hypothesis& hypothesis : plan.hypotheses) {
    watch.step("building " + hypothesis.id);
    space.arms.push_back(record_arm(tools, hypothesis));
  }
  const std::vector<RecordedArm*> running = running_arms(space);
  if (running.empty() || running.front() != &space.arms.front())
    return fail(Fault::runtime, "the baseline does not run");
  std::vector<double> times;
  for (std::size_t first = 1; first < running.size(); first += group_size) {
    const std::size_t end = std::min(first + group_size, running.size());
    for (std::size_t number = 0; number < plan.sessions; ++number) {
      watch.step("session " + std::to_string(number + 1) + " of arms " + std::to_string(first) +
                 " to " + std::to_string(end - 1) + " of " + std::to_string(running.size() - 1));
      std::vector<RecordedArm*> arms = {running.front()};
      arms.insert(arms.end(), running.begin() + static_cast<std::ptrdiff_t>(first),
                  running.begin() + static_cast<std::ptrdiff_t>(end));
      arms.push_back(running.front());
      std::vector<SearchArmRun> runs;
      for (const RecordedArm* arm : arms) runs.push_back({*arm->built, arm->hypothesis.recipe});
      const SessionOrder order{.arms = runs, .rounds = plan.rounds, .seed = first * 1000 + number};
      const auto session =
          tools.run_session(order, [](const std::vector<ArmBlock>&) { return done(); });
      if (!session) return fail(session.error());
      for (std::size_t i = 1; i < arms.size(); ++i)
        arms[i]->sessions.push_back(differences_of(*session, i));
      times.push_back(baseline_ms_of(*session));
    }
  }
  std::ranges::sort(times);
  if (!times.empty()) space.baseline_ms = times[times.size() / 2];
  // A record is read elsewhere: no paths of this machine.
  for (RecordedArm& arm : space.arms) {
    if (arm.built)
      arm.built->model = Path(arm.built->model).lexically_relative(site.folder).generic_string();
  }
  HONE_TRY_DO(check_space(space));
  return space;
}

}  // namespace hone
