#include "flow/sweep/cell.h"

#include <algorithm>
#include <chrono>

#include "base/replace_folder.h"
#include "catalog/failure.h"
#include "flow/build.h"
#include "flow/eval.h"
#include "flow/inputs.h"
#include "flow/job.h"
#include "flow/numerics.h"
#include "flow/perf.h"
#include "flow/search/search.h"
#include "flow/sweep/cell_store.h"
#include "flow/where.h"
#include "measure/clock.h"
#include "pipeline/build_folder.h"
#include "report/support/support_text.h"
#include "report/sweep/repeat.h"
#include "report/trace/text.h"
#include "search/false_discovery.h"
#include "support/ladder.h"

namespace hone {
namespace {

// Of a file or folder of this machine, what it is called there.
void keep_last_name(std::optional<std::string>& path) {
  if (!path) return;
  const Path whole(*path);
  path = (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

class Cell {
 public:
  Cell(const CellOrder& order, const Watch& watch)
      : order_(order), watch_(watch), shapes_(order.model.shape_config.value_or("")) {}

  CellOutcome run() {
    const Nanoseconds begun = steady_now();
    settle_shapes();
    const bool is_done =
        did("build", build()) && did(name_of(order_.mode), measure()) && did("store", keep());
    outcome_.status = is_done ? CellStatus::done : CellStatus::failed;
    outcome_.seconds = std::chrono::duration<double>(steady_now() - begun).count();
    return std::move(outcome_);
  }

 private:
  bool did(std::string_view step, const Status& status) {
    if (!status) outcome_.failure = failure_of(step, status.error());
    return status.has_value();
  }

  // All steps of the cell run on the same inputs. Where none are found that run, the build says so
  // in its own words.
  void settle_shapes() {
    if (order_.model.input_data) return;
    Where where;
    where.host = order_.where.host;
    auto settled = settle_inputs(where, {.model = order_.model.model, .shape_config = shapes_});
    if (settled && !settled->shape_config.empty()) shapes_ = std::move(settled->shape_config);
  }

  // A step in a process of its own, with the cell's limits.
  template <class Step>
  Result<typename Step::Answer> run_step(const Step& step) {
    watch_.step(std::string(Step::job) + ": " + order_.model.id + " for " + order_.target.label);
    return run_apart(step, order_.where.host.program,
                     {.time = std::chrono::seconds(order_.time_limit_s),
                      .memory_bytes = order_.memory_limit_bytes},
                     {.stop = watch_.stop});
  }

  std::string built_model() const { return (Path(order_.folder) / "model.onnx").string(); }
  Where where_it_runs() const { return where_of(order_.recipe, order_.where); }
  bool is_labelled() const { return order_.model.data && !order_.model.task.empty(); }

  template <class Step>
  void give_inputs(Step& step) const {
    step.input_data = order_.model.input_data.value_or("");
    step.shape_config = shapes_;
  }

  // Compiled on the device, and not here.
  Status build() {
    std::error_code problem;
    // What an earlier recipe left would be published with this one.
    std::filesystem::remove_all(order_.folder, problem);
    std::filesystem::create_directories(Path(order_.folder).parent_path(), problem);
    BuildOrder step;
    step.model = order_.model.model;
    step.recipe = order_.recipe;
    step.recipe.compile.reset();
    step.is_build_only = true;
    step.output = order_.folder;
    step.overwrite = true;
    step.holds_coverage = !order_.allows_unsupported;
    give_inputs(step);
    step.where = order_.where;
    HONE_TRY(BuildReceipt receipt, run_step(step));
    HONE_TRY_DO(name_files_alone(receipt));
    outcome_.receipt = to_document(receipt, build_schema_version);
    return done();
  }

  // Recipe and receipt are published: they say which data it was, and not where that lies here.
  Status name_files_alone(BuildReceipt& receipt) const {
    if (!receipt.recipe.quantize) return done();
    keep_last_name(receipt.recipe.quantize->calibration_data);
    keep_last_name(receipt.recipe.quantize->overrides);
    receipt.recipe_sha256 = hash_of(receipt.recipe);
    HONE_TRY_DO(write_recipe(order_.folder, receipt.recipe));
    return write_receipt(order_.folder, receipt);
  }

  Status measure() {
    switch (order_.mode) {
      case SweepMode::build:
        return done();
      case SweepMode::perf:
        return measure_speed();
      case SweepMode::eval:
        return is_labelled() ? judge_at_task() : judge_by_reference();
      case SweepMode::autoconfig:
        return search();
    }
    return done();
  }

  Status measure_speed() {
    PerfOrder step;
    step.model = built_model();
    give_inputs(step);
    step.where = where_it_runs();
    step.repeat = line_of_perf(order_, shapes_);
    HONE_TRY(const PerfResult result, run_step(step));
    outcome_.result = Json::object().set("perf", to_document(result, perf_schema_version));
    outcome_.result.set("latency_ms", to_json(result.latency_ms.p50));
    return done();
  }

  Status judge_at_task() {
    TaskOrder step;
    step.model = built_model();
    step.reference.model = order_.model.model;
    step.task = order_.model.task;
    step.data = *order_.model.data;
    step.max_drop = order_.max_drop;
    step.where = where_it_runs();
    HONE_TRY(const EvalReport report, run_step(step));
    outcome_.result = Json::object().set("eval", to_document(report, eval_schema_version));
    if (report.metrics.empty()) return done();
    const EvalMetric& metric = report.metrics.front();
    std::string told = metric.name + " " + text_form::fixed(metric.model.value, 4);
    if (metric.reference) told += ", reference " + text_form::fixed(metric.reference->value, 4);
    outcome_.result.set("accuracy", told);
    const AccuracyCheck judged = judge_task(report, order_.max_drop);
    return judged.verdict == CheckVerdict::pass ? done() : fail(Fault::not_held, judged.reason);
  }

  // Without labelled samples the model as it came says what is right.
  Status judge_by_reference() {
    ParityOrder step;
    step.model = built_model();
    step.reference.model = order_.model.model;
    give_inputs(step);
    step.where = where_it_runs();
    HONE_TRY(const CompareReport report, run_step(step));
    outcome_.result = Json::object().set("eval", to_document(report, eval_schema_version));
    const ParityProof parity{.least_cosine = least_cosine_of(order_.recipe),
                             .seed = 0,
                             .samples = report.samples,
                             .outputs = report.outputs};
    outcome_.result.set("accuracy", describe_parity(parity));
    const TierJudgement judged = judge_parity(parity);
    if (judged.verdict == TierVerdict::pass) return done();
    return fail(Fault::not_held, judged.reason);
  }

  SearchOrder search_order(const Path& folder) const {
    SearchOrder step;
    step.model = order_.model.model;
    step.folder = folder.string();
    step.overwrite = true;
    give_inputs(step);
    step.calibration_data = order_.model.calibration_data.value_or("");
    if (is_labelled()) {
      step.task = order_.model.task;
      step.data = *order_.model.data;
    }
    step.max_drop = order_.max_drop;
    step.knowledge = order_.knowledge;
    // The search ends by itself before the cell is stopped.
    step.time_budget_s = std::max<std::int64_t>(order_.time_limit_s * 3 / 4, 10);
    step.repeat = line_of_search({order_, step.folder, shapes_, step.time_budget_s});
    step.where = where_it_runs();
    return step;
  }

  Status search() {
    const Path folder = Path(order_.folder).concat(".search");
    HONE_TRY(const SearchResult result, run_step(search_order(folder)));
    outcome_.result = Json::object().set("search", to_document(result, search_schema_version));
    take_claim(result);
    return result.champion ? keep_champion(folder) : done();
  }

  // What the search claims, and all that it tested to get there.
  void take_claim(const SearchResult& search) {
    const FinalTests tests = final_tests(search);
    Json p = Json::array();
    for (const double one : tests.p) p.push(one);
    outcome_.result.set("final_p", std::move(p));
    std::optional<double> latency_ms = search.baseline_ms;
    if (search.champion) {
      outcome_.result.set("champion", *search.champion);
      if (tests.champion) outcome_.result.set("p_value", *tests.champion);
    }
    for (const SearchArm& arm : search.arms) {
      if (arm.hypothesis.id != search.champion) continue;
      if (arm.confirmed && arm.confirmed->median_ms) latency_ms = arm.confirmed->median_ms;
      if (arm.accuracy) outcome_.result.set("accuracy", name_of(arm.accuracy->verdict));
    }
    outcome_.result.set("latency_ms", to_json(latency_ms));
  }

  // What the search found goes with the cell.
  Status keep_champion(const Path& folder) const {
    const Path champion = folder / "champion";
    std::error_code problem;
    if (!std::filesystem::is_directory(champion, problem)) return done();
    return replace_folder(champion, Path(order_.folder) / "champion");
  }

  Status keep() {
    HONE_TRY(outcome_.files, keep_cell(order_));
    return done();
  }

  const CellOrder& order_;
  const Watch& watch_;
  std::string shapes_;  // as given, and once settled, of all inputs
  CellOutcome outcome_;
};

}  // namespace

Result<CellOutcome> run_cell(const CellOrder& order, const Watch& watch) {
  return Cell(order, watch).run();
}

Job jobs::cell() { return job_of(run_cell); }

}  // namespace hone
