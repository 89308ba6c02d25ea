#include "app/sweep.h"

#include <algorithm>
#include <chrono>

#include "app/cell_evidence.h"
#include "app/errors.h"
#include "app/interrupt.h"
#include "app/own_command.h"
#include "app/publishing.h"
#include "app/step_progress.h"
#include "app/sweep_plan.h"
#include "base/counted.h"
#include "base/hash_file.h"
#include "base/process.h"
#include "base/text.h"
#include "base/utc.h"
#include "catalog/package_version.h"
#include "catalog/sweep.h"
#include "flow/search/noise_store.h"
#include "flow/version.h"
#include "flow/where.h"
#include "measure/clock.h"
#include "pipeline/build.h"
#include "report/sweep/sweep_html.h"
#include "report/sweep/sweep_text.h"

namespace hone::app {
namespace {

Failure misuse(std::string what, std::string hint = "hone help sweep") {
  return fail(Fault::bad_input, std::move(what), {}, std::move(hint));
}

std::string without_dashes(std::string text) {
  std::erase(text, '-');
  return text;
}

double now_seconds() { return std::chrono::duration<double>(steady_now()).count(); }

// "20G", "512M", "1000": bytes.
Result<std::uint64_t> read_size(const std::string& text, const char* option) {
  if (text.empty()) return std::uint64_t{0};
  struct Unit {
    char letter;
    int shift;
  };
  constexpr Unit units[] = {{'K', 10}, {'M', 20}, {'G', 30}, {'T', 40}};
  int shift = 0;
  std::string number = text;
  for (const Unit& unit : units) {
    if (number.back() == unit.letter || number.back() == unit.letter + ('a' - 'A'))
      shift = unit.shift;
  }
  if (shift > 0) number.pop_back();
  const auto value = parse_number<double>(number);
  constexpr double most = 1e18;
  if (!value || !(*value > 0) || *value * static_cast<double>(1ull << shift) > most)
    return misuse("'" + printable(text) + "' is no size for " + option, "20G, 512M or bytes");
  return static_cast<std::uint64_t>(*value * static_cast<double>(1ull << shift));
}

class SweepRun {
 public:
  SweepRun(const SweepArguments& arguments, const Call& call)
      : arguments_(arguments), call_(call), progress_(call) {}

  Result<ExitCode> run() {
    HONE_TRY_DO(read_what());
    if (arguments_.lists) return list();
    HONE_TRY_DO(check());
    HONE_TRY(const auto destination, open_place());
    if (is_refused_) return ExitCode::refused;
    HONE_TRY(SweepJournal journal, open_journal());
    HONE_TRY_DO(choose_stamp(journal));
    HONE_TRY_DO(plan_cells({arguments_, models_, memory_limit_, store_folder()}, progress_, plan_));
    return sweep_now(journal, destination.get());
  }

 private:
  Path folder() const { return arguments_.output; }
  Path store_folder() const {
    return arguments_.store.empty() ? folder() / "store" : Path(arguments_.store);
  }

  Status read_what() {
    if (arguments_.catalog.empty()) return misuse("sweep needs --catalog FILE");
    HONE_TRY(const Catalog catalog, read_catalog(arguments_.catalog));
    models_ = models_that_match(catalog, arguments_.filter);
    if (models_.empty()) return misuse("no model of the catalog is asked for", "--list shows them");
    return choose_targets();
  }

  Status choose_targets() {
    const bool is_pinned = !arguments_.where.ep.empty() || !arguments_.where.device.empty();
    if (is_pinned && !arguments_.targets.empty())
      return misuse("--targets and --ep or --device exclude each other");
    if (!is_pinned && !arguments_.where.ep_options.empty())
      return misuse("--ep-options needs --ep", "targets of a file have options of their own");
    if (!arguments_.targets.empty()) {
      HONE_TRY(plan_.targets, read_targets(arguments_.targets));
    } else if (is_pinned) {
      Where where = arguments_.where;
      if (where.ep.empty()) return misuse("--device needs --ep", "--ep qnn --device npu");
      RunPlan run;
      HONE_TRY_DO(fill_plan(where, run));
      plan_.targets = {pinned_target(run.target)};
    } else {
      plan_.targets = default_targets();
    }
    return done();
  }

