#pragma once
// Rule files: what an EP takes, as data. docs/rules.md says it for people.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/coverage.h"

namespace hone {

inline constexpr std::int64_t rules_schema_version = 1;

// An attribute that must have one of some values.
struct AttributeRule {
  std::string name;
  std::vector<Json> values;  // numbers, strings or lists of them
  bool may_be_absent = false;
};
template <RecordOf<AttributeRule> Self>
void for_each_field(Self& rule, auto&& field) {
  field("name", rule.name, Presence::required);
  field("values", rule.values, Presence::required);
  field("may_be_absent", rule.may_be_absent);
}

// What must hold of a node. What is not given is not asked; every part that is given must hold.
struct OpCondition {
  // Element types allowed at each input and output, in ONNX's words; an empty list allows all, and
  // so does a position behind the last list.
  std::vector<std::vector<std::string>> inputs;
  std::vector<std::vector<std::string>> outputs;
  std::optional<std::int64_t> max_rank;        // of every input and output
  std::vector<std::uint64_t> constant_inputs;  // positions that must be constants, if given at all
  std::vector<AttributeRule> attributes;
  bool static_shapes = false;     // every dimension of inputs and outputs is a number
  std::optional<bool> quantized;  // stands behind DequantizeLinear; then `inputs` are those types
};
template <RecordOf<OpCondition> Self>
void for_each_field(Self& condition, auto&& field) {
  field("inputs", condition.inputs);
  field("outputs", condition.outputs);
  field("max_rank", condition.max_rank);
  field("constant_inputs", condition.constant_inputs);
  field("attributes", condition.attributes);
  field("static_shapes", condition.static_shapes);
  field("quantized", condition.quantized);
}

struct OpRule {
  std::vector<std::string> ops;
  std::string domain;                 // empty: ONNX's own
  std::int64_t since = 1;             // the opset of the model, both ends included
  std::optional<std::int64_t> until;  // none: no end
  std::vector<std::string> devices;   // empty: all of the file's
  OpCondition when;
  Support status = Support::unknown;
  std::string note;  // what a reader should know; said for all that is not supported
};
template <RecordOf<OpRule> Self>
void for_each_field(Self& rule, auto&& field) {
  field("ops", rule.ops, Presence::required);
  field("domain", rule.domain);
  field("since", rule.since);
  field("until", rule.until);
  field("devices", rule.devices);
  field("when", rule.when);
  field("status", rule.status, Presence::required);
  field("note", rule.note);
}

enum class Provenance { probed, documentation };
constexpr auto enum_names(Provenance) {
  return std::to_array<EnumName<Provenance>>(
      {{Provenance::probed, "probed"}, {Provenance::documentation, "documentation"}});
}

struct RuleOrigin {
  Provenance kind = Provenance::documentation;
  std::string source;   // title, address and version of the page; or what was probed
  std::string made_by;  // the command that makes the file again; needed when probed
};
template <RecordOf<RuleOrigin> Self>
void for_each_field(Self& origin, auto&& field) {
  field("kind", origin.kind, Presence::required);
  field("source", origin.source, Presence::required);
  field("made_by", origin.made_by);
}

// The first rule that fits a node answers for it; a node that none fits is unknown.
struct RuleFile {
  std::string ep;  // the short name
  std::vector<std::string> devices;
  VersionRange onnxruntime;
  VersionRange ep_version;
  RuleOrigin provenance;
  std::vector<std::string> notes;  // shown with every answer
  OpCondition needs;               // what must hold of every node; else it is unsupported
  // Why an op that no rule names is unsupported; empty: it is unknown.
  std::string unlisted;
  std::vector<OpRule> rules;
};
template <RecordOf<RuleFile> Self>
void for_each_field(Self& file, auto&& field) {
  field("ep", file.ep, Presence::required);
  field("devices", file.devices, Presence::required);
  field("onnxruntime", file.onnxruntime);
  field("ep_version", file.ep_version);
  field("provenance", file.provenance, Presence::required);
  field("notes", file.notes);
  field("needs", file.needs);
  field("unlisted", file.unlisted);
  field("rules", file.rules, Presence::required);
}

}  // namespace hone
