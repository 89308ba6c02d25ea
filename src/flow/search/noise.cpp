#include "flow/search/noise.h"

#include <chrono>
#include <cmath>

#include "base/random.h"
#include "base/utc.h"
#include "flow/search/noise_store.h"
#include "flow/where.h"
#include "measure/percentile.h"
#include "measure/race.h"
#include "measure/robust.h"
#include "model/model.h"
#include "pipeline/policy.h"
#include "runtime/worker.h"
#include "search/search.h"

namespace hone {
namespace {

constexpr std::size_t candidates = 3;                              // of one trial, all the same
constexpr Nanoseconds least_time = std::chrono::milliseconds(2);   // of a run of the test model
constexpr Nanoseconds block_time = std::chrono::milliseconds(50);  // of a session of a search

TensorPtr random_weights(const std::string& name, std::int64_t size, Random& random) {
  std::string bytes;
  bytes.reserve(static_cast<std::size_t>(size * size) * sizeof(float));
  for (std::int64_t i = 0; i < size * size; ++i) {
    const float value = static_cast<float>(random.uniform() - 0.5) / 8;
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  return make_tensor(name, ElementType::float32, {size, size}, Blob::own(std::move(bytes)));
}

// Matrix products of so many rows with a Relu behind each: a few milliseconds on one core with the
// least. Smaller ones say more about where their memory happens to lie than about the machine:
// identical arms of 0.15 ms differed by 4 % between sessions, of 5 ms by 0.9 %.
constexpr std::int64_t least_rows = 256;
Status write_test_model(const Path& file, std::int64_t rows) {
  constexpr std::int64_t size = 512;
  constexpr int layers = 4;
  Model model;
  model.ir_version = 8;
  model.set_opset("", 17);
  Random random(7);
  Graph& graph = *model.graph;
  graph.name = "noise";
  const Type type =
      Type::tensor(ElementType::float32, Shape{Dim{.value = rows}, Dim{.value = size}});
  Value* last = &graph.add_value("x", type);
  graph.add_input(*last);
  for (int i = 0; i < layers; ++i) {
    Value& weight = graph.add_initializer(random_weights("w" + std::to_string(i), size, random));
    Value& product = graph.add_value("p" + std::to_string(i));
    Value& positive = graph.add_value("r" + std::to_string(i), type);
    graph.add_node("MatMul", {last, &weight}, {&product});
    graph.add_node("Relu", {&product}, {&positive});
    last = &positive;
  }
  graph.add_output(*last);
  SaveOptions options;
  options.overwrite = true;  // a smaller one
  HONE_TRY_DO(save_model(model, file, options));
  return done();
}

double seconds_now() { return std::chrono::duration<double>(steady_now()).count(); }

class Noise {
 public:
  Noise(const NoiseOrder& order, const Watch& watch) : order_(order), watch_(watch) {}

  Result<CertifiedNoise> run() {
    HONE_TRY(TemporaryFolder folder, TemporaryFolder::create("noise"));
    model_ = folder.path() / "noise.onnx";
    HONE_TRY(const SettledWhere settled, settle_where(order_.where));
    where_ = settled.where;
    HONE_TRY_DO(check_here(where_));
    Target target{.ep = where_.ep, .device = where_.device, .options = {}};
    target.device = usual_device(target);
    HONE_TRY_DO(fit_model());
    HONE_TRY(const SearchEnvironment environment, find_environment(where_, target));
    certificate_.machine = noise_key(environment, target);
    certificate_.ep = target.ep;
    certificate_.device = target.device;
    certificate_.made_at = utc_now();
    HONE_TRY_DO(try_identical());
    // The simulated EP makes effects, and it computes on the CPU.
    if (is_on_cpu()) HONE_TRY_DO(try_effects());
    const Replacing replacing = order_.overwrite ? Replacing::anything : Replacing::what_is_weaker;
    HONE_TRY(const NoiseCertificate kept,
             save_certificate(order_.where.host, certificate_, replacing));
    constexpr double most_false = 0.1;
    return CertifiedNoise{.certificate = certificate_,
                          .kept_trials = kept.trials,
                          .holds = certificate_.false_keep_bound <= most_false};
  }

 private:
  bool is_on_cpu() const { return where_.ep == "cpu"; }

  // How long a run takes on the target, of a session that has run before.
  Result<Nanoseconds> time_of_run() const {
    HONE_TRY(const RaceArm arm, arm_in("fit", where_));
    HONE_TRY(Worker worker, Worker::start(order_.where.host.program, {}));
    HONE_TRY_DO(worker.open(arm.plan));
    HONE_TRY(const WorkerBlock block, worker.run({.iterations = 5, .warmup = 3}));
    std::vector<double> times(block.samples_ns.begin(), block.samples_ns.end());
    return Nanoseconds(static_cast<std::int64_t>(median(times)));
  }

  // An accelerator that is done in microseconds tells how long it is to launch. It gets more rows
  // until a run takes as long as on a CPU, about.
  Status fit_model() {
    constexpr std::int64_t most_rows = 1 << 20;
    std::int64_t rows = least_rows;
    HONE_TRY_DO(write_test_model(model_, rows));
    while (!is_on_cpu() && rows < most_rows) {
      watch_.step("finding the size of the test model, " + std::to_string(rows) + " rows");
      HONE_TRY(const Nanoseconds time, time_of_run());
      if (time >= least_time) break;
      rows *= 2;
      HONE_TRY_DO(write_test_model(model_, rows));
    }
    return done();
  }

  Result<RaceArm> arm_with_effect(const std::string& name, double effect) const {
    Where where = order_.where;
    where.ep = "sim";
    where.device = "auto";
    where.ep_options = {{"effect", std::to_string(effect)}};
    where.threads = 1;
    return arm_in(name, where);
  }

  // On one thread: the noise of several is that of the machine's other work.
  Result<RaceArm> arm_on_target(const std::string& name) const {
    Where where = where_;
    if (is_on_cpu()) where.threads = 1;
    return arm_in(name, where);
  }

  Result<RaceArm> arm_in(const std::string& name, const Where& where) const {
    RaceArm arm;
    arm.name = name;
    HONE_TRY_DO(fill_plan(where, arm.plan));
    arm.plan.model = model_.string();
    return arm;
  }

  // The arms of a search that are all one model. They carry different hashes, so that the search
  // does not see through it.
  SearchPlan plan_of(std::uint64_t trial) const {
    SearchPlan plan;
    plan.model = model_.string();
    plan.model_sha256 = "noise";
    plan.environment = certificate_.machine;
    plan.seed = trial;
    for (std::size_t i = 0; i <= candidates; ++i) {
      Hypothesis hypothesis;
      hypothesis.id = i == 0 ? "baseline" : "same-" + std::to_string(i);
      hypothesis.dimension = i == 0 ? "baseline" : "session";
      hypothesis.recipe.session.options = {{"candidate", std::to_string(i)}};
      plan.hypotheses.push_back(std::move(hypothesis));
    }
    return plan;
  }

  SearchTools tools() {
    const auto pass = [](const BuiltModel&, const Recipe&, double) -> Result<AccuracyCheck> {
      AccuracyCheck check;
      check.verdict = CheckVerdict::pass;
      return check;
    };
    SearchTools tools;
    tools.build = [this](const Recipe& recipe, double) -> Result<BuiltModel> {
      BuiltModel built;
      built.model = model_.string();
      built.sha256 = "same, number " + recipe.session.options.at("candidate");
      return built;
    };
    tools.check_numerics = pass;
    tools.check_accuracy = pass;
    tools.run_session = [this](const SessionOrder& order,
                               const RoundSink& on_round) -> Result<RacedSession> {
      RacePlan plan;
      for (std::size_t i = 0; i < order.arms.size(); ++i) {
        HONE_TRY(RaceArm arm, arm_on_target(std::to_string(i)));
        plan.arms.push_back(std::move(arm));
      }
      plan.rounds = order.rounds;
      plan.block_time = block_time;
      plan.program = order_.where.host.program;
      return race_session(plan, order.seed, on_round);
    };
    tools.judge = [](const std::vector<std::string>& names,
                     const std::vector<RacedSession>& sessions, std::size_t finals) {
      VerdictRules rules;
      const std::size_t finalists = names.size() > 1 ? names.size() - 1 : 1;
      rules.looks.nominal_p /= static_cast<double>(finalists * finals);
      return judge_race(names, sessions, rules);
    };
    tools.seconds = seconds_now;
    return tools;
  }

  void show(const std::string& what, std::uint64_t done, std::uint64_t total, double began) {
    const double pace = done > 0 ? (seconds_now() - began) / static_cast<double>(done) : 0;
    std::string line = what + ", " + std::to_string(done) + " of " + std::to_string(total);
    if (done > 0) {
      const double left = pace * static_cast<double>(total - done);
      line += ", about " + std::to_string(static_cast<int>(left)) + " s to go";
    }
    watch_.step(line);
  }

  Status try_identical() {
    const std::uint64_t total = order_.trials;
    const double began = seconds_now();
    std::vector<double> floors;
    for (std::uint64_t trial = 0; trial < total; ++trial) {
      show("identical candidates, search", trial, total, began);
      HONE_TRY(SearchJournal journal, SearchJournal::in_memory());
      HONE_TRY(const SearchResult result, search(plan_of(trial), tools(), journal));
      ++certificate_.trials;
      certificate_.false_keeps += result.champion ? 1 : 0;
      if (result.noise_floor) floors.push_back(*result.noise_floor);
    }
    certificate_.false_keep_bound =
        rate_upper_bound(certificate_.false_keeps, certificate_.trials, 0.95);
    if (!floors.empty()) certificate_.noise_floor = median(floors);
    return done();
  }

  Status try_effects() {
    const std::uint64_t total = order_.effect_trials;
    for (const double effect : order_.effects) {
      NoiseCertificate::Power power{.effect = effect};
      const double began = seconds_now();
      for (std::uint64_t trial = 0; trial < total; ++trial) {
        show(std::to_string(static_cast<int>(std::lround(effect * 100))) + " % injected", trial,
             total, began);
        HONE_TRY(const Comparison comparison, race_effect(effect, trial));
        ++power.trials;
        power.found += comparison.verdict == Verdict::faster ? 1 : 0;
        power.sign_errors += comparison.verdict == Verdict::slower ? 1 : 0;
      }
      certificate_.power.push_back(power);
    }
    return done();
  }

  // The baseline is the slower one.
  Result<Comparison> race_effect(double effect, std::uint64_t trial) const {
    RacePlan plan;
    HONE_TRY(RaceArm slow, arm_with_effect("slow", 1 + effect));
    HONE_TRY(RaceArm fast, arm_with_effect("fast", 1));
    plan.arms = {std::move(slow), std::move(fast)};
    plan.seed = trial;
    plan.program = order_.where.host.program;
    return race(plan);
  }

  const NoiseOrder& order_;
  const Watch& watch_;
  Where where_;  // settled
  Path model_;
  NoiseCertificate certificate_;
};

}  // namespace

Result<CertifiedNoise> certify_noise(const NoiseOrder& order, const Watch& watch) {
  return Noise(order, watch).run();
}

}  // namespace hone
