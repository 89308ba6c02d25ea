#pragma once
// A search for the best recipe of a model on a target: what was thought of, what was skipped and
// why, what each arm came to, and what ships.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/comparison.h"
#include "record/enum_names.h"
#include "record/fields.h"
#include "record/recipe.h"

namespace hone {

inline constexpr std::int64_t search_schema_version = 1;

// An idea for a better recipe.
struct Hypothesis {
  std::string id;  // "baseline", "opset-21", "gelu-fusion", "w8a8+threads-1", "webgpu:fp16"
  // baseline, target, opset, optimize, precision, compile, session, provider, recipe, mix
  std::string dimension;
  std::string title;
  std::string reason;     // why it is worth a try on this model and target
  std::string predicted;  // what should change in the graph; empty: nothing, or it is not known
  double priority = 0;    // the larger, the earlier
  std::vector<std::string> findings;  // of the knowledge base, by id, that moved it
  Recipe recipe;
};
template <RecordOf<Hypothesis> Self>
void for_each_field(Self& hypothesis, auto&& field) {
  field("id", hypothesis.id, Presence::required);
  field("dimension", hypothesis.dimension);
  field("title", hypothesis.title);
  field("reason", hypothesis.reason);
  field("predicted", hypothesis.predicted);
  field("priority", hypothesis.priority);
  field("findings", hypothesis.findings);
  field("recipe", hypothesis.recipe, Presence::required);
}

// What was not tried.
struct SkippedHypothesis {
  std::string id;
  std::string dimension;
  std::string title;
  std::string reason;
  std::optional<std::string> finding;  // that rules it out
};
template <RecordOf<SkippedHypothesis> Self>
void for_each_field(Self& skip, auto&& field) {
  field("id", skip.id, Presence::required);
  field("dimension", skip.dimension);
  field("title", skip.title);
  field("reason", skip.reason);
  field("finding", skip.finding);
}

// What a build made.
struct BuiltModel {
  std::string model;   // the file
  std::string sha256;  // of its bytes and of the data beside it
  std::uint64_t bytes = 0;
  std::uint64_t nodes = 0;
  std::map<std::string, std::int64_t> op_counts;
};
template <RecordOf<BuiltModel> Self>
void for_each_field(Self& built, auto&& field) {
  field("model", built.model);
  field("sha256", built.sha256, Presence::required);
  field("bytes", built.bytes);
  field("nodes", built.nodes);
  field("op_counts", built.op_counts);
}

enum class CheckVerdict { pass, fail, blocked, timeout };
constexpr auto enum_names(CheckVerdict) {
  return std::to_array<EnumName<CheckVerdict>>({{CheckVerdict::pass, "pass"},
                                                {CheckVerdict::fail, "fail"},
                                                {CheckVerdict::blocked, "blocked"},
                                                {CheckVerdict::timeout, "timeout"}});
}

// Whether what a build answers is still right, on the bytes that would ship.
struct AccuracyCheck {
  CheckVerdict verdict = CheckVerdict::blocked;
  std::string metric;               // "exact_lines", or "cosine" where there is no task
  std::optional<double> value;      // of the arm
  std::optional<double> reference;  // of the model as it came
  std::vector<double> interval;     // of value - reference: low and high
  double max_drop = 0;
  std::uint64_t samples = 0;
  std::string reason;  // why it is blocked or failed
};
template <RecordOf<AccuracyCheck> Self>
void for_each_field(Self& check, auto&& field) {
  field("verdict", check.verdict);
  field("metric", check.metric);
  field("value", check.value);
  field("reference", check.reference);
  field("interval", check.interval);
  field("max_drop", check.max_drop);
  field("samples", check.samples);
  field("reason", check.reason);
}

// How far an arm came.
enum class ArmOutcome {
  pending,           // not reached: the time was over
  out_of_time,       // its build, its check or its first session was ended: the time was over
  build_failed,      // the recipe does not build
  no_op,             // the same bytes and the same session as another arm
  numerics_failed,   // its answers are not the model's
  placement_failed,  // it does not run where it was asked to
  run_failed,        // it crashed, hung or was refused
  futile,            // so much slower in the race that it was let go
  raced_out,         // others were faster
  accuracy_failed,   // fast enough for the final, and not accurate enough to ship
  confirmed,         // compared with the baseline on fresh sessions; see its verdict
  baseline,          // it runs, and is what all others are compared with
};
constexpr auto enum_names(ArmOutcome) {
  return std::to_array<EnumName<ArmOutcome>>({{ArmOutcome::pending, "pending"},
                                              {ArmOutcome::out_of_time, "out_of_time"},
                                              {ArmOutcome::build_failed, "build_failed"},
                                              {ArmOutcome::no_op, "no_op"},
                                              {ArmOutcome::numerics_failed, "numerics_failed"},
                                              {ArmOutcome::placement_failed, "placement_failed"},
                                              {ArmOutcome::run_failed, "run_failed"},
                                              {ArmOutcome::futile, "futile"},
                                              {ArmOutcome::raced_out, "raced_out"},
                                              {ArmOutcome::accuracy_failed, "accuracy_failed"},
                                              {ArmOutcome::confirmed, "confirmed"},
                                              {ArmOutcome::baseline, "baseline"}});
}

// One hypothesis as it went.
struct SearchArm {
  Hypothesis hypothesis;
  std::string recipe_hash;
  ArmOutcome outcome = ArmOutcome::pending;
  std::string reason;                  // in words, of the outcome
  std::optional<std::string> fault;    // the class of a failure
  std::optional<std::string> same_as;  // the arm that a no-op equals
  std::optional<BuiltModel> built;
  std::optional<AccuracyCheck> numerics;  // against the model as it came, before the race
  // While racing, which is biased towards the winner: never reported as its speed.
  std::optional<double> screen_ratio;
  std::uint64_t screen_blocks = 0;
  std::optional<ComparedArm> confirmed;  // what is reported
  std::optional<AccuracyCheck> accuracy;
};
template <RecordOf<SearchArm> Self>
void for_each_field(Self& arm, auto&& field) {
  field("hypothesis", arm.hypothesis, Presence::required);
  field("recipe_hash", arm.recipe_hash);
  field("outcome", arm.outcome);
  field("reason", arm.reason);
  field("fault", arm.fault);
  field("same_as", arm.same_as);
  field("built", arm.built);
  field("numerics", arm.numerics);
  field("screen_ratio", arm.screen_ratio);
  field("screen_blocks", arm.screen_blocks);
  field("confirmed", arm.confirmed);
  field("accuracy", arm.accuracy);
}

// What the machine was certified for by `hone doctor noise`.
struct NoiseCertificate {
  std::string machine;         // the key of machine, EP and device
  std::string ep = "cpu";      // where the searches ran: it says nothing of another
  std::string device = "cpu";  // likewise
  std::string made_at;         // UTC
  std::uint64_t trials = 0;
  std::uint64_t false_keeps = 0;
  // Of searches over candidates that are all the same, the share that keeps one; at 95 %
  // confidence. It is no share of the keeps.
  double false_keep_bound = 1;
  struct Power {
    double effect = 0;  // injected, as a share
    std::uint64_t trials = 0;
    std::uint64_t found = 0;
    std::uint64_t sign_errors = 0;
  };
  std::vector<Power> power;
  double noise_floor = 0;  // the median over trials, as a share
};
template <RecordOf<NoiseCertificate::Power> Self>
void for_each_field(Self& power, auto&& field) {
  field("effect", power.effect);
  field("trials", power.trials);
  field("found", power.found);
  field("sign_errors", power.sign_errors);
}
template <RecordOf<NoiseCertificate> Self>
void for_each_field(Self& certificate, auto&& field) {
  field("machine", certificate.machine);
  field("ep", certificate.ep);
  field("device", certificate.device);
  field("made_at", certificate.made_at);
  field("trials", certificate.trials);
  field("false_keeps", certificate.false_keeps);
  field("false_keep_bound", certificate.false_keep_bound);
  field("power", certificate.power);
  field("noise_floor", certificate.noise_floor);
}

// The best recipe on one of several targets.
struct TargetBest {
  Target target;
  std::optional<std::string> arm;   // by id; null: nothing there was compared
  double ratio = 1;                 // of its time to the baseline's
  std::vector<double> interval;     // of the ratio; empty: the baseline itself, or none
  std::optional<double> median_ms;  // null: not known
  bool ships = false;               // it is the champion, or the baseline that ships
  std::string reason;               // why nothing was compared
};
template <RecordOf<TargetBest> Self>
void for_each_field(Self& best, auto&& field) {
  field("target", best.target, Presence::required);
  field("arm", best.arm);
  field("ratio", best.ratio);
  field("interval", best.interval);
  field("median_ms", best.median_ms);
  field("ships", best.ships);
  field("reason", best.reason);
}

struct SearchResult {
  std::string model;
  std::string model_sha256;
  Target target;
  std::string objective;                    // latency, accuracy, pareto
  std::optional<double> latency_budget_ms;  // of the objective accuracy; null: the baseline's time
  std::string environment;                  // the key of machine, ONNX Runtime, EP and tool
  std::string conditions;  // the key of inputs, shapes and whatever else outcomes hold for
  std::string gate;        // likewise of what accuracy was judged by
  std::map<std::string, std::string> environment_facts;  // name -> value, for people
  std::optional<std::string> champion;  // the id of the arm that ships; null: the baseline does
  // The baseline and confirmed arms that no other one beats in both speed and accuracy, by id.
  std::vector<std::string> front;
  std::string verdict;              // one sentence
  bool stopped = false;             // by a person, before it was through
  std::vector<SearchArm> arms;      // the baseline first
  std::vector<TargetBest> targets;  // of a search over several, as they were asked for; else none
  std::vector<SkippedHypothesis> skips;
  std::map<std::string, double> features;  // of the baseline's graph
  std::optional<double> baseline_ms;
  std::optional<double> drift;        // of the baseline from first to last, as a share
  std::optional<double> noise_floor;  // of the confirming race
  std::optional<double> load;         // the share of the machine that others used; null: not known
  std::optional<NoiseCertificate> certificate;
  std::optional<Comparison> confirmation;  // with its samples
  std::optional<Comparison> hazard;        // likewise, of the arm that was far too slow
  std::vector<Comparison> earlier;         // of arms that earlier runs compared
  std::uint64_t evaluations = 0;           // blocks that were run
  double seconds = 0;                      // of this run
  std::vector<std::string> notes;
  std::vector<std::string> reproduce;  // commands
  std::optional<std::string> report;   // the file
};
template <RecordOf<SearchResult> Self>
void for_each_field(Self& result, auto&& field) {
  field("model", result.model);
  field("model_sha256", result.model_sha256);
  field("target", result.target);
  field("objective", result.objective);
  field("latency_budget_ms", result.latency_budget_ms);
  field("environment", result.environment);
  field("conditions", result.conditions);
  field("gate", result.gate);
  field("environment_facts", result.environment_facts);
  field("champion", result.champion);
  field("front", result.front);
  field("verdict", result.verdict);
  field("stopped", result.stopped);
  field("arms", result.arms);
  field("targets", result.targets);
  field("skips", result.skips);
  field("features", result.features);
  field("baseline_ms", result.baseline_ms);
  field("drift", result.drift);
  field("noise_floor", result.noise_floor);
  field("load", result.load);
  field("certificate", result.certificate);
  field("confirmation", result.confirmation);
  field("hazard", result.hazard);
  field("earlier", result.earlier);
  field("evaluations", result.evaluations);
  field("seconds", result.seconds);
  field("notes", result.notes);
  field("reproduce", result.reproduce);
  field("report", result.report);
}

}  // namespace hone
