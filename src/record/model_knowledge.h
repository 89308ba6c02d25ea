#pragma once
// What is known of a family of models: claims that were made while its members were built, where
// they held, where they fell, and what they rest on. Files only ever grow; docs/model-knowledge.md
// says it for people, model_knowledge/schema.json for programs.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/fields.h"

namespace hone {

inline constexpr std::int64_t model_knowledge_schema_version = 1;

// One member of the family at one precision on one EP.
struct ModelTrial {
  std::string model;
  std::string precision;  // fp32, w8a8, ...
  std::string ep;         // cpu, qnn/npu, ...
  std::optional<std::string> ort_version{};
  std::optional<std::string> evidence{};  // SHA-256 of the file that shows it
  std::optional<std::string> why{};       // for what was not tried: the reason
};
template <RecordOf<ModelTrial> Self>
void for_each_field(Self& trial, auto&& field) {
  field("model", trial.model, Presence::required);
  field("precision", trial.precision, Presence::required);
  field("ep", trial.ep, Presence::required);
  field("ort_version", trial.ort_version);
  field("evidence", trial.evidence);
  field("why", trial.why);
}

// How far a claim reaches. Lists only ever grow.
struct ModelScope {
  std::vector<ModelTrial> validated_on;
  std::vector<ModelTrial> falsified_on;  // each is what a counter-example was validated on
  std::vector<ModelTrial> not_yet_tested_on;
};
template <RecordOf<ModelScope> Self>
void for_each_field(Self& scope, auto&& field) {
  field("validated_on", scope.validated_on);
  field("falsified_on", scope.falsified_on);
  field("not_yet_tested_on", scope.not_yet_tested_on);
}

// Why it is so, apart from what was seen.
struct ModelMechanism {
  bool is_confirmed = false;
  std::string notes;
};
template <RecordOf<ModelMechanism> Self>
void for_each_field(Self& mechanism, auto&& field) {
  field("confirmed", mechanism.is_confirmed);
  field("notes", mechanism.notes);
}

struct ModelEvidence {
  std::string file;  // its name, without a folder of this machine
  std::string sha256;
};
template <RecordOf<ModelEvidence> Self>
void for_each_field(Self& evidence, auto&& field) {
  field("file", evidence.file, Presence::required);
  field("sha256", evidence.sha256, Presence::required);
}

// One claim. Once it is in a file, only its scope and gaps may grow and a resolution may be added.
struct ModelFinding {
  std::string id;     // "ppocr-001"; of a draft: empty
  std::string title;  // a claim that can be wrong
  std::string observation;
  ModelScope scope{};
  std::string effort;                            // what it took: L0, L0*, L1-light, L1 or L2
  std::optional<std::string> goal_reached{};     // L0 to L3
  std::optional<std::string> recipe_template{};  // the recipe to begin with
  std::vector<std::string> gotchas{};
  std::vector<std::string> gaps{};  // what hone or an EP lacks
  ModelMechanism mechanism{};
  std::optional<std::string> counter_to{};  // the id of the finding this is a counter-example of
  std::vector<ModelEvidence> evidence{};
  std::string date;                         // "2026-06-25"
  std::optional<std::string> resolution{};  // what became of it
};
template <RecordOf<ModelFinding> Self>
void for_each_field(Self& finding, auto&& field) {
  field("id", finding.id);
  field("title", finding.title, Presence::required);
  field("observation", finding.observation, Presence::required);
  field("scope", finding.scope);
  field("effort", finding.effort, Presence::required);
  field("goal_reached", finding.goal_reached);
  field("recipe_template", finding.recipe_template);
  field("gotchas", finding.gotchas);
  field("gaps", finding.gaps);
  field("mechanism", finding.mechanism);
  field("counter_to", finding.counter_to);
  field("evidence", finding.evidence);
  field("date", finding.date, Presence::required);
  field("resolution", finding.resolution);
}

// model_knowledge/<family>.json
struct FamilyKnowledge {
  std::string family;
  std::string model_type;  // as the models' own configuration calls it
  std::vector<ModelFinding> findings{};
  // One SHA-256 for each finding, over what of it may not change and the hash before: a rewrite
  // shows without the version before it.
  std::vector<std::string> chain{};
};
template <RecordOf<FamilyKnowledge> Self>
void for_each_field(Self& knowledge, auto&& field) {
  field("family", knowledge.family, Presence::required);
  field("model_type", knowledge.model_type, Presence::required);
  field("findings", knowledge.findings, Presence::required);
  field("chain", knowledge.chain, Presence::required);
}

// A finding that nobody has read yet: what `hone kb models mine` writes and `add` takes.
struct ModelFindingDraft {
  std::string family;
  ModelFinding finding;
};
template <RecordOf<ModelFindingDraft> Self>
void for_each_field(Self& draft, auto&& field) {
  field("family", draft.family, Presence::required);
  field("finding", draft.finding, Presence::required);
}

// A family and where it comes from.
struct ListedFamily {
  FamilyKnowledge knowledge;
  std::optional<std::string> file{};  // null: it is shipped
  bool replaces_shipped = false;
};
template <RecordOf<ListedFamily> Self>
void for_each_field(Self& listed, auto&& field) {
  field("knowledge", listed.knowledge);
  field("file", listed.file);
  field("replaces_shipped", listed.replaces_shipped);
}

struct FamilyList {
  std::vector<ListedFamily> families;
};
template <RecordOf<FamilyList> Self>
void for_each_field(Self& list, auto&& field) {
  field("families", list.families);
}

}  // namespace hone
