#include "flow/search/replay.h"

#include <algorithm>

#include "base/hash.h"
#include "flow/search/record_findings.h"
#include "measure/race.h"
#include "model/npz/zip.h"
#include "search/replay.h"

namespace hone {
namespace {

constexpr std::size_t null_arms = 8;

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

// A space, and the SHA-256 of what it was read from.
struct ReadSpace {
  RecordedSpace space;
  std::string sha256;
};

Result<RecordedSpace> parse_space(std::string_view text) {
  HONE_TRY(const Json document, Json::parse(text));
  HONE_TRY(RecordedSpace space, from_document<RecordedSpace>(document, replay_schema_version));
  HONE_TRY_DO(check_space(space));
  return space;
}

Result<ReadSpace> read_space(std::string_view text) {
  HONE_TRY(RecordedSpace space, parse_space(text));
  return ReadSpace{std::move(space), sha256(text).hex()};
}

Result<std::vector<ReadSpace>> read_all(const Path& file) {
  std::vector<ReadSpace> spaces;
  if (file.extension() != ".zip") {
    HONE_TRY(const std::string text, read_file(file));
    HONE_TRY(ReadSpace space, read_space(text));
    spaces.push_back(std::move(space));
    return spaces;
  }
  HONE_TRY(const Blob archive, map_file(file));
  constexpr std::uint64_t most_bytes = 64ull << 20;
  HONE_TRY(const std::vector<ZipEntry> entries, read_zip(archive, most_bytes));
  for (const ZipEntry& entry : entries) {
    HONE_TRY(ReadSpace space, read_space(entry.bytes.view()));
    spaces.push_back(std::move(space));
  }
  return spaces;
}

}  // namespace

Result<std::vector<RecordedSpace>> read_spaces(const Path& file) {
  HONE_TRY(std::vector<ReadSpace> read, read_all(file));
  std::vector<RecordedSpace> spaces;
  for (ReadSpace& one : read) spaces.push_back(std::move(one.space));
  return spaces;
}

Result<ReplayReport> replay_searches(const ReplayOrder& order, const Watch& watch) {
  ReplayReport report;
  FindingFile drafts;
  for (const std::string& file : order.files) {
    HONE_TRY(const std::vector<ReadSpace> spaces, read_all(file));
    for (const ReadSpace& one : spaces) {
      watch.step("replaying " + one.space.model);
      HONE_TRY(ReplayedSpace replayed,
               replay_space(one.space, order.searches, judge_by(order.margin)));
      report.spaces.push_back(std::move(replayed));
      if (order.findings.empty()) continue;
      const auto found = draft_findings(one.space, order.margin, one.sha256);
      drafts.findings.insert(drafts.findings.end(), found.begin(), found.end());
    }
  }
  if (order.findings.empty()) return report;
  HONE_TRY_DO(
      write_file(order.findings, to_document(drafts, finding_schema_version).dump() + "\n"));
  return report;
}

}  // namespace hone
