#pragma once
// What `hone diff` says about two models.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "record/fields.h"

namespace hone {

enum class ChangedThing { ir_version, opset, metadata, function, input, output, initializer, node };

constexpr auto enum_names(ChangedThing) {
  return std::to_array<EnumName<ChangedThing>>({{ChangedThing::ir_version, "ir_version"},
                                                {ChangedThing::opset, "opset"},
                                                {ChangedThing::metadata, "metadata"},
                                                {ChangedThing::function, "function"},
                                                {ChangedThing::input, "input"},
                                                {ChangedThing::output, "output"},
                                                {ChangedThing::initializer, "initializer"},
                                                {ChangedThing::node, "node"}});
}

enum class ChangeAction { added, removed, changed };

constexpr auto enum_names(ChangeAction) {
  return std::to_array<EnumName<ChangeAction>>({{ChangeAction::added, "added"},
                                                {ChangeAction::removed, "removed"},
                                                {ChangeAction::changed, "changed"}});
}

struct ModelChange {
  ChangedThing thing = ChangedThing::node;
  ChangeAction action = ChangeAction::changed;
  std::string name;    // of the thing; nodes inside subgraphs: "outer node/attribute/node"
  std::string detail;  // what of it: "attribute 'axis'"; the type of what was added or removed
  Json before;         // null where there is nothing to show
  Json after;
};

template <RecordOf<ModelChange> Self>
void for_each_field(Self& change, auto&& field) {
  field("thing", change.thing);
  field("action", change.action);
  field("name", change.name);
  field("detail", change.detail);
  field("before", change.before);
  field("after", change.after);
}

struct OpCountChange {
  std::string op;
  std::uint64_t before = 0;
  std::uint64_t after = 0;
};

template <RecordOf<OpCountChange> Self>
void for_each_field(Self& change, auto&& field) {
  field("op", change.op);
  field("before", change.before);
  field("after", change.after);
}

struct ModelDiff {
  bool equal = true;
  std::vector<OpCountChange> op_counts;  // only those that differ
  std::vector<ModelChange> changes;
  std::uint64_t absent_weights = 0;  // initializers whose content could not be compared
};

template <RecordOf<ModelDiff> Self>
void for_each_field(Self& diff, auto&& field) {
  field("equal", diff.equal);
  field("op_counts", diff.op_counts);
  field("changes", diff.changes);
  field("absent_weights", diff.absent_weights);
}

}  // namespace hone
