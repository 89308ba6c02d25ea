#include "catalog/sweep.h"

#include <algorithm>
#include <thread>

#include "base/text.h"
#include "catalog/cell_outcome.h"
#include "search/false_discovery.h"

namespace hone {
namespace {

constexpr std::string_view built_step = "outcome";
constexpr std::string_view published_step = "published";
constexpr auto key_annotation = "dev.hone.cell";

class Sweep {
 public:
  Sweep(const SweepPlan& plan, const SweepTools& tools) : plan_(plan), tools_(tools) {}

  Result<SweepEnd> run() {
    begun_ = tools_.seconds();
    list_cells();
    HONE_TRY_DO(recall());
    HONE_TRY_DO(ask_destination());
    HONE_TRY_DO(finish_published());
    constexpr int most_attempts = 3;
    for (int attempt = 0; attempt < most_attempts && !is_over(); ++attempt) {
      const std::vector<CellOrder> jobs = jobs_to_run(attempt);
      if (jobs.empty()) break;
      if (attempt > 0) wait(attempt);
      HONE_TRY_DO(run_jobs(jobs));
    }
    HONE_TRY_DO(sum_up());
    return std::move(end_);
  }

 private:
  SweepResult& result() { return end_.result; }
  bool is_stopped() const { return tools_.stop != nullptr && tools_.stop->load(); }
  bool is_over() const { return is_stopped() || end_.was_refused || !end_.over_budget.empty(); }

  void list_cells() {
    result().run_stamp = plan_.run_stamp;
    result().mode = plan_.mode;
    result().environment = plan_.environment;
    result().targets = plan_.targets;
    for (const CellOrder& job : plan_.jobs) {
      SweepCell cell;
      cell.version = job.version;
      cell.key = job.key;
      cell.model = job.model.id;
      cell.task = job.model.task;
      cell.label = job.target.label;
      cell.ep = job.target.target.ep;
      cell.device = job.target.target.device;
      if (job.recipe.quantize) cell.precision = join(job.recipe.quantize->precisions, "+");
      if (const auto found = plan_.notes.find(job.version); found != plan_.notes.end())
        cell.notes = found->second;
      result().cells.push_back(std::move(cell));
    }
  }

  SweepCell& cell_of(const CellOrder& job) {
    return *std::ranges::find(result().cells, job.version, &SweepCell::version);
  }
  const CellOrder& job_of(const SweepCell& cell) const {
    return *std::ranges::find(plan_.jobs, cell.version, &CellOrder::version);
  }

  // What earlier runs did with the same inputs, tool and runtime. Failures are tried again.
  Status recall() {
    for (SweepCell& cell : result().cells) {
      HONE_TRY(const auto built, tools_.journal.find(cell.key, built_step));
      HONE_TRY(const auto published, tools_.journal.find(cell.key, published_step));
      if (published) {
        HONE_TRY(const Published known, from_json<Published>(*published));
        take_published(cell, known);
      }
      if (!built) continue;
      HONE_TRY(const CellOutcome outcome, from_json<CellOutcome>(*built));
      const bool is_there = is_uploaded(cell) || are_held(tools_.store, outcome);
      if (outcome.status != CellStatus::done || !is_there) continue;
      take_outcome(cell, outcome);
      cell.is_resumed = true;
      if (!is_uploaded(cell)) HONE_TRY_DO(put_back(tools_.store, job_of(cell), outcome));
    }
    return done();
  }

  static bool is_uploaded(const SweepCell& cell) {
    return cell.upload == "uploaded" || cell.upload == "exists-skipped";
  }

