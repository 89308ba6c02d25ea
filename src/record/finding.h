#pragma once
// A finding: one claim about a change of a recipe, where it holds, what it rests on and what has
// become of it. docs/knowledge.md says it for people, knowledge/schema.json for programs.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/enum_names.h"
#include "record/fields.h"

namespace hone {

inline constexpr std::int64_t finding_schema_version = 1;

// A fact about an EP may move arms of a search; one about the way of working never does.
enum class FindingKind { ep, harness };
constexpr auto enum_names(FindingKind) {
  return std::to_array<EnumName<FindingKind>>(
      {{FindingKind::ep, "ep"}, {FindingKind::harness, "harness"}});
}

enum class FindingCategory {
  opset,
  precision,
  compile,
  fusion_benefit,
  fusion_hazard,
  fusion_neutral,
  layout,
  failure,
  baseline,
  coverage,
  measurement,
};
constexpr auto enum_names(FindingCategory) {
  return std::to_array<EnumName<FindingCategory>>({
      {FindingCategory::opset, "opset"},
      {FindingCategory::precision, "precision"},
      {FindingCategory::compile, "compile"},
      {FindingCategory::fusion_benefit, "fusion_benefit"},
      {FindingCategory::fusion_hazard, "fusion_hazard"},
      {FindingCategory::fusion_neutral, "fusion_neutral"},
      {FindingCategory::layout, "layout"},
      {FindingCategory::failure, "failure"},
      {FindingCategory::baseline, "baseline"},
      {FindingCategory::coverage, "coverage"},
      {FindingCategory::measurement, "measurement"},
  });
}

enum class FindingStatus { draft, confirmed, stale, refuted, superseded };
constexpr auto enum_names(FindingStatus) {
  return std::to_array<EnumName<FindingStatus>>({{FindingStatus::draft, "draft"},
                                                 {FindingStatus::confirmed, "confirmed"},
                                                 {FindingStatus::stale, "stale"},
                                                 {FindingStatus::refuted, "refuted"},
                                                 {FindingStatus::superseded, "superseded"}});
}

enum class Relation { less, at_most, equal, not_equal, at_least, more };
constexpr auto enum_names(Relation) {
  return std::to_array<EnumName<Relation>>({{Relation::less, "<"},
                                            {Relation::at_most, "<="},
                                            {Relation::equal, "=="},
                                            {Relation::not_equal, "!="},
                                            {Relation::at_least, ">="},
                                            {Relation::more, ">"}});
}

// What must hold of model and target: a tree in which each node says exactly one thing. One that
// says nothing always holds.
struct Predicate {
  std::vector<Predicate> all;
  std::vector<Predicate> any;
  std::vector<Predicate> none;           // "not": none of them holds
  std::optional<std::string> feature{};  // a number of `hone analyze`, with relation and value
  std::optional<Relation> relation{};
  std::optional<double> value{};
  std::optional<std::string> op_type{};  // this operator, `at_least` times
  std::optional<std::string> pattern{};  // this fusion candidate, `at_least` times
  std::optional<std::uint64_t> at_least{};
  std::optional<std::string> ep{};          // the short name
  std::optional<std::string> device{};      // cpu, gpu or npu
  std::optional<std::string> ort{};         // a range of versions: ">=1.24 <1.25"
  std::optional<std::string> ep_version{};  // likewise
  std::optional<std::string> driver{};      // likewise
  std::optional<std::string> precision{};
};
template <RecordOf<Predicate> Self>
void for_each_field(Self& predicate, auto&& field) {
  field("all", predicate.all);
  field("any", predicate.any);
  field("not", predicate.none);
  field("feature", predicate.feature);
  field("op", predicate.relation);
  field("value", predicate.value);
  field("op_type", predicate.op_type);
  field("pattern", predicate.pattern);
  field("at_least", predicate.at_least);
  field("ep", predicate.ep);
  field("device", predicate.device);
  field("ort", predicate.ort);
  field("ep_version", predicate.ep_version);
  field("driver", predicate.driver);
  field("precision", predicate.precision);
}

// A change of a recipe. The keys of `optimize`, `session` and `provider` go together: the claim is
// about all of them at once. A recipe has one opset and one precision, so several of those are
// alternatives, and what belongs to a precision stands in its key: "w8a8+per_channel".
struct Change {
  std::string dimension;  // export, shapes, opset, optimize, precision, compile, session, provider
  // Opsets, capabilities in snake_case (name, name=off), precisions, option[=value].
  std::vector<std::string> keys;
  bool operator==(const Change&) const = default;
};
template <RecordOf<Change> Self>
void for_each_field(Self& change, auto&& field) {
  field("dimension", change.dimension, Presence::required);
  field("keys", change.keys);
}

enum class EffectMetric { latency, tail, build, load };
constexpr auto enum_names(EffectMetric) {
  return std::to_array<EnumName<EffectMetric>>({{EffectMetric::latency, "latency"},
                                                {EffectMetric::tail, "tail"},
                                                {EffectMetric::build, "build"},
                                                {EffectMetric::load, "load"}});
}

enum class EffectDirection { faster, slower, equivalent, fails, unknown };
constexpr auto enum_names(EffectDirection) {
  return std::to_array<EnumName<EffectDirection>>({{EffectDirection::faster, "faster"},
                                                   {EffectDirection::slower, "slower"},
                                                   {EffectDirection::equivalent, "equivalent"},
                                                   {EffectDirection::fails, "fails"},
                                                   {EffectDirection::unknown, "unknown"}});
}

// Arms that took turns; one after the other, so that drift looks like an effect; or only told.
enum class EffectMethod { interleaved, sequential, anecdote };
constexpr auto enum_names(EffectMethod) {
  return std::to_array<EnumName<EffectMethod>>({{EffectMethod::interleaved, "interleaved"},
                                                {EffectMethod::sequential, "sequential"},
                                                {EffectMethod::anecdote, "anecdote"}});
}

struct FindingEffect {
  EffectMetric metric = EffectMetric::latency;
  EffectDirection direction = EffectDirection::unknown;
  std::optional<double> ratio{};            // of the time with the change to that without it
  std::vector<double> interval{};           // of the ratio: low and high; empty: none
  std::optional<std::uint64_t> sessions{};  // behind it
  EffectMethod method = EffectMethod::anecdote;
};
template <RecordOf<FindingEffect> Self>
void for_each_field(Self& effect, auto&& field) {
  field("metric", effect.metric, Presence::required);
  field("direction", effect.direction, Presence::required);
  field("ratio", effect.ratio);
  field("interval", effect.interval);
  field("sessions", effect.sessions);
  field("method", effect.method, Presence::required);
}

struct FindingAccuracy {
  std::string metric;
  std::optional<double> drop{};  // against the model without the change
  std::string observation;
};
template <RecordOf<FindingAccuracy> Self>
void for_each_field(Self& accuracy, auto&& field) {
  field("metric", accuracy.metric, Presence::required);
  field("drop", accuracy.drop);
  field("observation", accuracy.observation);
}

// What a search should do with arms that make the change. Only `skip` can rule one out.
enum class FindingAdvice { prefer, avoid, skip, none };
constexpr auto enum_names(FindingAdvice) {
  return std::to_array<EnumName<FindingAdvice>>({{FindingAdvice::prefer, "prefer"},
                                                 {FindingAdvice::avoid, "avoid"},
                                                 {FindingAdvice::skip, "skip"},
                                                 {FindingAdvice::none, "none"}});
}

// Why it might be so, apart from what was seen.
struct FindingMechanism {
  std::string hypothesis;
  bool is_confirmed = false;
};
template <RecordOf<FindingMechanism> Self>
void for_each_field(Self& mechanism, auto&& field) {
  field("hypothesis", mechanism.hypothesis, Presence::required);
  field("confirmed", mechanism.is_confirmed);
}

// Where it was tried. An empty member is not known.
struct FindingTrial {
  std::string model;                               // its name
  std::optional<std::string> model_fingerprint{};  // of its content, whatever it is called
  std::string ep;
  std::string device;
  std::string ep_version;
  std::string ort_version;
  std::optional<std::string> machine{};   // what somebody calls it
  std::optional<std::string> hardware{};  // the key of its hardware alone, whatever runs on it
  std::optional<std::string> evidence{};  // SHA-256 of the file that shows it
  bool operator==(const FindingTrial&) const = default;
};
template <RecordOf<FindingTrial> Self>
void for_each_field(Self& trial, auto&& field) {
  field("model", trial.model, Presence::required);
  field("model_fingerprint", trial.model_fingerprint);
  field("ep", trial.ep, Presence::required);
  field("device", trial.device);
  field("ep_version", trial.ep_version);
  field("ort_version", trial.ort_version);
  field("machine", trial.machine);
  field("hardware", trial.hardware);
  field("evidence", trial.evidence);
}

struct FindingScope {
  std::vector<FindingTrial> validated_on;
  std::vector<FindingTrial> falsified_on;
  std::vector<FindingTrial> not_tested_on;
};
template <RecordOf<FindingScope> Self>
void for_each_field(Self& scope, auto&& field) {
  field("validated_on", scope.validated_on);
  field("falsified_on", scope.falsified_on);
  field("not_tested_on", scope.not_tested_on);
}

struct FindingEvidence {
  std::string sha256;
  std::string what;
  bool operator==(const FindingEvidence&) const = default;
};
template <RecordOf<FindingEvidence> Self>
void for_each_field(Self& evidence, auto&& field) {
  field("sha256", evidence.sha256, Presence::required);
  field("what", evidence.what, Presence::required);
}

enum class FindingAction {
  added,
  imported,
  regraded,
  falsified,
  promoted,
  refuted,
  superseded,
};
constexpr auto enum_names(FindingAction) {
  return std::to_array<EnumName<FindingAction>>({{FindingAction::added, "added"},
                                                 {FindingAction::imported, "imported"},
                                                 {FindingAction::regraded, "regraded"},
                                                 {FindingAction::falsified, "falsified"},
                                                 {FindingAction::promoted, "promoted"},
                                                 {FindingAction::refuted, "refuted"},
                                                 {FindingAction::superseded, "superseded"}});
}

struct FindingEvent {
  std::string at;  // UTC: "2026-06-25", or with the time behind it
  FindingAction action = FindingAction::added;
  std::string why;
  bool operator==(const FindingEvent&) const = default;
};
template <RecordOf<FindingEvent> Self>
void for_each_field(Self& event, auto&& field) {
  field("at", event.at, Presence::required);
  field("action", event.action, Presence::required);
  field("why", event.why, Presence::required);
}

struct Finding {
  std::string id;  // "npu-006"
  std::string title;
  FindingCategory category = FindingCategory::measurement;
  FindingKind kind = FindingKind::ep;
  FindingStatus status = FindingStatus::draft;
  std::optional<std::string> superseded_by{};
  Predicate when{};
  std::optional<Change> change{};  // null: it is about none
  std::optional<FindingEffect> effect{};
  std::optional<FindingAccuracy> accuracy_effect{};
  FindingAdvice advice = FindingAdvice::none;
  std::string observation;
  std::optional<FindingMechanism> mechanism{};
  FindingScope scope{};
  std::vector<FindingEvidence> evidence{};
  std::vector<std::string> sources{};
  std::vector<FindingEvent> history{};  // only ever grows
};
template <RecordOf<Finding> Self>
void for_each_field(Self& finding, auto&& field) {
  field("id", finding.id, Presence::required);
  field("title", finding.title, Presence::required);
  field("category", finding.category, Presence::required);
  field("kind", finding.kind, Presence::required);
  field("status", finding.status, Presence::required);
  field("superseded_by", finding.superseded_by);
  field("when", finding.when);
  field("change", finding.change);
  field("effect", finding.effect);
  field("accuracy_effect", finding.accuracy_effect);
  field("advice", finding.advice, Presence::required);
  field("observation", finding.observation, Presence::required);
  field("mechanism", finding.mechanism);
  field("scope", finding.scope);
  field("evidence", finding.evidence);
  field("sources", finding.sources);
  field("history", finding.history);
}

struct FindingFile {
  std::vector<Finding> findings;
};
template <RecordOf<FindingFile> Self>
void for_each_field(Self& file, auto&& field) {
  field("findings", file.findings, Presence::required);
}

}  // namespace hone
