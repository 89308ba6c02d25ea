#include "catalog/slurm_client.h"

#include <algorithm>
#include <array>

#include "base/misuse.h"
#include "base/process.h"
#include "base/system_files.h"
#include "base/text.h"

namespace hone::slurm {
namespace {

constexpr std::array<std::string_view, 6> known_options = {"partition", "constraint", "gres",
                                                           "account",   "qos",        "nodelist"};

// Of the states of a job, those after which no other comes.
constexpr std::array<std::string_view, 10> last_states = {
    "BOOT_FAIL", "CANCELLED", "COMPLETED",     "DEADLINE", "FAILED",
    "NODE_FAIL", "PREEMPTED", "OUT_OF_MEMORY", "REVOKED",  "TIMEOUT"};

// A controller that is gone is waited for by Slurm's programs themselves, for some 20 seconds; one
// that takes longer than this to answer is as good as gone.
constexpr std::chrono::seconds patience{120};

Result<std::string> answer_of(const std::vector<std::string>& words, const std::string& what) {
  ProcessOptions options;
  options.limits.time = patience;
  auto end = run_process(words, options);
  if (!end && end.error().fault == Fault::not_found) {
    return fail(Fault::not_found, what + ": there is no Slurm on this machine", end.error().what,
                "--runner local, or run hone where '" + words.front() + "' works");
  }
  if (!end) return fail(std::move(end).error());
  if (end->ok()) return std::move(end->standard_output);
  std::string said(trimmed(end->standard_error));
  if (said.empty()) said = words.front() + " " + end->describe();
  const bool is_controller = said.find("contact slurm controller") != std::string::npos;
  return fail(Fault::runtime, what, printable(said),
              is_controller ? "see with 'scontrol ping' whether the controller is up" : "");
}

// In names of logs Slurm takes % for the beginning of a field.
std::string escaped(const std::string& path) {
  std::string made;
  for (const char letter : path) made += letter == '%' ? "%%" : std::string(1, letter);
  return made;
}

}  // namespace

std::string_view script() {
  return R"(#!/bin/sh
# A cell of a sweep: $1 is hone, $2 the folder of jobs, $3 a list in it with a line for each task.
read -r job outcome <<end
$(sed -n "$((SLURM_ARRAY_TASK_ID + 1))p" "$2/$3")
end
exec "$1" worker "$2/$job" "$2/$outcome"
)";
}

Status check_options(const std::map<std::string, std::string>& options) {
  for (const auto& [name, value] : options) {
    if (std::ranges::find(known_options, name) != known_options.end()) continue;
    const std::vector<std::string> known(known_options.begin(), known_options.end());
    return misuse("a target's slurm has '" + printable(name) + "'",
                  "what it may have: " + join(known, ", "));
  }
  return done();
}

std::vector<std::string> words_of(const Array& array, const Path& script) {
  constexpr std::int64_t minute = 60;
  constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;
  std::vector<std::string> words = {
      "sbatch", "--parsable", "--job-name=" + array.name, "--comment=" + array.list,
      "--array=0-" + std::to_string(array.tasks - 1) + "%" + std::to_string(array.at_a_time),
      "--time=" + std::to_string((array.time_limit_s + minute - 1) / minute),
      // The sweep itself tries again what was lost.
      "--no-requeue", "--output=" + escaped((array.folder / "slurm-").string()) + "%A_%a.log"};
  if (array.memory_bytes > 0) {
    words.push_back("--mem=" + std::to_string((array.memory_bytes + mebibyte - 1) / mebibyte) +
                    "M");
  }
  for (const auto& [name, value] : array.options) words.push_back("--" + name + "=" + value);
  words.insert(words.end(),
               {script.string(), array.program.string(), array.folder.string(), array.list});
  return words;
}

Result<std::string> submit(const Array& array, const Path& script) {
  HONE_TRY(const std::string answer,
           answer_of(words_of(array, script), "cells cannot be given to Slurm"));
  // "12", or "12;cluster".
  const std::string number(trimmed(split(answer, ';').front()));
  if (!parse_number<std::uint64_t>(number)) {
    return fail(Fault::runtime, "sbatch did not say the number of the job",
                printable(answer.substr(0, 200)));
  }
  return number;
}

Result<std::vector<Task>> tasks_named(const std::string& name) {
  HONE_TRY(const std::string answer, answer_of({"squeue", "--noheader", "--array", "--states=all",
                                                "--name=" + name, "--format=%F %K %T %k"},
                                               "Slurm's queue cannot be read"));
  return read_queue(answer);
}

std::vector<Task> read_queue(std::string_view answer) {
  constexpr std::size_t fields = 4;
  std::vector<Task> tasks;
  for (const std::string& line : split(answer, '\n')) {
    const std::vector<std::string> words = split(trimmed(line), ' ');
    if (words.size() != fields || !parse_number<std::uint64_t>(words[0])) continue;
    const auto index = parse_number<std::size_t>(words[1]);
    if (index) tasks.push_back({words[0], *index, words[2], words[3]});
  }
  return tasks;
}

bool is_over(std::string_view state) {
  return std::ranges::find(last_states, state) != last_states.end();
}

Status cancel(const std::vector<std::string>& jobs) {
  if (jobs.empty()) return done();
  std::vector<std::string> words = {"scancel", "--quiet"};
  words.insert(words.end(), jobs.begin(), jobs.end());
  auto answer = answer_of(words, "cells that Slurm runs cannot be cancelled");
  if (answer) return done();
  Error error = std::move(answer).error();
  error.hint = "scancel " + join(jobs, " ");
  return fail(std::move(error));
}

Path log_file(const Path& folder, const Task& task) {
  return folder / ("slurm-" + task.array + "_" + std::to_string(task.index) + ".log");
}

}  // namespace hone::slurm
