#include "flow/compare.h"

#include <algorithm>
#include <set>

#include "base/hash.h"
#include "base/misuse.h"
#include "base/text.h"
#include "flow/build.h"
#include "flow/given_model.h"
#include "flow/inputs.h"
#include "flow/job.h"
#include "flow/where.h"
#include "kinds/ep.h"
#include "runtime/ep_names.h"

namespace hone {
namespace {

constexpr const char* arms_hint = "each arm is a model, or a model with a recipe";

Status check(const CompareOrder& order) {
  constexpr std::int64_t most_rounds = 64;
  if (order.arms.size() < 2) return misuse("a comparison needs two arms", arms_hint);
  if (!(order.margin > 0 && order.margin < 1))
    return misuse("'margin' is a share", "it lies above 0 and below 1");
  if (order.rounds < 1 || order.rounds > most_rounds)
    return misuse("'rounds' cannot be " + std::to_string(order.rounds), "it takes 1 to 64");
  return done();
}

Where where_of_arm(const CompareArm& arm, const Where& all) {
  Where own = all;
  if (!arm.ep.empty()) own.ep = arm.ep;
  if (!arm.device.empty()) own.device = arm.device;
  if (!arm.ort.empty()) own.host.ort = arm.ort;
  if (arm.threads) own.threads = arm.threads;
  if (arm.io_binding) own.io_binding = arm.io_binding;
  for (const auto& [key, value] : arm.ep_options) own.ep_options[key] = value;
  for (const auto& [key, value] : arm.session_options) own.session_options[key] = value;
  return own;
}

std::string name_of_arm(const CompareArm& arm) {
  if (!arm.name.empty()) return arm.name;
  const Path given = Path(arm.model).lexically_normal();
  return (given.has_filename() ? given : given.parent_path()).string();
}

// The model built by the recipe, below `builds`, and how it runs.
Result<RunPlan> plan_of_recipe(const CompareArm& arm, const Where& where, const Path& builds,
                               const Watch& watch) {
  BuildOrder build;
  HONE_TRY(const Path model, find_model_file(arm.model, where.host));
  build.model = model.string();
  build.recipe = *arm.recipe;
  HONE_TRY_DO(put_over(build.recipe, where));
  build.output = (builds / sha256(name_of_arm(arm)).hex()).string();
  build.must_compile = true;
  build.is_build_only = !build.recipe.compile;  // the race finds out whether it runs
  build.where.host = where.host;
  HONE_TRY_DO(run_apart(build, where.host.program, {}, {.stop = watch.stop}));
  HONE_TRY(RunPlan plan, run_plan_of(build.recipe, where));
  plan.model = (Path(build.output) / "model.onnx").string();
  return plan;
}

// A race and what it needs, from the order to its end.
class ArmRace {
 public:
  ArmRace(const CompareOrder& order, const CompareWatch& watch) : order_(order), watch_(watch) {}

  Result<Comparison> run(const Path& builds) {
    const Nanoseconds began = steady_now();
    for (const CompareArm& arm : order_.arms) HONE_TRY_DO(add(arm, builds));
    HONE_TRY_DO(refuse_equal_names());
    fill_rules();
    // Building arms by their recipes is part of it.
    if (order_.most_seconds > 0) plan_.deadline = began + std::chrono::seconds(order_.most_seconds);
    HONE_TRY_DO(settle());
    watch_race();
    HONE_TRY(Comparison comparison, race(plan_));
    comparison.notes.insert(comparison.notes.begin(), notes_.begin(), notes_.end());
    comparison.notes.insert(comparison.notes.end(), wrong_outputs_.begin(), wrong_outputs_.end());
    if (!order_.repeat.empty()) comparison.repeat = order_.repeat;
    return comparison;
  }

 private:
  Status add(const CompareArm& arm, const Path& builds) {
    HONE_TRY(GivenArm given, find_arm(arm, order_.where, builds, watch_.watch));
    notes_.insert(notes_.end(), given.notes.begin(), given.notes.end());
    given.arm.plan.input_data = order_.input_data;
    given.arm.plan.shape_config = order_.shape_config;
    given.arm.plan.seed = order_.seed;
    plan_.arms.push_back(std::move(given.arm));
    return done();
  }

  Status refuse_equal_names() const {
    std::set<std::string> names;
    for (const RaceArm& arm : plan_.arms) {
      if (!names.insert(arm.name).second)
        return misuse("two arms are called '" + printable(arm.name) + "'",
                      "give each a name of its own");
    }
    return done();
  }