  Result<ExitCode> list() {
    Json document = Json::object().set("schema_version", sweep_schema_version);
    Json models = Json::array();
    std::string text;
    for (const CatalogModel& model : models_) {
      models.push(to_json(model));
      text += printable(model.id) + "  " + printable(model.task) + "  " + printable(model.group) +
              "  " + model.priority + "\n";
    }
    document.set("models", std::move(models));
    std::vector<std::string> labels;
    Json targets = Json::array();
    for (const SweepTarget& target : plan_.targets) {
      targets.push(to_json(target));
      labels.push_back(target.label);
    }
    document.set("targets", std::move(targets));
    text += counted(models_.size(), "model") + " for " + join(labels, ", ") + "\n";
    HONE_TRY_DO(call_.answer(document, text));
    return ExitCode::done;
  }

  Status check() {
    if (arguments_.output.empty()) return misuse("sweep needs a folder: -o FOLDER");
    if (arguments_.is_build_only && arguments_.mode != "build")
      return misuse("--build-only and --mode " + arguments_.mode + " exclude each other");
    HONE_TRY(plan_.most_disk_bytes, read_size(arguments_.max_disk, "--max-disk"));
    HONE_TRY(memory_limit_, read_size(arguments_.memory_limit, "--memory-limit"));
    HONE_TRY(runner_, runner_named(arguments_.runner));
    HONE_TRY_DO(check_gates());
    if (arguments_.continues && arguments_.overwrite)
      return misuse("--continue and --overwrite exclude each other");
    const bool has_journal = std::filesystem::exists(folder() / "journal.db");
    if (has_journal && !arguments_.continues && !arguments_.overwrite) {
      return fail(Fault::io, "'" + arguments_.output + "' holds a sweep already", {},
                  "--continue goes on with it, --overwrite begins anew");
    }
    if (!arguments_.run_stamp.empty() && slug(arguments_.run_stamp).empty())
      return misuse("--run-stamp has neither a letter nor a digit", "--run-stamp 20260609");
    plan_.mode = *value_named<SweepMode>(arguments_.mode);
    plan_.uploads = !arguments_.upload.empty();
    plan_.continues = arguments_.continues;
    plan_.skips_existing = arguments_.skips_existing;
    plan_.keeps_local = arguments_.keeps_local;
    plan_.upload_timeout = std::chrono::seconds(arguments_.timeout_s);
    return done();
  }

  Status check_gates() const {
    if (arguments_.where.least_placement && arguments_.mode != "perf")
      return misuse("--require-placement needs --mode perf", "only that runs on the EP to see it");
    if (!(arguments_.max_drop > 0 && arguments_.max_drop < 1))
      return misuse("--max-drop is a share between 0 and 1", "--max-drop 0.01");
    return done();
  }

  // Asked before anything is built; null where nothing is published.
  Result<std::unique_ptr<Destination>> open_place() {
    if (!plan_.uploads) return std::unique_ptr<Destination>();
    PublisherSettings settings = publisher_settings();
    settings.package_name = arguments_.package_name;
    settings.scratch = folder() / "outbox";
    HONE_TRY(auto destination, open_destination(arguments_.upload, settings));
    if (const Status ready = destination->ready(Access::write); !ready) {
      report(ready.error(), call_.settings());
      is_refused_ = true;
    }
    return destination;
  }

  // Who has the journal has the folder: nothing in it is touched before.
  Result<SweepJournal> open_journal() {
    std::error_code problem;
    std::filesystem::create_directories(folder() / "cells", problem);
    if (problem)
      return fail(Fault::io, "cannot make '" + arguments_.output + "'", problem.message());
    HONE_TRY(SweepJournal journal, SweepJournal::open(folder() / "journal.db"));
    if (!arguments_.overwrite) return journal;
    HONE_TRY_DO(journal.clear());
    std::filesystem::remove_all(folder() / "jobs", problem);
    return journal;
  }

