#include "app/replay.h"

#include <algorithm>
#include <cmath>

#include "app/step_progress.h"
#include "measure/race.h"
#include "model/npz/zip.h"
#include "record/replay_report.h"
#include "report/search/replay_text.h"
#include "search/replay.h"

namespace hone::app {
namespace {

constexpr std::size_t group_size = 4;
constexpr std::size_t null_arms = 8;

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

SearchJudge judge_by(double margin) {
  return [margin](const std::vector<std::string>& names, const std::vector<RacedSession>& sessions,
                  std::size_t finals) {
    VerdictRules rules;
    rules.margin = margin;
    const std::size_t finalists = std::max<std::size_t>(names.size(), 2) - 1;
    rules.looks.nominal_p /= static_cast<double>(finalists * finals);
    return judge_race(names, sessions, rules);
  };
}

Result<ReplayScore> search_once(const RecordedSpace& space, const SearchJudge& judge,
                                std::uint64_t seed) {
  HONE_TRY(SearchJournal journal, SearchJournal::in_memory());
  const SearchPlan plan = replay_plan(space, seed);
  HONE_TRY(const SearchResult result, search(plan, replay_tools(space, judge), journal));
  return replay_score(space, plan, result);
}

double best_ratio_of(const RecordedSpace& space) {
  double best = 1;
  for (const RecordedArm& arm : space.arms) {
    const bool may_ship = arm.built && !arm.error && arm.accuracy.verdict == CheckVerdict::pass &&
                          arm.numerics.verdict == CheckVerdict::pass && !arm.sessions.empty();
    if (may_ship && &arm != &space.arms.front()) best = std::min(best, recorded_ratio(arm));
  }
  return best;
}

Result<ReplayedSpace> replay_space(const RecordedSpace& space, std::uint64_t searches,
                                   const SearchJudge& judge) {
  ReplayedSpace replayed;
  replayed.model = space.model;
  replayed.target = space.target.ep;
  replayed.arms = space.arms.size();
  replayed.best_ratio = best_ratio_of(space);
  replayed.mean_regret = 0;
  const RecordedSpace null = null_space(space, null_arms);
  for (std::uint64_t seed = 0; seed < searches; ++seed) {
    HONE_TRY(const ReplayScore score, search_once(space, judge, seed));
    replayed.mean_regret += score.regret / static_cast<double>(searches);
    replayed.worst_regret = std::max(replayed.worst_regret, score.regret);
    replayed.mean_evaluations_share += score.evaluations_share / static_cast<double>(searches);
    replayed.false_keeps += score.is_false_keep ? 1 : 0;
    HONE_TRY(const ReplayScore nothing, search_once(null, judge, seed));
    replayed.null_keeps += nothing.is_false_keep ? 1 : 0;
    ++replayed.searches;
    ++replayed.null_searches;
  }
  return replayed;
}

Result<RecordedSpace> parse_space(std::string_view text) {
  HONE_TRY(const Json document, Json::parse(text));
  HONE_TRY(RecordedSpace space, from_document<RecordedSpace>(document, replay_schema_version));
  HONE_TRY_DO(check_space(space));
  return space;
}

}  // namespace

Result<RecordedSpace> record_space(const SearchSite& site, const SearchTools& tools,
                                   const RecordPlan& plan) {
  RecordedSpace space;
  space.model = site.model.filename().string();
  space.target = plan.hypotheses.front().recipe.target;
  for (const Hypothesis& hypothesis : plan.hypotheses) {
    plan.progress("building " + hypothesis.id);
    space.arms.push_back(record_arm(tools, hypothesis));
  }
  const std::vector<RecordedArm*> running = running_arms(space);
  if (running.empty() || running.front() != &space.arms.front())
    return fail(Fault::runtime, "the baseline does not run");
  std::vector<double> times;
  for (std::size_t first = 1; first < running.size(); first += group_size) {
    const std::size_t end = std::min(first + group_size, running.size());
    for (std::size_t number = 0; number < plan.sessions; ++number) {
      plan.progress("session " + std::to_string(number + 1) + " of arms " + std::to_string(first) +
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

Result<std::vector<RecordedSpace>> read_spaces(const Path& file) {
  std::vector<RecordedSpace> spaces;
  if (file.extension() != ".zip") {
    HONE_TRY(const std::string text, read_file(file));
    HONE_TRY(RecordedSpace space, parse_space(text));
    spaces.push_back(std::move(space));
    return spaces;
  }
  HONE_TRY(const Blob archive, map_file(file));
  constexpr std::uint64_t most_bytes = 64ull << 20;
  HONE_TRY(const std::vector<ZipEntry> entries, read_zip(archive, most_bytes));
  for (const ZipEntry& entry : entries) {
    HONE_TRY(RecordedSpace space, parse_space(entry.bytes.view()));
    spaces.push_back(std::move(space));
  }
  return spaces;
}

Result<ExitCode> run_replay(const std::vector<std::string>& files, std::uint64_t searches,
                            double margin, const Call& call) {
  ReplayReport report;
  StepProgress progress(call);
  for (const std::string& file : files) {
    HONE_TRY(const std::vector<RecordedSpace> spaces, read_spaces(file));
    for (const RecordedSpace& space : spaces) {
      progress.step("replaying " + space.model);
      HONE_TRY(ReplayedSpace replayed, replay_space(space, searches, judge_by(margin)));
      report.spaces.push_back(std::move(replayed));
    }
  }
  progress.end();
  HONE_TRY_DO(
      call.answer(to_document(report, replay_report_schema_version), describe_replay(report)));
  return ExitCode::done;
}

}  // namespace hone::app