  void fill_rules() {
    plan_.rules.margin = order_.margin;
    plan_.rounds = static_cast<std::size_t>(order_.rounds);
    plan_.seed = order_.seed;
    plan_.program = order_.where.host.program;
    plan_.stop = watch_.watch.stop;
  }

  // All arms run on what the first one runs on.
  Status settle() {
    std::vector<Path> others;
    for (const RaceArm& arm : plan_.arms) others.emplace_back(arm.plan.model);
    HONE_TRY(const SettledInputs inputs,
             settle_inputs(plan_.arms.front().plan, order_.where.host, others));
    for (RaceArm& arm : plan_.arms) arm.plan.shape_config = inputs.shape_config;
    notes_.insert(notes_.end(), inputs.notes.begin(), inputs.notes.end());
    return done();
  }

  void watch_race() {
    if (watch_.progress) plan_.progress = watch_.progress;
    plan_.accept = [this](const std::string& name, const WorkerOpened& opened) -> Status {
      for (const std::string& note : opened.wrong_outputs)
        wrong_outputs_.insert("arm '" + name + "': " + note);
      Status held = check_placement(order_.where, opened.placement);
      if (held) return held;
      Error error = held.error();
      error.what = "arm '" + printable(name) + "': " + error.what;
      return fail(std::move(error));
    };
  }

  const CompareOrder& order_;
  const CompareWatch& watch_;
  RacePlan plan_;
  std::vector<std::string> notes_;
  std::set<std::string> wrong_outputs_;
};

}  // namespace

Result<GivenArm> find_arm(const CompareArm& arm, const Where& all, const Path& builds,
                          const Watch& watch) {
  GivenArm found;
  found.arm.name = name_of_arm(arm);
  const Where where = where_of_arm(arm, all);
  if (arm.recipe) {
    HONE_TRY(found.arm.plan, plan_of_recipe(arm, where, builds, watch));
    return found;
  }
  HONE_TRY(const GivenModel given, find_model(arm.model, where));
  HONE_TRY(found.arm.plan, plan_of(given));
  for (const std::string& note : given.notes) found.notes.push_back(found.arm.name + " " + note);
  return found;
}

Result<Comparison> compare_arms(const CompareOrder& order, const CompareWatch& watch) {
  HONE_TRY_DO(check(order));
  HONE_TRY(const TemporaryFolder builds, TemporaryFolder::create("compare"));
  return ArmRace(order, watch).run(builds.path());
}

Result<Comparison> compare_arms(const CompareOrder& order, const Watch& watch) {
  const auto tell = [&watch](const RaceProgress& seen) {
    watch.step("sessions", seen.sessions, seen.most_sessions);
  };
  return compare_arms(order, CompareWatch{.watch = watch, .progress = tell});
}

Result<std::vector<CompareArm>> arms_of_all_eps(const std::string& model, const Host& host) {
  HONE_TRY(const Path file, find_model_file(model, host));
  HONE_TRY(const System system, survey_system(survey_request(host), {}, [](const std::string&) {}));
  std::vector<CompareArm> arms;
  for (const EpStatus& ep : system.eps) {
    // Our own plugin library simulates a device, or only looks at graphs.
    const Ep* known = find_ep(ep.name);
    const bool is_ours =
        lowercase(ep.name).starts_with("hone") || (known != nullptr && known->comes_with_hone);
    if (ep.state != EpState::primary || is_ours) continue;
    for (const std::string& device : ep.device_types) {
      CompareArm arm;
      arm.name = ep.name + "/" + device;
      arm.model = file.string();
      arm.ep = ep.name;
      arm.device = device;
      arms.push_back(std::move(arm));
    }
  }
  std::ranges::stable_partition(
      arms, [](const CompareArm& arm) { return ep_short_name(arm.ep) == "cpu"; });
  if (arms.size() >= 2) return arms;
  return fail(Fault::not_found, "there is one EP on this machine, and nothing to compare it with",
              arms.empty() ? "" : arms.front().name,
              "`hone sys` lists EPs and what they lack; --ep-library NAME=PATH adds one");
}

Job jobs::compare() {
  return job_of(
      static_cast<Result<Comparison> (*)(const CompareOrder&, const Watch&)>(compare_arms));
}

}  // namespace hone
