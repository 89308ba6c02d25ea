#include "support/again_runs.h"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

// A level of one day says little of another's; what is off by as much was not measured there.
constexpr double far = 4;
constexpr double far_elsewhere = 100;

bool is_near(double claimed, double again, double factor) {
  return claimed > 0 && again > 0 && claimed < again * factor && again < claimed * factor;
}

double half_width(const Comparison& race) {
  return std::log(race.interval.back() / race.interval.front()) / 2;
}

// Our own noise counts: identical arms are apart by as much. The claimed one counts for no more
// than ours: who forges a ratio would forge that, too. An inconclusive race claims no ratio, and
// need only meet ours.
bool agree(const Comparison& claimed, const Comparison& again) {
  if (claimed.interval.size() != 2 || again.interval.size() != 2) return false;
  const double ours = half_width(again);
  const double noise = again.noise_floor.value_or(0);
  const bool claims_nothing = claimed.verdict == Verdict::inconclusive;
  const double theirs =
      claims_nothing ? half_width(claimed) : std::min(half_width(claimed), 2 * ours + noise);
  const double apart = std::abs(std::log(claimed.ratio / again.ratio));
  return apart <= ours + theirs + std::log1p(again.margin + noise);
}

bool is_opposite(Verdict a, Verdict b) {
  return (a == Verdict::faster && b == Verdict::slower) ||
         (a == Verdict::slower && b == Verdict::faster);
}

// On another machine ratios are others; the verdict is what is left to compare.
bool races_agree(const RunProof& claimed, const RunProof& again, const ReviewSite& site) {
  if (!claimed.speed || !again.speed) return false;
  if (!site.same_machine) return claimed.speed->verdict == again.speed->verdict;
  return !is_opposite(claimed.speed->verdict, again.speed->verdict) &&
         agree(*claimed.speed, *again.speed);
}

// The least and the largest latency that was seen here: by itself, in the tail, and in the race.
std::pair<double, double> latencies(const RunProof& run) {
  std::vector<double> seen = {run.p50_ms.value_or(0)};
  for (const std::optional<double>& tail : {run.p90_ms, run.p99_ms})
    if (tail) seen.push_back(*tail);
  if (run.speed && run.speed->arms.size() == 1 && run.speed->arms.front().median_ms)
    seen.push_back(*run.speed->arms.front().median_ms);
  const auto [least, most] = std::ranges::minmax(seen);
  return {least, most};
}

class RunComparison {
 public:
  RunComparison(const ReviewSite& site, bool has_agreed_race, Lines& lines)
      : site_(site), has_agreed_race_(has_agreed_race), lines_(lines) {}

  void compare(const RunProof& claimed, const RunProof& again, const std::string& at) {
    const bool ran = again.kind == RunClass::ran;
    lines_.require("again.L1.runs", ran, LineVerdict::changes, at,
                   "here it does not run: " + again.reason);
    if (!ran) return;
    compare_placement(claimed, again, at);
    compare_latency(claimed, again, at);
    compare_counts(claimed, again, at);
  }

 private:
  void compare_placement(const RunProof& claimed, const RunProof& again, const std::string& at) {
    constexpr double least_share = 0.005;
    const double moved = std::abs(claimed.placement.value_or(-1) - again.placement.value_or(-1));
    lines_.require(
        "again.L1.placement", moved <= least_share, unless_same(site_), at + "/placement",
        "here " + std::to_string(again.placement.value_or(0)) + " of the nodes ran there");
  }

  // On another machine nothing of a latency can be checked, unless the race there says the same.
  void compare_latency(const RunProof& claimed, const RunProof& again, const std::string& at) {
    const double factor = site_.same_machine ? far : far_elsewhere;
    const auto [least, most] = latencies(again);
    const double level = claimed.p50_ms.value_or(0);
    const bool is_possible = level * factor > least && level < most * factor;
    const std::string here = "here it takes " + std::to_string(again.p50_ms.value_or(0)) + " ms";
    const bool can_tell = site_.same_machine || has_agreed_race_;
    lines_.require("again.L1.latency", is_possible && can_tell, LineVerdict::changes,
                   at + "/p50_ms",
                   can_tell ? here : here + ", and the race of another machine is not confirmed");
  }

  void compare_counts(const RunProof& claimed, const RunProof& again, const std::string& at) {
    const auto runs = static_cast<double>(again.runs);
    lines_.require("again.L1.count", is_near(static_cast<double>(claimed.runs), runs, far),
                   LineVerdict::changes, at + "/runs",
                   "the command makes " + std::to_string(again.runs) + " runs");
    const auto bytes = static_cast<double>(again.peak_bytes.value_or(0));
    const auto claimed_bytes = static_cast<double>(claimed.peak_bytes.value_or(0));
    lines_.require("again.L1.memory", is_near(claimed_bytes, bytes, far), LineVerdict::changes,
                   at + "/peak_bytes",
                   "here it takes " + std::to_string(again.peak_bytes.value_or(0)) + " bytes");
  }

  const ReviewSite& site_;
  bool has_agreed_race_;
  Lines& lines_;
};

const RunProof* find_run(const TierProof& tier, const Target& target) {
  const auto found = std::ranges::find_if(
      tier.runs, [&](const RunProof& run) { return to_json(run.target) == to_json(target); });
  return found == tier.runs.end() ? nullptr : &*found;
}

// Where no race was run again, one of another machine cannot be checked.
bool compare_race(const RunProof& claimed, const RunProof& again, const ReviewSite& site,
                  const std::string& at, Lines& lines) {
  const bool agrees = races_agree(claimed, again, site);
  const bool was_raced = again.speed.has_value();
  if (!claimed.speed || (!was_raced && site.same_machine)) return agrees;
  lines.require("again.L1.speed", agrees, LineVerdict::changes, at + "/speed",
                was_raced ? "raced again it takes " + std::to_string(again.speed->ratio) +
                                " of the time, " + std::string(name_of(again.speed->verdict))
                          : "it is of another machine, and was not raced again");
  return agrees;
}

// A target that did not run there does not run here either, where here is the same.
void compare_absence(const RunProof& claimed, const RunProof& again, const ReviewSite& site,
                     const std::string& at, Lines& lines) {
  if (!site.same_machine || !site.same_versions) return;
  lines.require("again.L1.absent", claimed.kind == again.kind, LineVerdict::changes, at + "/class",
                "here it is '" + std::string(name_of(again.kind)) + "'");
}

}  // namespace

LineVerdict unless_same(const ReviewSite& site) {
  return site.same_versions && site.same_machine ? LineVerdict::reject : LineVerdict::changes;
}

void compare_runs(const TierProof& claimed, const TierProof& again, const ReviewSite& site,
                  const std::string& at, Lines& lines) {
  bool has_agreed_race = false;
  for (std::size_t i = 0; i < claimed.runs.size(); ++i) {
    const RunProof& run = claimed.runs[i];
    const std::string place = at + "/runs/" + std::to_string(i);
    const RunProof* same = find_run(again, run.target);
    if (same == nullptr) {
      lines.require("again.L1.runs", false, LineVerdict::changes, place, "it was not run again");
      continue;
    }
    if (run.kind != RunClass::ran) {
      compare_absence(run, *same, site, place, lines);
      continue;
    }
    if (i == 0) has_agreed_race = compare_race(run, *same, site, place, lines);
    RunComparison(site, has_agreed_race, lines).compare(run, *same, place);
  }
  lines.require("again.L1.any", !again.runs.empty(), LineVerdict::changes, at,
                "no target was run again");
}

}  // namespace hone
