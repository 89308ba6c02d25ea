#pragma once
// What searches on recorded spaces came to.

#include <cstdint>
#include <string>
#include <vector>

#include "record/fields.h"

namespace hone {

inline constexpr std::int64_t replay_report_schema_version = 1;

struct ReplayedSpace {
  std::string model;
  std::string target;
  std::uint64_t arms = 0;
  std::uint64_t searches = 0;
  double best_ratio = 1;   // of the best recorded arm that may ship, to the baseline
  double mean_regret = 1;  // the champion's time over that arm's
  double worst_regret = 1;
  double mean_evaluations_share = 0;  // of the blocks that measuring all arms to the end takes
  std::uint64_t false_keeps = 0;      // searches that shipped what is not faster
  std::uint64_t null_searches = 0;    // on arms that are all the baseline
  std::uint64_t null_keeps = 0;
};
template <RecordOf<ReplayedSpace> Self>
void for_each_field(Self& space, auto&& field) {
  field("model", space.model);
  field("target", space.target);
  field("arms", space.arms);
  field("searches", space.searches);
  field("best_ratio", space.best_ratio);
  field("mean_regret", space.mean_regret);
  field("worst_regret", space.worst_regret);
  field("mean_evaluations_share", space.mean_evaluations_share);
  field("false_keeps", space.false_keeps);
  field("null_searches", space.null_searches);
  field("null_keeps", space.null_keeps);
}

struct ReplayReport {
  std::vector<ReplayedSpace> spaces;
};
template <RecordOf<ReplayReport> Self>
void for_each_field(Self& report, auto&& field) {
  field("spaces", report.spaces);
}

}  // namespace hone
