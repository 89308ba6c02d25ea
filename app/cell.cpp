#include "app/cell.h"

#include <algorithm>
#include <chrono>

#include "app/own_command.h"
#include "app/where.h"
#include "base/process.h"
#include "base/replace_folder.h"
#include "base/system_files.h"
#include "catalog/failure.h"
#include "catalog/store.h"
#include "flow/inputs.h"
#include "measure/clock.h"
#include "record/eval.h"
#include "report/support/support_text.h"
#include "report/trace/text.h"
#include "search/false_discovery.h"
#include "support/ladder.h"

namespace hone::app {
namespace {

CellFailure failure_of(std::string stage, const Error& error) {
  const bool is_full = error.cause.find("No space left") != std::string::npos;
  return {.kind = is_full ? FailureClass::disk_full : FailureClass::infra,
          .stage = std::move(stage),
          .what = error.cause.empty() ? error.what : error.what + ": " + error.cause,
          .log_tail = {}};
}

void add(std::vector<std::string>& words, const char* option,
         const std::optional<std::string>& value) {
  if (value) words.insert(words.end(), {option, *value});
}

class Cell {
 public:
  explicit Cell(const CellJob& job) : job_(job), shapes_(job.model.shape_config) {}

  CellOutcome run() {
    const Nanoseconds begun = steady_now();
    settle_shapes();
    const bool is_done = build() && measure() && store();
    outcome_.status = is_done ? CellStatus::done : CellStatus::failed;
    outcome_.seconds = std::chrono::duration<double>(steady_now() - begun).count();
    return std::move(outcome_);
  }

 private:
  // All commands of the cell run on the same inputs. Where none are found that run, the build says
  // so in its own words.
  void settle_shapes() {
    Where where;
    Options options("sweep");
    declare_runtime(options, where.host);
    if (job_.model.input_data || !options.read(job_.runtime_words)) return;
    auto settled =
        settle_inputs(where, {.model = job_.model.model, .shape_config = shapes_.value_or("")});
    if (settled && !settled->shape_config.empty()) shapes_ = std::move(settled->shape_config);
  }

  // A command of ours as a process with the cell's limits; nothing when it failed.
  std::optional<Json> command(const std::string& stage, std::vector<std::string> words) {
    const auto program = own_program();
    if (!program) return refuse(failure_of(stage, program.error()));
    words.insert(words.begin(), {program->string(), stage});
    words.insert(words.end(), job_.runtime_words.begin(), job_.runtime_words.end());
    words.insert(words.end(), {"--format", "json"});
    ProcessOptions options;
    options.limits.time = std::chrono::seconds(job_.time_limit_s);
    options.limits.memory_bytes = job_.memory_limit_bytes;
    options.environment = {{"HONE_CACHE", job_.cache}};
    const auto end = run_process(words, options);
    if (!end) return refuse(failure_of(stage, end.error()));
    if (!end->ok()) return refuse(classify(stage, *end));
    auto answer = Json::parse(end->standard_output);
    if (!answer) return refuse(failure_of(stage, answer.error()));
    return *std::move(answer);
  }

  std::optional<Json> refuse(CellFailure failure) {
    outcome_.failure = std::move(failure);
    return std::nullopt;
  }

  Path built_model() const { return Path(job_.folder) / "model.onnx"; }

  bool build() {
    const Path recipe = Path(job_.folder).concat(".recipe.json");
    std::error_code problem;
    // What an earlier recipe left would be published with this one.
    std::filesystem::remove_all(job_.folder, problem);
    std::filesystem::create_directories(recipe.parent_path(), problem);
    const Status written =
        write_file(recipe, to_document(job_.recipe, recipe_schema_version).dump() + "\n");
    if (!written) {
      refuse(failure_of("config", written.error()));
      return false;
    }
    std::vector<std::string> words = {job_.model.model, "-o",          job_.folder,   "-c",
                                      recipe.string(),  "--overwrite", "--no-compile"};
    add(words, "--input-data", job_.model.input_data);
    add(words, "--shape-config", shapes_);
    auto receipt = command("build", std::move(words));
    std::filesystem::remove(recipe, problem);
    if (receipt) outcome_.receipt = *std::move(receipt);
    return outcome_.receipt.as_object() != nullptr;
  }