  // What the place has of this run and the journal does not know: another machine's work, or an
  // upload whose answer was lost.
  Status ask_destination() {
    if (!plan_.uploads || !plan_.continues) return done();
    HONE_TRY(const std::vector<std::string> there, tools_.destination->versions(plan_.run_stamp));
    for (SweepCell& cell : result().cells) {
      const bool is_there = std::ranges::find(there, cell.version) != there.end();
      if (is_there && cell.status == CellStatus::pending) {
        HONE_TRY_DO(take_from_place(cell));
      } else if (!is_there && is_uploaded(cell)) {
        // The journal says so and the place does not: it was lost or deleted there.
        cell.upload = "n/a";
        HONE_TRY(const auto built, tools_.journal.find(cell.key, built_step));
        const auto outcome = built ? from_json<CellOutcome>(*built)
                                   : Result<CellOutcome>(fail(Fault::not_found, ""));
        if (!outcome || !are_held(tools_.store, *outcome)) cell.status = CellStatus::pending;
      }
    }
    return done();
  }

  // One version may have been built of another model, recipe or runtime, or in another mode: what
  // is there says what it was built of.
  Status take_from_place(SweepCell& cell) {
    HONE_TRY(const auto annotations, tools_.destination->annotations(cell.version));
    const auto key = annotations.find(key_annotation);
    if (key == annotations.end() || key->second != cell.key) {
      cell.notes.emplace_back("the place has another build under this version");
      return done();
    }
    cell.status = CellStatus::done;
    cell.upload = "uploaded";
    cell.is_confirmed = true;
    cell.is_resumed = true;
    cell.notes.emplace_back("it was there when the sweep went on");
    return done();
  }

  // Cells that were built and not published before the end of the last run.
  Status finish_published() {
    if (!plan_.uploads) return done();
    for (SweepCell& cell : result().cells) {
      if (cell.status != CellStatus::done || is_uploaded(cell) || is_over()) continue;
      HONE_TRY(const auto built, tools_.journal.find(cell.key, built_step));
      if (!built) continue;
      HONE_TRY(const CellOutcome outcome, from_json<CellOutcome>(*built));
      if (are_sound(tools_.store, outcome)) {
        HONE_TRY_DO(publish(job_of(cell), outcome));
      } else {
        cell.status = CellStatus::pending;
        cell.notes.emplace_back("its files were damaged since, and are built again");
      }
    }
    return done();
  }

  std::vector<CellOrder> jobs_to_run(int attempt) {
    std::vector<CellOrder> jobs;
    for (const CellOrder& job : plan_.jobs) {
      const SweepCell& cell = cell_of(job);
      const bool is_infra = cell.failure && cell.failure->kind == FailureClass::infra;
      const bool is_due = attempt == 0 ? cell.status == CellStatus::pending
                                       : cell.status == CellStatus::failed && is_infra;
      if (is_due) jobs.push_back(job);
    }
    return in_order(std::move(jobs), [](const CellOrder& job) {
      std::error_code problem;
      const auto bytes = std::filesystem::file_size(job.model.model, problem);
      return problem ? 0 : bytes;
    });
  }

  void wait(int attempt) const {
    for (int tenth = 0; tenth < attempt * 20 && !is_stopped(); ++tenth)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }

  Status run_jobs(const std::vector<CellOrder>& jobs) {
    RunnerSettings running = tools_.running;
    running.begins = [this](const CellOrder& job) {
      begun_at_[job.version] = std::chrono::system_clock::now();
      tools_.progress(result(), job.model.id + " for " + job.target.label);
    };
    const CellSink sink = [this](const CellOrder& job, CellOutcome outcome) {
      return settle(job, std::move(outcome));
    };
    const Status ran = tools_.runner.run(jobs, running, sink);
    return is_over() ? done() : ran;
  }