  // Versions carry the stamp: a sweep that goes on tomorrow is still the same run.
  Status choose_stamp(SweepJournal& journal) {
    constexpr auto key = "sweep";
    constexpr auto step = "run_stamp";
    HONE_TRY(const auto known, journal.find(key, step));
    if (!arguments_.run_stamp.empty()) {
      plan_.run_stamp = slug(arguments_.run_stamp);
    } else if (known && known->as_string() != nullptr) {
      plan_.run_stamp = slug(*known->as_string());
    } else {
      plan_.run_stamp = without_dashes(utc_today());
    }
    return journal.store(key, step, Json(plan_.run_stamp));
  }

  Result<ExitCode> sweep_now(SweepJournal& journal, Destination* destination) {
    HONE_TRY(ContentStore store, ContentStore::open(store_folder()));
    const Path program = arguments_.where.host.program;
    const double begun = now_seconds();
    SweepTools tools{.store = store,
                     .cache = StageCache(folder() / "cache" / "builds"),
                     .journal = journal,
                     .runner = *runner_,
                     .running = {},
                     .destination = destination,
                     .evidence = {},
                     .seconds = now_seconds,
                     .stop = &stop_when_interrupted()};
    tools.running.program = program;
    tools.running.folder = std::filesystem::absolute(folder() / "jobs");
    tools.running.jobs = static_cast<std::size_t>(arguments_.jobs);
    tools.running.stop = tools.stop;
    HONE_TRY(const EvidenceMachine machine, find_machine());
    tools.evidence = [&](const CellJob& job, const CellOutcome& outcome) -> Result<Json> {
      HONE_TRY(const CellEvidence evidence, evidence_of(job, outcome, machine));
      return to_document(evidence, evidence_schema_version);
    };
    tools.keep = [&](const SweepResult& result) { return keep(result); };
    tools.progress = [&](const SweepResult& result, const std::string& doing) {
      progress_.step(describe_sweep_progress(result, now_seconds() - begun) + "; " + doing);
    };
    HONE_TRY(SweepEnd end, sweep(plan_, tools));
    progress_.end();
    HONE_TRY(const ExitCode code, answer(end));
    end_if_interrupted();
    return code;
  }

  Result<ExitCode> answer(const SweepEnd& end) {
    HONE_TRY_DO(
        call_.answer(to_document(end.result, sweep_schema_version), describe_sweep(end.result)));
    if (end.was_refused) {
      call_.note("the place refuses us: log in, then go on with --continue");
      return ExitCode::refused;
    }
    if (end.went_away) {
      call_.note("the place does not answer any more: go on with --continue when it is back");
      return ExitCode::refused;
    }
    if (!end.over_budget.empty()) {
      call_.note(end.over_budget);
      return ExitCode::not_held;
    }
    const auto is_wrong = [&](const SweepCell& cell) {
      const bool is_published =
          (cell.upload == "uploaded" && cell.is_confirmed) || cell.upload == "exists-skipped";
      return cell.status != CellStatus::done || (plan_.uploads && !is_published);
    };
    return std::ranges::any_of(end.result.cells, is_wrong) ? ExitCode::not_held : ExitCode::done;
  }

  // The machine, and its noise certificate where there is one.
  Result<EvidenceMachine> find_machine() const {
    Where where = arguments_.where;
    HONE_TRY(const SearchEnvironment environment, find_environment(where, {}));
    return EvidenceMachine{environment.facts, load_certificate(where.host, environment, {})};
  }

  Status keep(const SweepResult& result) const {
    HONE_TRY_DO(write_file(folder() / "sweep.json",
                           to_document(result, sweep_schema_version).dump() + "\n"));
    HONE_TRY_DO(write_file(folder() / "report.html", sweep_page(result)));
    const Json upstream = build_only_results(result, arguments_.package_name, utc_now());
    return write_file(folder() / "build_only_results.json", upstream.dump() + "\n");
  }

  const SweepArguments& arguments_;
  const Call& call_;
  StepProgress progress_;
  std::vector<CatalogModel> models_;
  SweepPlan plan_;
  const Runner* runner_ = nullptr;
  std::uint64_t memory_limit_ = 0;
  bool is_refused_ = false;
};

}  // namespace

Result<ExitCode> run_sweep(const SweepArguments& arguments, const Call& call) {
  return SweepRun(arguments, call).run();
}

}  // namespace hone::app
