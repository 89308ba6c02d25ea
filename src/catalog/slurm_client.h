#pragma once
// What we say to Slurm and what it answers, through its own programs: sbatch, squeue, scancel.
// Nothing of ours passes through a shell: words are arguments, and the script is always the same.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace hone::slurm {

// Cells that are submitted at once: task N is line N of the list.
struct Array {
  std::string name;                            // of the job
  std::map<std::string, std::string> options;  // partition, constraint, gres, ...
  Path program;                                // hone
  Path folder;                                 // with jobs, outcomes, lists and logs
  std::string list;                            // the name of a file in it
  std::size_t tasks = 1;
  std::size_t at_a_time = 1;
  std::int64_t time_limit_s = 0;
  std::uint64_t memory_bytes = 0;  // 0: what the partition gives
};

// A task as the queue has it.
struct Task {
  std::string array;  // the number of the job
  std::size_t index = 0;
  std::string state;  // RUNNING
  std::string list;   // whose line `index` it is
};

// What the script reads of a list: a line with the names of the job and of the outcome.
std::string_view script();

// Refuses a key that Slurm is not told, with those that it is.
Status check_options(const std::map<std::string, std::string>& options);

// The command line of a submission.
std::vector<std::string> words_of(const Array& array, const Path& script);
// The number of the job.
Result<std::string> submit(const Array& array, const Path& script);

// All tasks of arrays of that name, also those that are over as long as Slurm remembers them.
Result<std::vector<Task>> tasks_named(const std::string& name);
// Lines that are no task are left out: another cluster's squeue may say more.
std::vector<Task> read_queue(std::string_view answer);

// Nothing runs any longer and nothing will.
bool is_over(std::string_view state);

// Jobs or single tasks ("12_3"). Those that are over already are no error.
Status cancel(const std::vector<std::string>& jobs);

Path log_file(const Path& folder, const Task& task);

}  // namespace hone::slurm
