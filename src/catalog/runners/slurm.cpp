// Cells as tasks of Slurm's job arrays. Slurm's queue is the only memory of what was submitted: a
// sweep that was killed finds its tasks there by the name of their jobs, and goes on with them.

#include <algorithm>
#include <fstream>
#include <set>
#include <thread>

#include "base/hash.h"
#include "base/text.h"
#include "catalog/runner.h"
#include "catalog/slurm_client.h"

namespace hone::runners {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Outcomes are looked for often; the controller serves a whole cluster and is asked ever more
// rarely.
constexpr milliseconds between_files{200};
constexpr milliseconds first_pause{200};
constexpr milliseconds longest_pause{3000};
// Network file systems show a file of another machine up to a minute late.
constexpr seconds patience_for_files{65};
constexpr seconds patience_for_controller{600};
constexpr seconds patience_for_strays{120};
// Slurm's own limit where nobody raised it (MaxArraySize 1001).
constexpr std::size_t most_tasks = 1000;

// A cell that Slurm has.
struct Watched {
  const CellOrder* job;
  slurm::Task task;
  bool has_begun = false;
  std::optional<Clock::time_point> over_since{};
};

using Cells = std::vector<const CellOrder*>;

std::string end_of_log(const Path& file) {
  constexpr std::streamoff most = 4096;
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  if (!stream) return "there is no '" + file.filename().string() + "'";
  const std::streamoff size = stream.tellg();
  stream.seekg(std::max<std::streamoff>(size - most, 0));
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The names of the cells' jobs and outcomes, a line for each task.
std::string line_of(const RunnerSettings& settings, const CellOrder& job) {
  return job_file(settings, job).filename().string() + " " +
         outcome_file(settings, job).filename().string();
}

// As Slurm's programs call it.
std::string name_of(const slurm::Task& task) {
  return task.array + "_" + std::to_string(task.index);
}

std::string short_hash(const std::string& text) {
  constexpr std::size_t letters = 16;
  return sha256(text).hex().substr(0, letters);
}

// What cells must have in common to be tasks of one array.
auto terms_of(const CellOrder& job) {
  return std::tuple(job.target.slurm, job.time_limit_s, job.memory_limit_bytes);
}

std::vector<Cells> arrays_of(const Cells& cells) {
  std::map<decltype(terms_of(*cells.front())), Cells> by_terms;
  for (const CellOrder* job : cells) by_terms[terms_of(*job)].push_back(job);
  std::vector<Cells> arrays;
  for (const auto& [terms, all] : by_terms) {
    for (std::size_t begin = 0; begin < all.size(); begin += most_tasks) {
      const std::size_t end = std::min(begin + most_tasks, all.size());
      arrays.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(begin),
                          all.begin() + static_cast<std::ptrdiff_t>(end));
    }
  }
  return arrays;
}

class SlurmRun {
 public:
  SlurmRun(const std::vector<CellOrder>& jobs, const RunnerSettings& settings, const CellSink& sink)
      : jobs_(jobs),
        settings_(settings),
        sink_(sink),
        name_("hone-" + short_hash(settings.folder.string())) {}

  Status run() {
    Status ran = run_all();
    const Status cancelled = cancel_watched();
    return ran ? cancelled : ran;
  }

 private:
  bool is_stopped() const { return settings_.stop != nullptr && settings_.stop->load(); }
  Path script_file() const { return settings_.folder / "cell.sh"; }

  Status run_all() {
    HONE_TRY_DO(check());
    // Also how we learn that there is no Slurm, before anything is written.
    HONE_TRY(const std::vector<slurm::Task> queue, slurm::tasks_named(name_));
    HONE_TRY_DO(make_folder());
    HONE_TRY(const Cells left, take_over(queue));
    HONE_TRY_DO(watch());
    const auto [at_once, then] = waves_of(left);
    HONE_TRY_DO(run_wave(at_once));
    return run_wave(then);
  }

  Status check() const {
    for (const CellOrder& job : jobs_) HONE_TRY_DO(slurm::check_options(job.target.slurm));
    if (settings_.folder.string().find('\\') == std::string::npos) return done();
    return fail(Fault::bad_input,
                "Slurm cannot write its logs in '" + printable(settings_.folder.string()) + "'",
                "the path has a backslash", "another folder");
  }

  Status make_folder() const {
    std::error_code problem;
    std::filesystem::create_directories(settings_.folder, problem);
    return write_file(script_file(), slurm::script());
  }