  Status settle(const CellOrder& job, CellOutcome outcome) {
    SweepCell& cell = cell_of(job);
    begun_at_.erase(job.version);
    ++cell.attempts;
    HONE_TRY_DO(tools_.journal.store(cell.key, built_step, to_json(outcome)));
    take_outcome(cell, outcome);
    if (cell.status == CellStatus::done && plan_.uploads) HONE_TRY_DO(publish(job, outcome));
    if (cell.status == CellStatus::failed && plan_.uploads) cell.upload = "skipped";
    HONE_TRY_DO(keep_to_budget(longest_known()));
    set_q_values(result().cells);
    tools_.progress(result(), job.model.id + " for " + job.target.label);
    HONE_TRY_DO(tools_.keep(result()));
    if (end_.was_refused) return fail(Fault::runtime, "the place refuses us");
    if (!end_.over_budget.empty()) return fail(Fault::io, end_.over_budget);
    return done();
  }

  static void take_published(SweepCell& cell, const Published& published) {
    cell.upload = published.outcome == PublishOutcome::auth_abort
                      ? "failed"
                      : std::string(name_of(published.outcome));
    cell.is_confirmed = published.confirmed;
    cell.upload_error = published.error;
    if (!published.reference.empty()) cell.reference = published.reference;
    if (!published.digest.empty()) cell.digest = published.digest;
  }

  Result<Package> package_of(const CellOrder& job, const CellOutcome& outcome) {
    Package package;
    package.version = job.version;
    package.description = job.model.id + " for " + job.target.label;
    package.annotations = {{key_annotation, job.key}};
    for (const PackageEntry& file : outcome.files) {
      HONE_TRY(const Path local, tools_.store.find(file.sha256));
      package.files.push_back({file.path, file.sha256, file.bytes, local});
    }
    HONE_TRY(const Json evidence, tools_.evidence(job, outcome));
    HONE_TRY(const StoredBlob blob, tools_.store.take_bytes(evidence.dump() + "\n"));
    HONE_TRY(const Path local, tools_.store.find(blob.sha256));
    package.evidence = PackageFile{"manifest.json", blob.sha256, blob.bytes, local};
    return package;
  }

  Status publish(const CellOrder& job, const CellOutcome& outcome) {
    SweepCell& cell = cell_of(job);
    if (!away_.empty()) {
      cell.upload = name_of(PublishOutcome::failed);
      cell.upload_error = away_;
      return done();
    }
    tools_.progress(result(), "publishing " + job.model.id + " for " + job.target.label);
    HONE_TRY(const Package package, package_of(job, outcome));
    PublishOptions options;
    options.skip_existing = plan_.skips_existing || plan_.continues;
    options.timeout = plan_.upload_timeout;
    Published published = tools_.destination->publish(package, options);
    refuse_other_bytes(published);
    take_published(cell, published);
    result().bytes_sent += published.bytes_sent;
    result().bytes_not_sent += published.bytes_there;
    if (published.outcome == PublishOutcome::auth_abort) end_.was_refused = true;
    if (!is_uploaded(cell)) {
      note_absence();
      return done();
    }
    // What nobody could confirm is asked for again by --continue.
    const bool is_settled = cell.is_confirmed || cell.upload == "exists-skipped";
    if (is_settled) HONE_TRY_DO(tools_.journal.store(cell.key, published_step, to_json(published)));
    // Only what was asked for again and found equal may go here.
    if (cell.is_confirmed && !plan_.keeps_local) HONE_TRY_DO(forget_local(job));
    return done();
  }

  // Other bytes under our version are a success only where that was asked for.
  void refuse_other_bytes(Published& published) const {
    const bool is_skipped = published.outcome == PublishOutcome::exists_skipped;
    if (!is_skipped || published.confirmed || plan_.skips_existing) return;
    published.outcome = PublishOutcome::failed;
    published.error += "\ntry: another --run-stamp; --upload-skip-existing leaves it alone";
  }

  // A place that is gone is not asked again for every cell: each would wait for it in vain. Cells
  // are still built, and --continue publishes them.
  void note_absence() {
    const Status ready = tools_.destination->ready(Access::write);
    if (ready) return;
    away_ = told(ready.error());
    end_.went_away = true;
  }

