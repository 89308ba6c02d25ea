#include "flow/search/record.h"

#include <algorithm>
#include <cmath>

#include "search/replay.h"

namespace hone {
namespace {

constexpr std::size_t group_size = 4;

// Where time is short, arms come in their order, the most promising first, and those behind are
// left out: half of the time may go into building, and fewer sessions of an arm than these say
// little.
constexpr double building_share = 0.5;
constexpr std::size_t least_sessions = 4;

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

// Its own time, the median of the rounds.
double own_ms_of(const RacedSession& session, std::uint64_t arm) {
  std::vector<double> logs;
  for (const std::vector<ArmBlock>& round : session.rounds)
    for (const ArmBlock& block : round)
      if (block.arm == arm) logs.push_back(block.log_ns);
  std::ranges::sort(logs);
  const std::size_t middle = logs.size() / 2;
  const double log = logs.size() % 2 == 1 ? logs[middle] : (logs[middle - 1] + logs[middle]) / 2;
  return std::round(std::exp(log)) / 1e6;
}

using Group = std::vector<RecordedArm*>;

// Sessions of all arms, pass by pass: what is there when the time is over is even, and a drift is
// shared by all.
class Recorder {
 public:
  Recorder(const SearchSite& site, const SearchTools& tools, const RecordPlan& plan,
           const Watch& watch, RecordedSpace& space)
      : site_(site), tools_(tools), plan_(plan), watch_(watch), space_(space) {}

  Status record() {
    for (std::size_t pass = 0; pass < plan_.sessions; ++pass) {
      std::vector<Group> groups = running_groups();
      if (groups.empty()) return fail(Fault::runtime, "nothing but the baseline runs");
      for (std::size_t i = 0; i < groups.size(); ++i) {
        watch_.step("session " + std::to_string(pass + 1) + " of group " + std::to_string(i + 1) +
                        " of " + std::to_string(groups.size()),
                    pass, plan_.sessions);
        HONE_TRY(const bool goes_on, hold(groups[i], pass * groups.size() + i + 1));
        if (!goes_on) return end_after(pass);
        if (pass == 0 && i == 0) keep_what_fits(groups);
      }
    }
    return done();
  }

  // The middle of all sessions.
  double baseline_ms() const {
    std::vector<double> times = space_.arms.front().session_ms;
    std::ranges::sort(times);
    return times.empty() ? 1 : times[times.size() / 2];
  }
  std::optional<double> block_s() const {
    if (blocks_ == 0 || seconds_ <= 0) return std::nullopt;
    return seconds_ / static_cast<double>(blocks_);
  }

 private:
  RecordedArm& baseline() { return space_.arms.front(); }

  std::vector<Group> running_groups() {
    std::vector<Group> groups;
    for (RecordedArm& arm : space_.arms) {
      if (&arm == &baseline() || !arm.built || arm.error) continue;
      if (groups.empty() || groups.back().size() == group_size) groups.emplace_back();
      groups.back().push_back(&arm);
    }
    return groups;
  }

  double seconds() const { return tools_.seconds ? tools_.seconds() : 0; }

  // By what the first session of the first group took.
  void keep_what_fits(std::vector<Group>& groups) {
    const double sessions_left = seconds_left(site_) / std::max(seconds_, 1e-3);
    const double fitting = std::max(1.0, sessions_left / least_sessions);
    if (fitting >= static_cast<double>(groups.size())) return;
    const std::size_t all = space_.arms.size();
    const RecordedArm* first_left_out = groups[static_cast<std::size_t>(fitting)].front();
    groups.resize(static_cast<std::size_t>(fitting));
    space_.arms.erase(space_.arms.begin() + (first_left_out - space_.arms.data()),
                      space_.arms.end());
    watch_.step("there is time for " + std::to_string(space_.arms.size()) + " of " +
                std::to_string(all) + " arms");
  }

  // False when the time is over. Where a session fails, each arm runs alone to find out whose fault
  // it is: that one is recorded as what does not run.
  Result<bool> hold(const Group& group, std::uint64_t seed) {
    Group arms = {&baseline()};
    arms.insert(arms.end(), group.begin(), group.end());
    arms.push_back(&baseline());
    std::vector<SearchArmRun> runs;
    for (const RecordedArm* arm : arms) runs.push_back({*arm->built, arm->hypothesis.recipe});
    const SessionOrder order{.arms = runs, .rounds = plan_.rounds, .seed = seed};
    const double began = seconds();
    const auto session =
        tools_.run_session(order, [](const std::vector<ArmBlock>&) { return done(); });
    if (!session && group.size() > 1) {
      for (RecordedArm* arm : group) {
        HONE_TRY(const bool goes_on, hold({arm}, seed));
        if (!goes_on) return false;
      }
      return true;
    }
    if (!session) {
      group.front()->error = session.error();
      group.front()->sessions.clear();
      group.front()->session_ms.clear();
      return true;
    }
    if (session->rounds.size() < plan_.rounds) return false;
    seconds_ += seconds() - began;
    blocks_ += arms.size() * plan_.rounds;
    for (std::size_t i = 1; i < arms.size(); ++i) {
      arms[i]->sessions.push_back(differences_of(*session, i));
      arms[i]->session_ms.push_back(own_ms_of(*session, i));
    }
    return true;
  }

  // The passes that were held; the last one, which not all arms were in, goes.
  Status end_after(std::size_t passes) {
    if (passes < 2)
      return fail(Fault::timeout, "the time was over before every arm had two sessions", {},
                  "give more --time-budget, or fewer arms with --only-hypotheses");
    for (RecordedArm& arm : space_.arms) {
      if (&arm == &baseline() || arm.sessions.size() <= passes) continue;
      arm.sessions.resize(passes);
      arm.session_ms.resize(passes);
    }
    watch_.step("the time is over after " + std::to_string(passes) + " sessions of every arm");
    return done();
  }

  const SearchSite& site_;
  const SearchTools& tools_;
  const RecordPlan& plan_;
  const Watch& watch_;
  RecordedSpace& space_;
  double seconds_ = 0;  // in sessions
  std::size_t blocks_ = 0;
};

}  // namespace

Result<RecordedSpace> record_space(const SearchSite& site, const SearchTools& tools,
                                   const RecordPlan& plan, const Watch& watch) {
  RecordedSpace space;
  space.model = site.model.filename().string();
  space.target = plan.hypotheses.front().recipe.target;
  const double time = seconds_left(site);
  for (const Hypothesis& hypothesis : plan.hypotheses) {
    // The baseline alone is no space.
    if (space.arms.size() > 1 && seconds_left(site) < (1 - building_share) * time) break;
    watch.step("building " + hypothesis.id);
    space.arms.push_back(record_arm(tools, hypothesis));
  }
  const RecordedArm& baseline = space.arms.front();
  if (!baseline.built || baseline.error) return fail(Fault::runtime, "the baseline does not run");
  Recorder recorder(site, tools, plan, watch, space);
  HONE_TRY_DO(recorder.record());
  space.baseline_ms = recorder.baseline_ms();
  space.block_s = recorder.block_s().value_or(space.block_s);
  // A record is read elsewhere: no paths of this machine.
  for (RecordedArm& arm : space.arms) {
    if (arm.built)
      arm.built->model = Path(arm.built->model).lexically_relative(site.folder).generic_string();
  }
  HONE_TRY_DO(check_space(space));
  return space;
}

}  // namespace hone
