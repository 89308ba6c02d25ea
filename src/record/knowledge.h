#pragma once
// What the knowledge base answers: its findings as a list, what is wrong with them, and what they
// do to a search.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/finding.h"
#include "record/target.h"

namespace hone {

inline constexpr std::int64_t knowledge_schema_version = 1;

// Whether a predicate holds; what it asks for may not be known.
enum class Truth { no, yes, unknown };
constexpr auto enum_names(Truth) {
  return std::to_array<EnumName<Truth>>(
      {{Truth::no, "no"}, {Truth::yes, "yes"}, {Truth::unknown, "unknown"}});
}

enum class RulingKind { nothing, orders, prunes };
constexpr auto enum_names(RulingKind) {
  return std::to_array<EnumName<RulingKind>>({{RulingKind::nothing, "nothing"},
                                              {RulingKind::orders, "orders"},
                                              {RulingKind::prunes, "prunes"}});
}

// What one finding does to one change in one situation.
struct FindingRuling {
  std::string finding{};  // its id
  FindingStatus status = FindingStatus::draft;
  Truth matches = Truth::unknown;
  RulingKind does = RulingKind::nothing;
  double priority_delta = 0;
  std::string why{};
};
template <RecordOf<FindingRuling> Self>
void for_each_field(Self& ruling, auto&& field) {
  field("finding", ruling.finding);
  field("status", ruling.status);
  field("matches", ruling.matches);
  field("does", ruling.does);
  field("priority_delta", ruling.priority_delta);
  field("why", ruling.why);
}

// A change and all that findings say of it.
struct ChangeRulings {
  Change change;
  double priority_delta = 0;
  std::optional<std::string> prunes{};  // the id of the finding that rules it out
  std::vector<FindingRuling> rulings{};
};
template <RecordOf<ChangeRulings> Self>
void for_each_field(Self& one, auto&& field) {
  field("change", one.change);
  field("priority_delta", one.priority_delta);
  field("prunes", one.prunes);
  field("rulings", one.rulings);
}

// What the findings do for one model on one target. Versions are empty where they are not known.
struct KnowledgeAnswer {
  std::string model;
  Target target;
  std::string ort_version;
  std::string ep_version;
  std::string driver;
  std::string precision;
  std::uint64_t other_targets = 0;  // findings that are about another EP or device
  std::vector<ChangeRulings> changes;
};
template <RecordOf<KnowledgeAnswer> Self>
void for_each_field(Self& answer, auto&& field) {
  field("model", answer.model);
  field("target", answer.target);
  field("ort_version", answer.ort_version);
  field("ep_version", answer.ep_version);
  field("driver", answer.driver);
  field("precision", answer.precision);
  field("other_targets", answer.other_targets);
  field("changes", answer.changes);
}

// A finding and where it comes from.
struct ListedFinding {
  Finding finding;
  std::optional<std::string> file{};  // null: it is shipped
  bool replaces_shipped = false;
  std::vector<std::string> missing{};  // what keeps a draft from being confirmed
};
template <RecordOf<ListedFinding> Self>
void for_each_field(Self& listed, auto&& field) {
  field("finding", listed.finding);
  field("file", listed.file);
  field("replaces_shipped", listed.replaces_shipped);
  field("missing", listed.missing);
}

struct KnowledgeList {
  std::vector<ListedFinding> findings;
};
template <RecordOf<KnowledgeList> Self>
void for_each_field(Self& list, auto&& field) {
  field("findings", list.findings);
}

struct KnowledgeCheck {
  std::uint64_t files = 0;
  std::uint64_t findings = 0;
  std::vector<std::string> problems;  // each with its file before it
};
template <RecordOf<KnowledgeCheck> Self>
void for_each_field(Self& check, auto&& field) {
  field("files", check.files);
  field("findings", check.findings);
  field("problems", check.problems);
}

}  // namespace hone
