#pragma once
// What `hone trace diff` says: two traces of one model, operator by operator.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/fields.h"

namespace hone {

enum class TraceMatch {
  path,         // the same operator of the model
  type,         // unmatched operators of one type, paired in the order they run
  only_before,  // fused away, or on another provider under another name
  only_after,
};

constexpr auto enum_names(TraceMatch) {
  return std::to_array<EnumName<TraceMatch>>({{TraceMatch::path, "path"},
                                              {TraceMatch::type, "type"},
                                              {TraceMatch::only_before, "only_before"},
                                              {TraceMatch::only_after, "only_after"}});
}

struct TraceDiffRow {
  std::string op_path;                     // after, where it is there
  std::optional<std::string> before_path;  // where it differs from op_path
  std::string op_type;
  TraceMatch match = TraceMatch::path;
  std::optional<double> before_us;
  std::optional<double> after_us;
  double delta_us = 0;  // after - before; what is not there counts as 0
};

template <RecordOf<TraceDiffRow> Self>
void for_each_field(Self& row, auto&& field) {
  field("op_path", row.op_path);
  field("before_path", row.before_path, Presence::when_given);
  field("op_type", row.op_type);
  field("match", row.match);
  field("before_us", row.before_us);
  field("after_us", row.after_us);
  field("delta_us", row.delta_us);
}

struct TraceDiffTotals {
  std::optional<double> total_us;
  double accounted_us = 0;
  std::optional<double> gaps_us;
  std::int64_t operators = 0;
};

template <RecordOf<TraceDiffTotals> Self>
void for_each_field(Self& totals, auto&& field) {
  field("total_us", totals.total_us);
  field("accounted_us", totals.accounted_us);
  field("gaps_us", totals.gaps_us);
  field("operators", totals.operators);
}

struct TraceDiff {
  TraceDiffTotals before;
  TraceDiffTotals after;
  std::vector<TraceDiffRow> operators;  // the largest change first
  std::vector<std::string> notes;       // why the two may not be comparable
};

template <RecordOf<TraceDiff> Self>
void for_each_field(Self& diff, auto&& field) {
  field("before", diff.before);
  field("after", diff.after);
  field("operators", diff.operators);
  field("notes", diff.notes);
}

}  // namespace hone
