#include "flow/fix.h"

#include <algorithm>
#include <map>

#include "base/counted.h"
#include "base/misuse.h"
#include "flow/given_model.h"
#include "flow/inputs.h"
#include "flow/job.h"
#include "flow/task_data.h"
#include "flow/transform_tools.h"
#include "flow/where.h"
#include "inspect/debug/debug.h"
#include "inspect/eval/evaluate.h"
#include "measure/race.h"
#include "pipeline/fix.h"
#include "runtime/ep_names.h"
#include "runtime/prepared.h"
#include "transform/quantize/selection.h"
#include "transform/verify.h"

namespace hone {
namespace {

struct AccuracyOrder {
  const FixOrder& order;
  const ScoredRun& how;
  SampleShare share;
};

Result<double> accuracy(const std::shared_ptr<Runtime>& runtime, const AccuracyOrder& asked,
                        const Path& model) {
  const FixOrder& order = asked.order;
  const SampleShare share = asked.share;
  EvaluateRequest request;
  HONE_TRY(request.task, find_task(order.task));
  HONE_TRY(const Session session, open_scored(runtime, model, asked.how));
  // Attempts lie in a folder of their own: what belongs to the model is beside the given one.
  HONE_TRY(const FoundModel given, find_given(order.model, order.where.host));
  HONE_TRY(TaskData opened,
           open_task_data(
               {.task = order.task, .data = order.data, .models = {{given.file, given.exported}}},
               session.inputs()));
  request.settings = std::move(opened.settings);
  request.share = share;
  EvalReport report;
  HONE_TRY_DO(evaluate(session, nullptr, opened.data, request, report));
  return report.metrics.front().model.value;
}

constexpr double not_finite_db = -1000;  // worse than any noise

Status check(const FixOrder& order) {
  constexpr auto help = "hone help debug";
  if (order.target_sqnr_db.has_value() == !order.task.empty())
    return misuse("--fix needs --target-sqnr DB, or --metric TASK with --data DIR", help);
  if (order.target_sqnr_db && !(*order.target_sqnr_db > 0))
    return misuse("--target-sqnr takes decibels, above 0", help);
  if (!order.task.empty() && order.data.empty()) return misuse("--metric needs --data DIR", help);
  if (order.overrides.empty()) return misuse("--fix needs --overrides-out FILE", help);
  return refuse_existing(order.overrides, order.overwrite);
}

class Fix {
 public:
  Fix(const FixOrder& order, const FixWatch& watch) : order_(order), watch_(watch) {}

  Result<FixResult> run() {
    HONE_TRY_DO(find());
    HONE_TRY_DO(check(order_));
    HONE_TRY(TemporaryFolder folder, TemporaryFolder::create("fix"));
    plan_.folder = folder.path();
    HONE_TRY_DO(settle_samples());
    HONE_TRY_DO(settle_shapes());
    HONE_TRY(const TransformTools tools, make_tools(where_.host, watch_.watch));
    plan_.journal = order_.journal;
    plan_.tools = {tools.runtime, tools.probe_library, {}};
    plan_.most_alone = static_cast<std::size_t>(order_.most_alone);
    plan_.progress = [this](const std::string& step) { watch_.watch.step(step); };
    HONE_TRY(plan_.quantize, request_of(order_.quantize));
    plan_.quantize.model = model_;
    if (!made_samples_.empty() && !order_.quantize.calibration_data)
      plan_.quantize.calibration_data = made_samples_;
    HONE_TRY(plan_.quantize.shapes, parse_shape_rules(shape_config_));
    HONE_TRY_DO(choose_score());
    HONE_TRY_DO(rank_candidates());
    HONE_TRY(FixResult result, find_fix(plan_));
    HONE_TRY_DO(keep(result));
    return result;
  }

 private:
  Status find() {
    HONE_TRY(const GivenModel given, find_model(order_.model, order_.where));
    note_all(given.notes);
    model_ = given.file;
    where_ = given.where;
    return done();
  }