  // What an earlier run of this sweep left. Outcomes that came after its end are handed on, tasks
  // that are still at it are watched, and those of another day are cancelled: two workers must
  // not write into one folder. The cells that are left to submit are returned.
  Result<Cells> take_over(const std::vector<slurm::Task>& queue) {
    std::map<std::string, slurm::Task> running = running_by_line(queue);
    Cells left;
    for (const CellOrder& job : jobs_) {
      const auto task = running.extract(line_of(settings_, job));
      auto outcome = outcome_at_hand(settings_, job);
      const bool is_running = !task.empty() && is_job_there(settings_, job);
      if (outcome || is_running) led_.insert(job.model.model);
      if (outcome) {
        HONE_TRY_DO(sink_(job, *std::move(outcome)));
      } else if (is_running) {
        watched_.push_back({&job, task.mapped()});
      } else {
        if (!task.empty()) running.emplace(task.key(), task.mapped());
        left.push_back(&job);
      }
    }
    HONE_TRY_DO(cancel_strays(running));
    return left;
  }

  std::map<std::string, slurm::Task> running_by_line(const std::vector<slurm::Task>& queue) const {
    std::map<std::string, slurm::Task> running;
    for (const slurm::Task& task : queue) {
      if (slurm::is_over(task.state)) continue;
      // A list that is gone: the task is somebody's, and none of ours.
      std::string line = name_of(task);
      const auto text = check_stays_inside(task.list) ? read_file(settings_.folder / task.list)
                                                      : Result<std::string>(std::string());
      if (text) {
        const std::vector<std::string> lines = split(*text, '\n');
        if (task.index < lines.size()) line = lines[task.index];
      }
      // A cell that was tried again while its first task was still ending: one of them is enough.
      if (!running.emplace(line, task).second) running.emplace(name_of(task), task);
    }
    return running;
  }

  Status cancel_strays(const std::map<std::string, slurm::Task>& strays) const {
    std::vector<std::string> names;
    for (const auto& [line, task] : strays) names.push_back(name_of(task));
    if (names.empty()) return done();
    HONE_TRY_DO(slurm::cancel(names));
    const auto is_stray = [&](const slurm::Task& task) {
      return !slurm::is_over(task.state) && std::ranges::find(names, name_of(task)) != names.end();
    };
    const auto end = Clock::now() + patience_for_strays;
    while (!is_stopped()) {
      HONE_TRY(const std::vector<slurm::Task> queue, slurm::tasks_named(name_));
      if (std::ranges::none_of(queue, is_stray)) break;
      if (Clock::now() > end)
        return fail(Fault::timeout, "tasks of an earlier sweep do not end", join(names, ", "));
      std::this_thread::sleep_for(seconds(1));
    }
    return done();
  }

  // Models share their first stages: the first cell of each is over before the others begin.
  std::pair<Cells, Cells> waves_of(const Cells& cells) const {
    std::pair<Cells, Cells> waves;
    std::set<std::string> begun;
    for (const CellOrder* job : cells) {
      const std::string& model = job->model.model;
      const bool may_begin = led_.contains(model) || begun.insert(model).second;
      (may_begin ? waves.first : waves.second).push_back(job);
    }
    return waves;
  }

  // -j holds for all arrays together: each has its share, and those without one wait.
  Status run_wave(const Cells& cells) {
    if (cells.empty()) return done();
    const std::vector<Cells> arrays = arrays_of(cells);
    const std::size_t most = std::max<std::size_t>(settings_.jobs, 1);
    for (std::size_t begin = 0; begin < arrays.size() && !is_stopped(); begin += most) {
      const std::size_t count = std::min(most, arrays.size() - begin);
      for (std::size_t i = 0; i < count; ++i)
        HONE_TRY_DO(submit(arrays[begin + i], most / count + (i < most % count ? 1 : 0)));
      HONE_TRY_DO(watch());
    }
    return done();
  }

  Status submit(const Cells& cells, std::size_t at_a_time) {
    std::string list;
    for (const CellOrder* job : cells) {
      HONE_TRY_DO(write_job(settings_, *job));
      list += line_of(settings_, *job) + "\n";
    }
    const CellOrder& any = *cells.front();
    const slurm::Array array{.name = name_,
                             .options = any.target.slurm,
                             .program = settings_.program,
                             .folder = settings_.folder,
                             // Named by what it says, it can be written again and stay the same.
                             .list = "list-" + short_hash(list) + ".txt",
                             .tasks = cells.size(),
                             .at_a_time = at_a_time,
                             .time_limit_s = worker_time_limit(any).count(),
                             .memory_bytes = any.memory_limit_bytes};
    HONE_TRY_DO(write_file(settings_.folder / array.list, list));
    HONE_TRY(const std::string number, slurm::submit(array, script_file()));
    for (std::size_t i = 0; i < cells.size(); ++i)
      watched_.push_back({cells[i], {number, i, {}, array.list}});
    return done();
  }