  static void remove_folder(const CellOrder& job) {
    std::error_code problem;
    std::filesystem::remove_all(job.folder, problem);
  }

  // The store's gc takes what nobody holds any longer. With a budget it is held until the room is
  // needed: then it goes at once.
  Status forget_local(const CellOrder& job) {
    remove_folder(job);
    return has_budget() ? done() : tools_.store.release(job.owner);
  }

  bool has_budget() const { return plan_.most_disk_bytes > 0; }

  // Before this nothing in the cache is of a cell that is being built. A runner tells late that a
  // cell has begun.
  SystemTime longest_known() const {
    SystemTime oldest = std::chrono::system_clock::now() - std::chrono::seconds(5);
    for (const auto& [version, begun] : begun_at_) oldest = std::min(oldest, begun);
    return oldest;
  }

  Result<bool> is_within_budget() const {
    HONE_TRY(const StoreUsage usage, tools_.store.du());
    return usage.bytes + tools_.cache.unshared_bytes() <= plan_.most_disk_bytes;
  }

  // The cache goes first, for it can be made again; then cells that are published for certain.
  Status keep_to_budget(SystemTime made_before) {
    if (!has_budget()) return done();
    HONE_TRY(bool fits, is_within_budget());
    if (fits) return done();
    tools_.cache.drop_unshared(made_before);
    HONE_TRY(fits, is_within_budget());
    if (fits) return done();
    std::vector<std::string> evictable;
    for (const SweepCell& cell : result().cells)
      if (is_uploaded(cell) && cell.is_confirmed) evictable.push_back(job_of(cell).owner);
    const auto made = tools_.store.make_room(plan_.most_disk_bytes, evictable);
    HONE_TRY_DO(remove_evicted_folders());
    tools_.cache.drop_unshared(made_before);
    if (!made) end_.over_budget = told(made.error());
    return done();
  }

  // Links in them would keep the bytes on the disk.
  Status remove_evicted_folders() {
    for (const SweepCell& cell : result().cells) {
      if (!cell.is_confirmed) continue;
      HONE_TRY(const auto held, tools_.store.held_by(job_of(cell).owner));
      if (held.empty()) remove_folder(job_of(cell));
    }
    return done();
  }

  Status release_published() {
    if (plan_.keeps_local) return done();
    for (const SweepCell& cell : result().cells)
      if (cell.is_confirmed) HONE_TRY_DO(tools_.store.release(job_of(cell).owner));
    return done();
  }

  // Cells that there is no room for; the next run tries them again.
  void fail_the_rest() {
    for (SweepCell& cell : result().cells) {
      if (cell.status != CellStatus::pending) continue;
      cell.status = CellStatus::failed;
      cell.failure = CellFailure{.kind = FailureClass::disk_full,
                                 .stage = "config",
                                 .what = "not built: there is no room left within --max-disk",
                                 .log_tail = {}};
    }
  }

  Status sum_up() {
    HONE_TRY_DO(keep_to_budget(std::chrono::system_clock::now()));
    HONE_TRY_DO(release_published());
    if (!end_.over_budget.empty()) fail_the_rest();
    set_q_values(result().cells);
    HONE_TRY(const StoreUsage usage, tools_.store.du());
    for (const SweepCell& cell : result().cells) result().cell_bytes += cell.bytes;
    result().disk_bytes = usage.bytes;
    result().seconds = tools_.seconds() - begun_;
    result().journal_seconds = tools_.journal.seconds();
    return tools_.keep(result());
  }

  const SweepPlan& plan_;
  const SweepTools& tools_;
  SweepEnd end_;
  double begun_ = 0;
  std::string away_;                            // why the place is not asked any more
  std::map<std::string, SystemTime> begun_at_;  // cells that are being built
};

}  // namespace

Result<SweepEnd> sweep(const SweepPlan& plan, const SweepTools& tools) {
  return Sweep(plan, tools).run();
}

}  // namespace hone
