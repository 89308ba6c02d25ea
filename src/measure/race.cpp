#include "measure/race.h"

#include <algorithm>

#include "base/counted.h"
#include "base/load_meter.h"
#include "measure/race_session.h"

namespace hone {
namespace {

std::string in_seconds(Nanoseconds time) {
  return std::to_string(std::chrono::ceil<std::chrono::seconds>(time).count());
}

// A race under way.
class Race {
 public:
  explicit Race(const RacePlan& plan) : plan_(plan), random_(mix64(plan.seed)) {
    for (const RaceArm& arm : plan.arms) {
      names_.push_back(arm.name);
      arms_.push_back(&arm.plan);
    }
    arms_.push_back(&plan.arms.front().plan);  // the clone
  }

  Result<Comparison> run() {
    Comparison comparison;
    for (const std::size_t look : plan_.rules.looks.sessions) {
      while (samples_.size() < look && goes_on()) HONE_TRY_DO(add_session(look));
      if (samples_.empty()) return nothing_to_tell();
      comparison = judge_looks(names_, samples_, plan_.rules);
      if (!goes_on() || samples_.size() < look || are_all_settled(comparison)) break;
    }
    add_notes(comparison);
    comparison.load = to_record(load_.so_far());
    return comparison;
  }

 private:
  // A session is begun only where the shortest one would end in time.
  bool goes_on() const {
    if (is_ended_ || is_stopped(plan_)) return false;
    if (plan_.deadline.count() == 0) return true;
    return session_time(least_shape(full_shape(plan_)), costs_) < time_left(plan_);
  }

  Status add_session(std::size_t look) {
    RacedSession kept;
    const RoundKeeper keep = [&](const std::vector<ArmBlock>& round) {
      kept.rounds.push_back(round);
      return done();
    };
    const std::size_t to_look = look - samples_.size();
    const Shaper shaper = [&](std::span<const ArmCost> costs) {
      return plan_.deadline.count() == 0
                 ? shape_without_limit(full_shape(plan_), costs)
                 : shape_within(full_shape(plan_), costs, time_left(plan_), to_look);
    };
    RaceSession session(plan_, arms_, random_, shaper);
    Result<RacedSession> end = session.run(keep);
    if (!session.costs().empty()) costs_ = session.costs();
    if (!end) {
      is_ended_ = is_stopped(plan_) || time_left(plan_) <= Nanoseconds{0};
      if (!is_ended_) return fail(std::move(end).error());
    }
    if (kept.rounds.empty()) return done();
    samples_.push_back(std::move(kept));
    if (end && session.shape() != full_shape(plan_)) shortest_ = session.shape();
    tell_progress();
    return done();
  }

  void tell_progress() const {
    const std::size_t most = plan_.rules.looks.sessions.back();
    const Nanoseconds pace = (steady_now() - start_) / static_cast<std::int64_t>(samples_.size());
    const Nanoseconds rest = pace * static_cast<std::int64_t>(most - samples_.size());
    plan_.progress(
        {samples_.size(), most, std::max(std::min(rest, time_left(plan_)), Nanoseconds{0})});
  }

  static bool are_all_settled(const Comparison& comparison) {
    return std::ranges::all_of(comparison.arms,
                               [](const ComparedArm& arm) { return arm.decided_at.has_value(); });
  }

  Failure nothing_to_tell() const {
    if (is_stopped(plan_))
      return fail(Fault::runtime, "the race was stopped before every arm had run once");
    return fail(Fault::timeout, "the time was over before every arm had run once", {},
                time_needed() + ": give it more (--max-time)");
  }

  // What three sessions would take, at what one arm more or less took to open. Where not even one
  // was open, more than that for each.
  std::string time_needed() const {
    constexpr std::int64_t sessions = 3;
    const auto opened = static_cast<std::int64_t>(arms_.size()) * sessions;
    const bool is_known = !costs_.empty();
    std::vector<ArmCost> all(arms_.size(), is_known ? costs_.front() : ArmCost{});
    std::ranges::copy(costs_, all.begin());
    const Nanoseconds needed = is_known
                                   ? session_time(least_shape(full_shape(plan_)), all) * sessions
                                   : (steady_now() - start_) * opened;
    return "three sessions, the least for a verdict, take " +
           std::string(is_known ? "about " : "more than ") + in_seconds(needed) + " s";
  }

  void add_notes(Comparison& comparison) const {
    const bool is_cut = std::ranges::any_of(comparison.arms, &ComparedArm::is_cut);
    if (is_cut) {
      comparison.notes.push_back(
          std::string(is_stopped(plan_) ? "it was stopped" : "the time was over") + " after " +
          counted(comparison.sessions, "session"));
    }
    const std::size_t first = plan_.rules.looks.sessions.front();
    const bool is_early = std::ranges::any_of(comparison.arms, [&](const ComparedArm& arm) {
      return arm.decided_at.value_or(first) < first;
    });
    if (is_early) {
      comparison.notes.push_back("the verdict rests on " + counted(comparison.sessions, "session") +
                                 " where " + std::to_string(first) +
                                 " are usual; all of them agree");
    }
    if (shortest_) {
      comparison.notes.push_back(
          "sessions were kept short: " + counted(shortest_->rounds, "round") + " instead of " +
          std::to_string(plan_.rounds));
    }
  }

  const RacePlan& plan_;
  LoadMeter load_;
  Nanoseconds start_ = steady_now();
  Random random_;
  std::vector<std::string> names_;
  std::vector<const RunPlan*> arms_;
  std::vector<RacedSession> samples_;
  std::vector<ArmCost> costs_;  // of the session before
  std::optional<SessionShape> shortest_;
  bool is_ended_ = false;  // in the middle of a session
};

}  // namespace

Result<RacedSession> race_session(const RacePlan& plan, std::uint64_t seed,
                                  const RoundKeeper& keep_round) {
  std::vector<const RunPlan*> arms;
  for (const RaceArm& arm : plan.arms) arms.push_back(&arm.plan);
  Random random(mix64(seed));
  const Shaper as_asked = [&](std::span<const ArmCost>) { return full_shape(plan); };
  return RaceSession(plan, arms, random, as_asked).run(keep_round);
}

Result<Comparison> race(const RacePlan& plan) { return Race(plan).run(); }

}  // namespace hone