  // Until all that Slurm has of ours is over.
  Status watch() {
    answered_ = Clock::now();
    Clock::time_point next_look = answered_;
    milliseconds pause = first_pause;
    while (!watched_.empty() && !is_stopped()) {
      HONE_TRY_DO(take_outcomes());
      if (Clock::now() >= next_look) {
        HONE_TRY_DO(look_at_queue());
        next_look = Clock::now() + pause;
        pause = std::min(pause * 2, longest_pause);
      }
      if (!watched_.empty()) std::this_thread::sleep_for(between_files);
    }
    return done();
  }

  Status take_outcomes() {
    const auto has_outcome = [this](const Watched& cell) {
      std::error_code problem;
      return cell.has_begun && std::filesystem::exists(outcome_file(settings_, *cell.job), problem);
    };
    return settle_where(has_outcome);
  }

  Status look_at_queue() {
    const auto queue = slurm::tasks_named(name_);
    // It may come back, and cells go on without it.
    const bool is_gone = !queue && Clock::now() - answered_ > patience_for_controller;
    if (is_gone) return fail(queue.error());
    if (!queue) return done();
    answered_ = Clock::now();
    for (Watched& cell : watched_) note_state(cell, *queue);
    return settle_where(is_lost);
  }

  void note_state(Watched& cell, const std::vector<slurm::Task>& queue) const {
    const auto found = std::ranges::find_if(queue, [&](const slurm::Task& task) {
      return task.array == cell.task.array && task.index == cell.task.index;
    });
    cell.task.state = found == queue.end() ? std::string() : found->state;
    const bool is_there = found != queue.end() && !slurm::is_over(found->state);
    if (is_there) cell.over_since.reset();
    if (!is_there && !cell.over_since) cell.over_since = Clock::now();
    const bool begins = cell.task.state != "PENDING" && !cell.has_begun;
    if (begins && is_there) settings_.begins(*cell.job);
    cell.has_begun = cell.has_begun || begins;
  }

  // A worker that ended well, as far as Slurm remembers, has written an outcome: it will show.
  static bool is_lost(const Watched& cell) {
    if (!cell.over_since) return false;
    const bool may_have_done_it = cell.task.state.empty() || cell.task.state == "COMPLETED";
    return !may_have_done_it || Clock::now() - *cell.over_since > patience_for_files;
  }

  // Hands on what came of the cells for which that holds.
  Status settle_where(const std::function<bool(const Watched&)>& is_due) {
    const auto due = std::stable_partition(watched_.begin(), watched_.end(), std::not_fn(is_due));
    const std::vector<Watched> settled(due, watched_.end());
    watched_.erase(due, watched_.end());
    for (const Watched& cell : settled) HONE_TRY_DO(sink_(*cell.job, outcome_of(cell)));
    return done();
  }

  CellOutcome outcome_of(const Watched& cell) const {
    const std::string& state = cell.task.state;
    const std::string how = state.empty() || !slurm::is_over(state)
                                ? "left Slurm's queue"
                                : "ended in Slurm as " + printable(state);
    CellOutcome outcome = read_outcome(settings_, *cell.job, how,
                                       end_of_log(slurm::log_file(settings_.folder, cell.task)));
    // More memory than the job may have is what the cell needs, and no accident.
    const bool is_lost = outcome.failure && outcome.failure->stage == "worker";
    if (is_lost && state == "OUT_OF_MEMORY") outcome.failure->kind = FailureClass::oom;
    return outcome;
  }

  Status cancel_watched() {
    std::set<std::string> arrays;
    for (const Watched& cell : watched_) arrays.insert(cell.task.array);
    return slurm::cancel({arrays.begin(), arrays.end()});
  }

  const std::vector<CellOrder>& jobs_;
  const RunnerSettings& settings_;
  const CellSink& sink_;
  std::string name_;  // of our jobs: the same for every run with this folder
  std::vector<Watched> watched_;
  std::set<std::string> led_;  // models of which an earlier run did a cell
  Clock::time_point answered_;
};

Status run(const std::vector<CellOrder>& jobs, const RunnerSettings& settings,
           const CellSink& sink) {
  return SlurmRun(jobs, settings, sink).run();
}

}  // namespace

Runner slurm() {
  return {.name = "slurm", .summary = "job arrays of Slurm, -j tasks at a time", .run = run};
}

}  // namespace hone::runners
