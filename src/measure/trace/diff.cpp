#include "measure/trace/diff.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

namespace hone {
namespace {

// Operators that wait for a partner, under what they are matched by.
using Waiting = std::map<std::string_view, std::deque<const TraceOperator*>>;

std::vector<const TraceOperator*> in_order(const OpTrace& trace) {
  std::vector<const TraceOperator*> operators;
  for (const TraceOperator& op : trace.operators) operators.push_back(&op);
  std::ranges::stable_sort(operators, {}, [](const TraceOperator* op) {
    return std::pair(op->traced_start_us.value_or(0), op->op_id.value_or(0));
  });
  return operators;
}

TraceDiffRow make_row(const TraceOperator* before, const TraceOperator* after, TraceMatch match) {
  const TraceOperator& shown = after != nullptr ? *after : *before;
  TraceDiffRow row;
  row.op_path = shown.op_path;
  row.op_type = shown.op_type;
  row.match = match;
  if (before != nullptr) row.before_us = before->duration_us;
  if (after != nullptr) row.after_us = after->duration_us;
  if (before != nullptr && before->op_path != shown.op_path) row.before_path = before->op_path;
  row.delta_us = row.after_us.value_or(0) - row.before_us.value_or(0);
  return row;
}

struct Unpaired {
  std::vector<const TraceOperator*> before;
  std::vector<const TraceOperator*> after;
};

// Adds a row for each pair; the others are handed back.
Unpaired pair_by(std::string TraceOperator::*key, TraceMatch match, const Unpaired& operators,
                 std::vector<TraceDiffRow>& rows) {
  Waiting waiting;
  for (const TraceOperator* op : operators.before) waiting[op->*key].push_back(op);
  std::set<const TraceOperator*> paired;
  Unpaired left;
  for (const TraceOperator* op : operators.after) {
    std::deque<const TraceOperator*>& partners = waiting[op->*key];
    if (partners.empty()) {
      left.after.push_back(op);
      continue;
    }
    rows.push_back(make_row(partners.front(), op, match));
    paired.insert(partners.front());
    partners.pop_front();
  }
  std::ranges::copy_if(operators.before, std::back_inserter(left.before),
                       [&](const TraceOperator* op) { return !paired.contains(op); });
  return left;
}

TraceDiffTotals totals_of(const OpTrace& trace) {
  return {.total_us = trace.summary.total_us,
          .accounted_us = trace.summary.accounted_us,
          .gaps_us = trace.summary.gaps_us,
          .operators = std::ssize(trace.operators)};
}

void add_notes(TraceDiff& diff, const OpTrace& before, const OpTrace& after) {
  if (before.summary.correction.has_value() != after.summary.correction.has_value()) {
    diff.notes.push_back(std::string("only the trace ") +
                         (after.summary.correction ? "after" : "before") +
                         " is reconciled with an untraced run: the two are not on one scale");
  }
  if (before.metadata.source != after.metadata.source) {
    diff.notes.push_back(
        "the traces come from different tracers: " + std::string(name_of(before.metadata.source)) +
        " and " + std::string(name_of(after.metadata.source)));
  }
}

}  // namespace

TraceDiff diff_traces(const OpTrace& before, const OpTrace& after) {
  TraceDiff diff;
  diff.before = totals_of(before);
  diff.after = totals_of(after);
  add_notes(diff, before, after);
  Unpaired left{in_order(before), in_order(after)};
  left = pair_by(&TraceOperator::op_path, TraceMatch::path, left, diff.operators);
  left = pair_by(&TraceOperator::op_type, TraceMatch::type, left, diff.operators);
  for (const TraceOperator* op : left.before) {
    diff.operators.push_back(make_row(op, nullptr, TraceMatch::only_before));
  }
  for (const TraceOperator* op : left.after) {
    diff.operators.push_back(make_row(nullptr, op, TraceMatch::only_after));
  }
  std::ranges::stable_sort(diff.operators, [](const TraceDiffRow& a, const TraceDiffRow& b) {
    const double one = std::abs(a.delta_us);
    const double other = std::abs(b.delta_us);
    return one != other ? one > other : a.op_path < b.op_path;
  });
  return diff;
}

}  // namespace hone
