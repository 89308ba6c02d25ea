#pragma once
// Recorded spaces: all arms of a model on a target measured once, and searches on such a record
// without the machine.

#include "app/command.h"
#include "app/search_tools.h"
#include "record/replay.h"

namespace hone::app {

struct RecordPlan {
  std::vector<Hypothesis> hypotheses;  // the first is the baseline
  std::size_t sessions = 10;           // of every arm
  std::size_t rounds = 2;              // of a session
  std::function<void(const std::string& step)> progress;
};

// Builds, checks and measures every arm, whatever it comes to.
Result<RecordedSpace> record_space(const SearchSite& site, const SearchTools& tools,
                                   const RecordPlan& plan);

// The spaces of a file: JSON, or a zip archive of JSON files.
Result<std::vector<RecordedSpace>> read_spaces(const Path& file);

// `hone autoconfig --replay`: so many searches on each space, and on null spaces made of it.
Result<ExitCode> run_replay(const std::vector<std::string>& files, std::uint64_t searches,
                            double margin, const Call& call);

}  // namespace hone::app