  // Random tokens and pixels say nothing of a task: where no samples are given, they are its own.
  Status settle_samples() {
    input_data_ = order_.input_data;
    if (order_.task.empty()) return done();
    if (!input_data_.empty() && order_.quantize.calibration_data) return done();
    made_samples_ = plan_.folder / "samples.npz";
    ExportOrder order;
    order.model = order_.model;
    order.data = order_.data;
    order.task = order_.task;
    order.output = made_samples_.string();
    order.samples = order_.quantize.samples.value_or(usual_calibration_samples);
    order.seed = order_.seed;
    order.host = where_.host;
    HONE_TRY(const MadeData made, export_samples(order));
    if (input_data_.empty()) input_data_ = made_samples_.string();
    if (!order_.quantize.calibration_data) {
      note_all({"calibrated on the first " + counted(made.samples, "sample") + " of '" +
                order_.data + "', which are judged as well: --calibration-data takes others"});
    }
    return done();
  }

  // Calibration, scores and the race run on the same inputs.
  Status settle_shapes() {
    // What calibrates is made up where only other samples are given.
    const bool is_calibrated = order_.quantize.calibration_data || !made_samples_.empty();
    const std::string given = is_calibrated ? input_data_ : std::string();
    HONE_TRY(const SettledInputs inputs,
             settle_inputs(where_, {model_, given, order_.shape_config, order_.seed}));
    shape_config_ = inputs.shape_config;
    note_all(inputs.notes);
    return done();
  }

  void note_all(const std::vector<std::string>& notes) const {
    for (const std::string& note : notes)
      if (watch_.note) watch_.note(note);
  }

  Result<std::vector<Sample>> samples() const {
    HONE_TRY(const Model model, load_model(model_));
    const auto count = static_cast<std::size_t>(order_.samples);
    HONE_TRY(std::vector<Sample> found,
             samples_for(model, {input_data_, shape_config_, order_.seed, count}));
    if (found.size() > count) found.resize(count);
    return found;
  }

  // Integers are computed on the CPU as anywhere; half precision is not.
  Status choose_run() {
    if (!is_of_halves(plan_)) return done();
    how_.rounds_halves = where_.ep.empty() || ep_short_name(where_.ep) == "cpu";
    plan_.scored_on = how_.rounds_halves ? "rounded" : where_.ep;
    if (how_.rounds_halves) return done();
    RunPlan plan;
    HONE_TRY_DO(fill_plan(where_, plan));
    HONE_TRY(plan_.tools.runtime, start_runtime(plan));
    how_.settings = settings_of(plan);
    return done();
  }

  Status choose_score() {
    const std::shared_ptr<Runtime>& runtime = plan_.tools.runtime;
    HONE_TRY(std::vector<Sample> found, samples());
    HONE_TRY_DO(choose_run());
    HONE_TRY(plan_.rank_score, score_by_sqnr(runtime, model_, std::move(found), how_));
    if (order_.task.empty()) {
      plan_.score_name = "sqnr_db";
      plan_.target = *order_.target_sqnr_db;
      plan_.score = plan_.rank_score;
      return done();
    }
    plan_.score_name = order_.task;
    watch_.watch.step("the float model at its task");
    const auto score_on = [this](SampleShare share) {
      return [this, share](const Path& model) {
        return accuracy(plan_.tools.runtime, {order_, how_, share}, model);
      };
    };
    plan_.score = score_on(SampleShare::even);
    plan_.held_out_score = score_on(SampleShare::odd);
    HONE_TRY(const double reference, plan_.score(model_));
    HONE_TRY(const double held_out, plan_.held_out_score(model_));
    // Half of the drop is room for luck: the set that is picked looks better on the samples that
    // picked it. (PP-OCR, 300 lines: 1.0 points there, 1.6 on 3,000 fresh ones.)
    plan_.target = reference - order_.max_drop / 2;
    plan_.held_out_target = held_out - order_.max_drop;
    return done();
  }

  // Nodes whose own tensors and weights lose most, first: what debug sees of the model with
  // everything quantized.
  Status rank_candidates() {
    HONE_TRY(plan_.candidates, quantized_nodes(plan_));
    QuantizeRequest request = plan_.quantize;
    request.output = plan_.folder / "all.onnx";
    request.verifies = false;
    request.calibration_cache = plan_.folder / "calibration";
    HONE_TRY_DO(quantize_file(request, plan_.tools));
    HONE_TRY(const Model before, load_model(model_));
    HONE_TRY(const Model after, load_model(request.output));
    HONE_TRY(SampleStream stream, open_stream(before));
    watch_.watch.step("looking at every tensor");
    HONE_TRY(const DebugResult seen, debug_models(plan_.tools.runtime, before, after, stream, {}));
    if (is_of_halves(plan_)) keep_together(before, plan_);
    const std::map<std::string, double> losses = worst_of(seen);
    const auto loss_of = [&](const std::string& node) {
      const auto found = losses.find(node);
      return found != losses.end() ? found->second : std::numeric_limits<double>::infinity();
    };
    std::ranges::stable_sort(plan_.candidates, {}, loss_of);
    return done();
  }

