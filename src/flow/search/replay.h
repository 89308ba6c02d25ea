#pragma once
// Searches in recorded spaces, without the machine: how good is the searcher?

#include <string>
#include <vector>

#include "base/file.h"
#include "flow/watch.h"
#include "record/replay.h"
#include "record/replay_report.h"

namespace hone {

// The spaces of a file: JSON, or a zip archive of JSON files.
Result<std::vector<RecordedSpace>> read_spaces(const Path& file);

struct ReplayOrder {
  std::vector<std::string> files;  // of spaces
  std::uint64_t searches = 50;     // in each space, and in a null space made of it
  double margin = 0.01;            // a share
  std::string findings{};          // a file for drafts of what the records show; empty: none
};
Result<ReplayReport> replay_searches(const ReplayOrder& order, const Watch& watch);

}  // namespace hone
