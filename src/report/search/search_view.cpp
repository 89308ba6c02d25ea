#include "report/search/search_view.h"

#include <algorithm>
#include <cmath>

#include "base/counted.h"
#include "base/text.h"
#include "record/target_name.h"
#include "report/trace/text.h"

namespace hone::search_view {
namespace {

using text_form::fixed;

bool is_positive(double value) { return std::isfinite(value) && value > 0; }

// "1.56 times as fast as the baseline (1.52 to 1.59)". An interval of times turns around when it
// becomes one of speeds.
std::string speed_text(const ComparedArm& arm) {
  std::string text = fixed(1 / arm.ratio, 2) + " times as fast as the baseline";
  if (const auto interval = interval_of(arm))
    text += " (" + fixed(1 / interval->high, 2) + " to " + fixed(1 / interval->low, 2) + ")";
  return text;
}

std::string time_text(const ComparedArm& arm) {
  std::string text = fixed(arm.ratio, 3) + " of the baseline's time";
  if (const auto interval = interval_of(arm))
    text += " (" + fixed(interval->low, 3) + " to " + fixed(interval->high, 3) + ")";
  return text;
}

std::string undecided_text(const ComparedArm& arm) {
  std::string text;
  if (!arm.reason.empty()) text += "; " + arm.reason;
  if (arm.more_sessions)
    text += "; about " + counted(*arm.more_sessions, "more session") + " would decide";
  return text;
}

bool is_failure(ArmOutcome outcome) {
  switch (outcome) {
    case ArmOutcome::build_failed:
    case ArmOutcome::numerics_failed:
    case ArmOutcome::placement_failed:
    case ArmOutcome::run_failed:
      return true;
    default:
      return false;
  }
}

std::string why_nothing_ships(const SearchResult& result) {
  const SearchArm* baseline = baseline_of(result);
  if (baseline == nullptr)
    return "The search never began: not even the baseline is among its arms.";
  std::string text = "The baseline " + std::string(outcome_text(baseline->outcome));
  if (!baseline->reason.empty()) text += " (" + baseline->reason + ")";
  return text + ", so nothing could be compared with it and nothing ships.";
}

std::string why_the_baseline_ships(const SearchResult& result) {
  const auto compared = compared_arms(result);
  const auto faster = std::ranges::find_if(compared.rbegin(), compared.rend(), [](const auto* arm) {
    return arm->confirmed->is_worth_keeping;
  });
  if (faster != compared.rend()) {
    return (*faster)->hypothesis.id + " was faster, but its accuracy is not shown to hold (" +
           accuracy_text((*faster)->accuracy) + "): the baseline ships.";
  }
  if (compared.empty())
    return "No arm came as far as a comparison with the baseline: the baseline ships.";
  return "No arm was shown to be worth keeping against the baseline: the baseline ships.";
}

// Without a sign where nothing but zeros would stand behind it.
std::string signed_number(double value) {
  const std::string text = fixed(value, 4);
  const bool is_zero = text.find_first_of("123456789") == std::string::npos;
  if (is_zero) return "0";
  return (value > 0 ? "+" : "") + text;
}

// ", difference -0.0120 to +0.0040"; where both ends are the same, or none, to four places, that.
std::string difference_text(const std::vector<double>& interval) {
  const std::string low = signed_number(interval[0]), high = signed_number(interval[1]);
  if (low == "0" && high == "0") return ", no difference to four places";
  return ", difference " + (low == high ? low : low + " to " + high);
}

}  // namespace

const SearchArm* baseline_of(const SearchResult& result) {
  return result.arms.empty() ? nullptr : &result.arms.front();
}

const SearchArm* champion_of(const SearchResult& result) {
  if (!result.champion || result.arms.empty()) return nullptr;
  const auto found =
      std::find_if(result.arms.begin() + 1, result.arms.end(),
                   [&](const SearchArm& arm) { return arm.hypothesis.id == *result.champion; });
  return found == result.arms.end() ? nullptr : &*found;
}

Ships what_ships(const SearchResult& result) {
  if (champion_of(result) != nullptr) return Ships::champion;
  if (result.stopped) return Ships::nothing;
  const SearchArm* baseline = baseline_of(result);
  return baseline == nullptr || is_failure(baseline->outcome) ? Ships::nothing : Ships::baseline;
}

std::string headline(const SearchResult& result) {
  if (!result.verdict.empty()) return result.verdict;
  const SearchArm* champion = champion_of(result);
  if (champion != nullptr && speed_of(*champion) != nullptr)
    return sentence(champion->hypothesis.id, *speed_of(*champion));
  if (champion != nullptr) return champion->hypothesis.id + " ships; its speed was not compared.";
  return what_ships(result) == Ships::nothing ? why_nothing_ships(result)
                                              : why_the_baseline_ships(result);
}

const ComparedArm* speed_of(const SearchArm& arm) {
  const bool is_usable =
      arm.outcome == ArmOutcome::confirmed && arm.confirmed && is_positive(arm.confirmed->ratio);
  return is_usable ? &*arm.confirmed : nullptr;
}

std::vector<const SearchArm*> compared_arms(const SearchResult& result) {
  std::vector<const SearchArm*> arms;
  for (const SearchArm& arm : result.arms)
    if (&arm != baseline_of(result) && speed_of(arm) != nullptr) arms.push_back(&arm);
  std::ranges::stable_sort(arms, std::ranges::greater{},
                           [](const SearchArm* arm) { return arm->confirmed->ratio; });
  return arms;
}

std::vector<const SearchArm*> other_arms(const SearchResult& result) {
  std::vector<const SearchArm*> arms;
  for (const SearchArm& arm : result.arms)
    if (&arm != baseline_of(result) && speed_of(arm) == nullptr) arms.push_back(&arm);
  return arms;
}

std::optional<Interval> interval_of(const ComparedArm& arm) {
  if (arm.interval.size() != 2) return std::nullopt;
  const Interval interval{arm.interval[0], arm.interval[1]};
  const bool is_sound =
      is_positive(interval.low) && is_positive(interval.high) && interval.low <= interval.high;
  return is_sound ? std::optional(interval) : std::nullopt;
}

std::string sentence(const std::string& name, const ComparedArm& arm) {
  switch (arm.verdict) {
    case Verdict::faster:
      return name + " is " + speed_text(arm) +
             (arm.is_worth_keeping ? "." : ", not shown to be worth keeping.");
    case Verdict::slower:
      return name + " is slower: it takes " + time_text(arm) + ".";
    case Verdict::equivalent:
      return name + " is as fast as the baseline: it takes " + time_text(arm) + ".";
    case Verdict::inconclusive:
      break;
  }
  return "Whether " + name + " is faster is not shown: it takes " + time_text(arm) +
         undecided_text(arm) + ".";
}

std::string ratio_text(const ComparedArm& arm) {
  std::string text = fixed(arm.ratio, 3);
  if (const auto interval = interval_of(arm))
    text += " [" + fixed(interval->low, 3) + ", " + fixed(interval->high, 3) + "]";
  return text;
}

std::string verdict_text(const ComparedArm& arm) {
  std::string text(name_of(arm.verdict));
  const bool is_faster = arm.verdict == Verdict::faster;
  if (is_faster && !arm.is_worth_keeping) text += ", not shown to be worth keeping";
  const bool is_open = arm.verdict == Verdict::inconclusive;
  if (is_open && !arm.reason.empty()) text += " (" + arm.reason + ")";
  return text;
}

std::string accuracy_text(const std::optional<AccuracyCheck>& check) {
  if (!check) return "not checked";
  std::string text(name_of(check->verdict));
  if (check->value) text += ": " + check->metric + " " + fixed(*check->value, 4);
  if (check->value && check->reference) text += ", reference " + fixed(*check->reference, 4);
  if (check->value && check->interval.size() == 2) text += difference_text(check->interval);
  if (check->samples > 0) text += ", " + counted(check->samples, "sample");
  if (!check->reason.empty()) text += (check->value ? "; " : ": ") + check->reason;
  return text;
}

std::string milliseconds(const std::optional<double>& ms) {
  return ms && std::isfinite(*ms) ? text_form::duration(*ms * 1000) : "-";
}

std::string percent(double share) { return fixed(share * 100, 2) + " %"; }

std::string_view outcome_text(ArmOutcome outcome) {
  switch (outcome) {
    case ArmOutcome::pending:
      return "was not reached";
    case ArmOutcome::out_of_time:
      return "ran out of time";
    case ArmOutcome::build_failed:
      return "does not build";
    case ArmOutcome::no_op:
      return "changes nothing";
    case ArmOutcome::numerics_failed:
      return "answers wrongly";
    case ArmOutcome::placement_failed:
      return "does not run where asked";
    case ArmOutcome::run_failed:
      return "does not run";
    case ArmOutcome::futile:
      return "was let go as slower";
    case ArmOutcome::raced_out:
      return "was raced out";
    case ArmOutcome::accuracy_failed:
      return "is not accurate enough";
    case ArmOutcome::baseline:
      return "is the baseline";
    case ArmOutcome::confirmed:
      break;
  }
  return "was compared";
}

std::string certificate_text(const std::optional<NoiseCertificate>& certificate) {
  if (!certificate) return "not certified: run hone doctor noise";
  return "on " + target_name({certificate->ep, certificate->device, {}}) + ", " +
         format_count(certificate->false_keeps) + " of " +
         counted(certificate->trials, "search", "searches") +
         " over identical candidates kept one: at most " + percent(certificate->false_keep_bound) +
         " do (95 % confidence), " + certificate->made_at;
}

std::string targets_text(const SearchResult& result) {
  if (result.targets.empty()) return target_name(result.target);
  std::vector<std::string> words;
  for (const TargetBest& best : result.targets) words.push_back(target_name(best.target));
  return join(words, ", ");
}

}  // namespace hone::search_view