  bool measure() {
    switch (job_.mode) {
      case SweepMode::build:
        return true;
      case SweepMode::perf:
        return measure_speed();
      case SweepMode::eval:
        return measure_accuracy();
      case SweepMode::autoconfig:
        return search();
    }
    return true;
  }

  bool measure_speed() {
    std::vector<std::string> words = {built_model().string()};
    for (std::string& word : run_words(job_.recipe)) words.push_back(std::move(word));
    add(words, "--input-data", job_.model.input_data);
    add(words, "--shape-config", shapes_);
    if (!job_.require_placement.empty())
      words.insert(words.end(), {"--require-placement", job_.require_placement});
    auto answer = command("perf", std::move(words));
    if (!answer) return false;
    outcome_.result = Json::object().set("perf", *answer);
    if (const Json* latency = answer->find("latency_ms")) {
      if (const Json* middle = latency->find("p50")) outcome_.result.set("latency_ms", *middle);
    }
    return true;
  }

  bool measure_accuracy() {
    std::vector<std::string> words = {built_model().string(), "--reference", job_.model.model};
    for (std::string& word : run_words(job_.recipe)) words.push_back(std::move(word));
    if (job_.model.data && !job_.model.task.empty()) {
      words.insert(words.end(), {"--task", job_.model.task, "--data", *job_.model.data,
                                 "--max-drop", Json(job_.max_drop).dump()});
    } else {
      add(words, "--input-data", job_.model.input_data);
      add(words, "--shape-config", shapes_);
    }
    auto answer = command("eval", std::move(words));
    if (!answer) return false;
    outcome_.result = Json::object().set("eval", *answer);
    return answer->find("metrics") != nullptr ? take_metric(*answer) : take_parity(*answer);
  }

  bool take_metric(const Json& answer) {
    const auto report = from_document<EvalReport>(answer, eval_schema_version);
    if (!report) return refuse(failure_of("eval", report.error())).has_value();
    if (report->metrics.empty()) return true;
    const EvalMetric& metric = report->metrics.front();
    std::string told = metric.name + " " + text_form::fixed(metric.model.value, 4);
    if (metric.reference) told += ", reference " + text_form::fixed(metric.reference->value, 4);
    outcome_.result.set("accuracy", told);
    return true;
  }

  // Without labelled samples the model as it came says what is right.
  bool take_parity(const Json& answer) {
    const auto report = from_document<CompareReport>(answer, eval_schema_version);
    if (!report) return refuse(failure_of("eval", report.error())).has_value();
    const ParityProof parity{.least_cosine = least_cosine_of(job_.recipe),
                             .seed = 0,
                             .samples = report->samples,
                             .outputs = report->outputs};
    outcome_.result.set("accuracy", describe_parity(parity));
    const TierJudgement judged = judge_parity(parity);
    if (judged.verdict == TierVerdict::pass) return true;
    refuse(
        {.kind = FailureClass::numerics, .stage = "eval", .what = judged.reason, .log_tail = {}});
    return false;
  }

  bool search() {
    const Path folder = Path(job_.folder).concat(".search");
    std::vector<std::string> words = {job_.model.model, "-o", folder.string(), "--overwrite"};
    for (std::string& word : run_words(job_.recipe)) words.push_back(std::move(word));
    add(words, "--input-data", job_.model.input_data);
    add(words, "--calibration-data", job_.model.calibration_data);
    add(words, "--shape-config", shapes_);
    if (job_.model.data && !job_.model.task.empty())
      words.insert(words.end(), {"--task", job_.model.task, "--data", *job_.model.data,
                                 "--max-drop", Json(job_.max_drop).dump()});
    // The search ends by itself before the cell is stopped.
    const std::int64_t budget = std::max<std::int64_t>(job_.time_limit_s * 3 / 4, 10);
    words.insert(words.end(), {"--time-budget", std::to_string(budget)});
    auto answer = command("autoconfig", std::move(words));
    if (!answer) return false;
    outcome_.result = Json::object().set("search", *answer);
    const auto found = from_document<SearchResult>(*answer, search_schema_version);
    if (!found) return refuse(failure_of("autoconfig", found.error())).has_value();
    take_claim(*found);
    return !found->champion || keep_champion(folder);
  }