  Result<SampleStream> open_stream(const Model& model) const {
    const auto count = static_cast<std::size_t>(order_.samples);
    if (!input_data_.empty())
      return SampleStream::from_files(input_data_, input_ports(model), count);
    HONE_TRY(ShapeRules rules, parse_shape_rules(shape_config_));
    return SampleStream::from_seed(input_ports(model), std::move(rules), read_input_facts(model),
                                   order_.seed, count);
  }

  // By node, the least decibels of a tensor it makes or a weight it reads.
  static std::map<std::string, double> worst_of(const DebugResult& seen) {
    std::map<std::string, double> losses;
    const auto add = [&](const std::string& node, const std::optional<double>& decibels) {
      if (!decibels) return;
      const auto [at, is_new] = losses.emplace(node, *decibels);
      at->second = std::min(at->second, *decibels);
    };
    for (const ActivationLoss& loss : seen.activations) {
      const std::string& name = loss.node.empty() ? loss.tensor_name : loss.node;
      const bool is_lost = loss.loss_class == LossClass::originator && loss.local_not_finite > 0;
      add(name, is_lost ? std::optional(not_finite_db) : loss.local_sqnr_db);
    }
    for (const WeightLoss& loss : seen.weights) add(loss.node, loss.weight_sqnr_db);
    return losses;
  }

  // The overrides, and what they cost in time beside the model with everything quantized.
  Status keep(FixResult& result) {
    HONE_TRY_DO(write_fix(order_.overrides, result.float_nodes));
    result.overrides = order_.overrides;
    if (how_.rounds_halves) {
      result.notes.emplace_back(
          "the score is of floats that are rounded to half precision at the border of every "
          "tensor: --ep takes it on a device");
    }
    if (!order_.measures_cost || result.float_nodes.empty()) return done();
    QuantizeRequest request = plan_.quantize;
    request.output = plan_.folder / "fixed.onnx";
    request.verifies = false;
    request.calibration_cache = plan_.folder / "calibration";
    for (const std::string& name : result.float_nodes) request.settings.exclude.push_back(name);
    HONE_TRY_DO(quantize_file(request, plan_.tools));
    HONE_TRY(result.cost, race_against(request.output));
    return done();
  }

  Result<Comparison> race_against(const Path& fixed) {
    RacePlan plan;
    for (const auto& [name, path] :
         {std::pair{"quantized", plan_.folder / "all.onnx"}, std::pair{"fixed", fixed}}) {
      RaceArm arm;
      arm.name = name;
      HONE_TRY_DO(fill_plan(where_, arm.plan));
      arm.plan.model = path.string();
      arm.plan.input_data = input_data_;
      arm.plan.shape_config = shape_config_;
      arm.plan.seed = order_.seed;
      plan.arms.push_back(std::move(arm));
    }
    plan.program = where_.host.program;
    plan.progress = [this](const RaceProgress& seen) {
      watch_.watch.step("what it costs, session " + std::to_string(seen.sessions) + " of at most " +
                        std::to_string(seen.most_sessions));
    };
    HONE_TRY(Comparison comparison, race(plan));
    comparison.samples.clear();  // the race is repeated with `hone compare`
    return comparison;
  }

  const FixOrder& order_;
  const FixWatch& watch_;
  Path model_;
  Where where_;
  std::string input_data_;    // once settled
  Path made_samples_;         // of the task; empty: others were given
  std::string shape_config_;  // once settled
  FixPlan plan_;
  ScoredRun how_;
};

}  // namespace

Result<FixResult> fix_model(const FixOrder& order, const FixWatch& watch) {
  return Fix(order, watch).run();
}

Result<FixResult> fix_model(const FixOrder& order, const Watch& watch) {
  std::vector<std::string> notes;
  HONE_TRY(FixResult result,
           fix_model(order, FixWatch{.watch = watch, .note = [&](const std::string& note) {
                                       notes.push_back(note);
                                     }}));
  result.notes.insert(result.notes.begin(), notes.begin(), notes.end());
  return result;
}

Job jobs::fix() {
  return job_of(static_cast<Result<FixResult> (*)(const FixOrder&, const Watch&)>(fix_model));
}

}  // namespace hone
