#include "report/compare/compare_text.h"

#include "base/counted.h"
#include "base/text.h"
#include "report/trace/text.h"

namespace hone {
namespace {

constexpr std::size_t widest_name = 40;

std::string percent(double share) { return text_form::fixed(share * 100, 2) + " %"; }

std::string milliseconds(const std::optional<double>& ms) {
  return ms ? text_form::duration(*ms * 1000) : "-";
}

bool is_within(const std::vector<double>& interval, double margin) {
  return interval.size() != 2 || (interval[0] > 1 / (1 + margin) && interval[1] < 1 + margin);
}

// " within 14.49 %", where the noise floor stands for the margin.
std::string reach_text(const ComparedArm& arm, const Comparison& comparison) {
  const bool is_by_floor = arm.verdict == Verdict::equivalent && comparison.noise_floor &&
                           !is_within(arm.interval, comparison.margin);
  return is_by_floor ? " within " + percent(*comparison.noise_floor) : "";
}

std::string verdict_text(const ComparedArm& arm, const Comparison& comparison) {
  const std::uint64_t sessions = comparison.sessions;
  std::string text = std::string(name_of(arm.verdict)) + reach_text(arm, comparison);
  if (arm.verdict == Verdict::inconclusive && !arm.reason.empty()) text += " (" + arm.reason + ")";
  // It stands from there on, and the ratio is that of those sessions.
  if (arm.decided_at.value_or(sessions) < sessions)
    text += " (at " + std::to_string(*arm.decided_at) + " sessions)";
  const bool is_faster = arm.verdict == Verdict::faster;
  if (is_faster && !arm.is_worth_keeping) text += ", not shown to be worth keeping";
  return text;
}

std::string ratio_text(const ComparedArm& arm) {
  std::string text = text_form::fixed(arm.ratio, 4) + " x";
  // Of two sessions that differ much it says nothing.
  constexpr double widest = 1000;
  if (arm.interval.size() == 2 && !(arm.interval[1] < arm.interval[0] * widest)) {
    text += " [too few sessions for an interval]";
  } else if (arm.interval.size() == 2) {
    text += " [" + text_form::fixed(arm.interval[0], 4) + ", " +
            text_form::fixed(arm.interval[1], 4) + "]";
  }
  return text;
}

std::string load_text(const Load& load) {
  const std::string text = describe(load);
  if (text.empty()) return {};
  const std::string advice =
      is_busy(load) ? ": intervals are wider than they could be, and a small difference is missed"
                    : "";
  return text + advice + "\n";
}

}  // namespace

std::string describe_comparison(const Comparison& comparison) {
  std::vector<text_form::Row> rows = {
      {printable(comparison.baseline), "baseline", "", milliseconds(comparison.baseline_ms)}};
  for (const ComparedArm& arm : comparison.arms) {
    rows.push_back({printable(arm.name), verdict_text(arm, comparison), ratio_text(arm),
                    milliseconds(arm.median_ms)});
  }
  std::string text = text_form::columns(rows, widest_name, "12");
  text += counted(comparison.sessions, "fresh session") + ", " + counted(comparison.pairs, "pair") +
          "; margin " + percent(comparison.margin);
  if (comparison.noise_floor) text += ", noise floor " + percent(*comparison.noise_floor);
  if (comparison.sessions > 1) text += ", would find " + percent(comparison.mde);
  text += "; spikes " + percent(comparison.spike_rate) + "\n" + load_text(comparison.load);
  for (const ComparedArm& arm : comparison.arms) {
    if (!arm.more_sessions) continue;
    text += "note: " + printable(arm.name) + ": about " +
            counted(*arm.more_sessions, "more session") + " would decide\n";
  }
  for (const std::string& note : comparison.notes) text += "note: " + printable(note) + "\n";
  if (comparison.repeat) text += "repeat: " + printable(*comparison.repeat) + "\n";
  return text;
}

}  // namespace hone
