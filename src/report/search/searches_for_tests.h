#pragma once
// Searches as tests need them. All of it is made up: no figure here was measured.

#include <limits>
#include <string>

#include "record/search.h"
#include "report/search/trace_html.h"

namespace hone {

inline SearchArm arm_for_test(std::string id, std::string dimension, std::string title) {
  SearchArm arm;
  arm.hypothesis.id = std::move(id);
  arm.hypothesis.dimension = std::move(dimension);
  arm.hypothesis.title = std::move(title);
  arm.recipe_hash = std::string(64, 'a');
  return arm;
}

inline SearchArm compared_arm_for_test(std::string id, Verdict verdict, double low, double ratio,
                                       double high) {
  SearchArm arm = arm_for_test(id, "precision", "Build " + id);
  arm.hypothesis.reason = "Most of the time is spent in MatMul.";
  arm.outcome = ArmOutcome::confirmed;
  ComparedArm& speed = arm.confirmed.emplace();
  speed.name = std::move(id);
  speed.verdict = verdict;
  speed.is_worth_keeping = verdict == Verdict::faster && high < 0.99;
  speed.ratio = ratio;
  speed.interval = {low, high};
  speed.median_ms = 28.4 * ratio;
  return arm;
}

inline AccuracyCheck accuracy_for_test(CheckVerdict verdict, double value) {
  return {.verdict = verdict,
          .metric = "exact_lines",
          .value = value,
          .reference = 0.981,
          .interval = {value - 0.981 - 0.004, value - 0.981 + 0.004},
          .max_drop = 0.01,
          .samples = 300,
          .reason = {}};
}

inline SearchArm baseline_for_test() {
  SearchArm arm = arm_for_test("baseline", "baseline", "The model as it came");
  arm.outcome = ArmOutcome::baseline;
  arm.built = {.model = "baseline/model.onnx",
               .sha256 = std::string(64, 'b'),
               .bytes = 10'912'000,
               .nodes = 846,
               .op_counts = {{"Conv", 62}, {"Erf", 12}, {"MatMul", 48}, {"Mul", 120}}};
  return arm;
}

// Which ends with a champion: five compared arms, one for each verdict and one that fails its
// accuracy check, and one arm for each other outcome.
inline SearchResult won_search() {
  SearchResult result;
  result.model = "models/text-recognizer.onnx";
  result.model_sha256 = std::string(64, 'c');
  result.objective = "latency";
  result.environment = std::string(64, 'd');
  result.environment_facts = {
      {"CPU", "Example CPU, 8 cores"}, {"ONNX Runtime", "1.30.0"}, {"System", "Linux 6.1, x86_64"}};
  result.baseline_ms = 28.4;
  result.noise_floor = 0.018;
  result.drift = 0.004;
  result.evaluations = 412;
  result.seconds = 1184;
  result.certificate = NoiseCertificate{.machine = "example",
                                        .made_at = "2026-01-02T03:04:05Z",
                                        .trials = 119,
                                        .false_keeps = 0,
                                        .false_keep_bound = 0.0249,
                                        .power = {{0.02, 40, 31, 0}, {0.05, 40, 40, 0}},
                                        .noise_floor = 0.016};
  Comparison& confirmation = result.confirmation.emplace();
  confirmation.sessions = 12;
  confirmation.baseline = "baseline";

  result.champion = "w8a8+threads-1";
  result.arms = {baseline_for_test(),
                 compared_arm_for_test("w8a8+threads-1", Verdict::faster, 0.629, 0.643, 0.658),
                 compared_arm_for_test("w8a8-entropy", Verdict::faster, 0.601, 0.615, 0.630),
                 compared_arm_for_test("gelu-fusion", Verdict::equivalent, 0.992, 0.998, 1.004),
                 compared_arm_for_test("opset-21", Verdict::inconclusive, 0.951, 0.984, 1.018),
                 compared_arm_for_test("threads-16", Verdict::slower, 1.121, 1.164, 1.208)};
  result.arms[1].accuracy = accuracy_for_test(CheckVerdict::pass, 0.978);
  result.arms[1].built = result.arms[0].built;
  result.arms[1].built->op_counts = {
      {"QLinearConv", 62}, {"Erf", 12}, {"MatMulInteger", 48}, {"Mul", 120}};
  result.arms[1].hypothesis.predicted = "Conv and MatMul become integer operators.";
  result.arms[2].accuracy = accuracy_for_test(CheckVerdict::fail, 0.912);
  result.arms[3].accuracy = accuracy_for_test(CheckVerdict::pass, 0.981);
  result.arms[4].confirmed->reason = "the interval holds 1 after 20 sessions";
  result.arms[4].confirmed->more_sessions = 34;

  const std::pair<ArmOutcome, const char*> others[] = {
      {ArmOutcome::raced_out, "layer-norm-fusion"}, {ArmOutcome::no_op, "transpose-cleanup"},
      {ArmOutcome::build_failed, "opset-25"},       {ArmOutcome::numerics_failed, "fp16"},
      {ArmOutcome::futile, "dynamic-int8"},         {ArmOutcome::placement_failed, "xnnpack"},
      {ArmOutcome::run_failed, "arena-off"},        {ArmOutcome::pending, "w4a16"},
      {ArmOutcome::accuracy_failed, "w8a8-minmax"}};
  for (const auto& [outcome, id] : others) {
    SearchArm arm = arm_for_test(id, "optimize", std::string("Try ") + id);
    arm.outcome = outcome;
    arm.hypothesis.reason = "A finding says it helped a similar model.";
    arm.screen_ratio = 0.123456;
    if (outcome == ArmOutcome::no_op) arm.same_as = "baseline";
    if (outcome == ArmOutcome::build_failed) {
      arm.fault = "unsupported";
      arm.reason =
          "cannot convert to opset 25\n  Resize: no rule for antialias\n  line 3 of the log";
    }
    result.arms.push_back(arm);
  }
  for (int i = 1; i <= 24; ++i) {
    result.skips.push_back({.id = "skip-" + std::to_string(i),
                            .dimension = i % 2 == 0 ? "compile" : "optimize",
                            .title = "Idea " + std::to_string(i),
                            .reason = "The graph has no operator it could change.",
                            .finding = {}});
  }
  result.skips[0].finding = "cpu-012";
  result.features = {{"attention_blocks", 6}, {"conv_share", 0.4127}, {"nodes", 846}};
  result.notes = {"The machine was in use by others for 3 % of the time."};
  result.reproduce = {
      "hone compare --arm baseline:model=models/text-recognizer.onnx --arm "
      "w8a8:model=build/model.onnx,threads=1",
      "hone build models/text-recognizer.onnx -c recipe.json -o build"};
  return result;
}

inline SearchTraces traces_of_won_search() {
  const auto trace = [](std::vector<std::pair<std::string, double>> times) {
    OpTrace made;
    made.status = TraceStatus::ok;
    for (auto& [type, us] : times) {
      TraceOperator& op = made.operators.emplace_back();
      op.op_type = type;
      op.duration_us = us;
    }
    made.summary.correction.emplace();
    return made;
  };
  return {.before = trace({{"Conv", 14'200}, {"MatMul", 9'800}, {"Erf", 2'100}, {"Mul", 1'300}}),
          .after = trace(
              {{"QLinearConv", 8'300}, {"MatMulInteger", 5'700}, {"Erf", 2'090}, {"Mul", 1'310}})};
}

// In which nothing was shown to be faster.
inline SearchResult null_search() {
  SearchResult result = won_search();
  result.champion.reset();
  result.certificate.reset();
  result.arms = {baseline_for_test(),
                 compared_arm_for_test("gelu-fusion", Verdict::equivalent, 0.992, 0.998, 1.004)};
  return result;
}

// In which the baseline itself does not run.
inline SearchResult blocked_search() {
  SearchResult result;
  result.model = "models/broken.onnx";
  result.target = {.ep = "qnn", .device = "npu", .options = {}};
  result.arms = {arm_for_test("baseline", "baseline", "The model as it came")};
  result.arms[0].outcome = ArmOutcome::run_failed;
  result.arms[0].reason = "the worker ended with signal 11";
  return result;
}

// In which every text tries to become code, and every number not to be one.
inline SearchResult hostile_search() {
  const std::string attack =
      "</script></title><script>window.attacked=1</script><img src=x onerror=window.attacked=2>"
      "\"'><svg onload=window.attacked=3>\x1b[2J\xff\xe2\x80\xae";
  SearchResult result = won_search();
  result.model = attack;
  result.verdict = attack;
  result.champion = attack;
  result.target.ep = attack;
  result.objective = attack;
  result.environment = attack;
  result.environment_facts = {{attack, attack}};
  result.notes = {attack};
  result.reproduce = {attack};
  result.features = {{attack, 1.0 / 3}};
  for (SearchArm& arm : result.arms) {
    arm.hypothesis.title = arm.hypothesis.reason = arm.hypothesis.predicted = arm.reason = attack;
    arm.hypothesis.dimension = arm.recipe_hash = attack;
  }
  result.arms[1].hypothesis.id = attack;
  const double not_a_number = std::numeric_limits<double>::quiet_NaN();
  const double endless = std::numeric_limits<double>::infinity();
  result.arms[2].confirmed->interval = {not_a_number, endless};
  result.arms[3].confirmed->ratio = not_a_number;
  result.arms[4].confirmed->interval = {1e-300, 1e300};
  result.arms[5].confirmed->median_ms = endless;
  result.arms[5].accuracy = accuracy_for_test(CheckVerdict::pass, not_a_number);
  result.noise_floor = endless;
  result.baseline_ms = not_a_number;
  for (SkippedHypothesis& skip : result.skips) skip.id = skip.title = skip.reason = attack;
  return result;
}

}  // namespace hone