  // What the search claims, and all that it tested to get there.
  void take_claim(const SearchResult& search) {
    const FinalTests tests = final_tests(search);
    Json p = Json::array();
    for (const double one : tests.p) p.push(one);
    outcome_.result.set("final_p", std::move(p));
    outcome_.result.set("latency_ms", search.baseline_ms ? Json(*search.baseline_ms) : Json());
    if (!search.champion) return;
    outcome_.result.set("champion", *search.champion);
    if (tests.champion) outcome_.result.set("p_value", *tests.champion);
    for (const SearchArm& arm : search.arms) {
      if (arm.hypothesis.id != *search.champion) continue;
      if (arm.confirmed && arm.confirmed->median_ms)
        outcome_.result.set("latency_ms", *arm.confirmed->median_ms);
      if (arm.accuracy) outcome_.result.set("accuracy", name_of(arm.accuracy->verdict));
    }
  }

  // What the search found goes with the cell.
  bool keep_champion(const Path& folder) {
    const Path champion = folder / "champion";
    std::error_code problem;
    if (!std::filesystem::is_directory(champion, problem)) return true;
    const Status kept = replace_folder(champion, Path(job_.folder) / "champion");
    if (!kept) refuse(failure_of("autoconfig", kept.error()));
    return kept.has_value();
  }

  // All of the folder but what differs from run to run: times are in the receipt alone.
  std::vector<Path> files() const {
    std::vector<Path> found;
    std::error_code problem;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(job_.folder, problem)) {
      const bool is_ours = entry.path().filename() == "receipt.json";
      if (entry.is_regular_file() && !is_ours) found.push_back(entry.path());
    }
    std::ranges::sort(found);
    return found;
  }

  Status take_all() {
    HONE_TRY(ContentStore store, ContentStore::open(job_.store));
    const std::vector<Path> taken = files();
    // A blob that another cell had may be evicted before it is held here as well.
    constexpr int attempts = 5;
    Status held = done();
    for (int attempt = 0; attempt < attempts; ++attempt) {
      held = hold(store, taken);
      if (held || held.error().fault != Fault::not_found) break;
    }
    HONE_TRY_DO(std::move(held));
    return share_cache(store);
  }

  Status hold(ContentStore& store, const std::vector<Path>& taken) {
    HONE_TRY(const std::vector<StoredBlob> blobs, store.take_all(taken));
    std::vector<HeldFile> held;
    outcome_.files.clear();
    for (std::size_t i = 0; i < taken.size(); ++i) {
      const std::string path = taken[i].lexically_relative(job_.folder).generic_string();
      held.push_back({path, blobs[i].sha256, blobs[i].bytes});
      outcome_.files.push_back({path, blobs[i].sha256, blobs[i].bytes});
    }
    return store.hold_instead(job_.owner, held);
  }

  // What the cache of stages has is what cells have: once on disk for both.
  Status share_cache(ContentStore& store) const {
    std::error_code problem;
    std::vector<Path> found;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(Path(job_.cache) / "builds", problem)) {
      // A file with several names is a link to its blob already.
      if (entry.is_regular_file() && entry.hard_link_count() == 1) found.push_back(entry.path());
    }
    for (const Path& file : found) {
      // Another cell may be writing it: then it is taken after the next one.
      (void)store.take(file);
    }
    return done();
  }

  bool store() {
    const Status kept = take_all();
    if (kept) return true;
    refuse(failure_of("store", kept.error()));
    return false;
  }

  const CellJob& job_;
  std::optional<std::string> shapes_;  // as given, and once settled, of all inputs
  CellOutcome outcome_;
};

}  // namespace

CellOutcome run_cell(const CellJob& job) { return Cell(job).run(); }

}  // namespace hone::app
