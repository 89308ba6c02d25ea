#pragma once
// What `hone fix-shapes` did: inputs of fixed sizes, what was computed ahead because of them, and
// what is still open, with the node that makes it so.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/fields.h"
#include "record/optimize.h"

namespace hone {

inline constexpr std::int64_t fix_shapes_schema_version = 1;

// An input or output; a dimension is a number, the name of an open one, or null.
struct FixedPort {
  std::string name;
  std::optional<std::vector<Json>> before;  // null: not even how many dimensions was known
  std::optional<std::vector<Json>> after;
};
template <RecordOf<FixedPort> Self>
void for_each_field(Self& port, auto&& field) {
  field("name", port.name);
  field("before", port.before);
  field("after", port.after);
}

// A node that makes an open dimension of inputs that have none.
struct OpenShape {
  std::string node;  // its name, else what it makes
  std::string op;
  std::string value;  // what has the open dimension
  std::string why;    // a clause
};
template <RecordOf<OpenShape> Self>
void for_each_field(Self& open, auto&& field) {
  field("node", open.node);
  field("op", open.op);
  field("value", open.value);
  field("why", open.why);
}

struct FixShapesReport {
  std::string model;
  std::string output;
  std::vector<FixedPort> inputs;   // those that had an open dimension
  std::vector<FixedPort> outputs;  // all
  std::uint64_t nodes_before = 0;
  std::uint64_t nodes_after = 0;
  std::uint64_t branches_taken = 0;  // of Ifs whose condition is known now
  std::uint64_t open_before = 0;     // values with an open dimension, constants not counted
  std::uint64_t open_after = 0;
  std::vector<OpenShape> left_open;  // where those begin
  std::optional<Verification> verified;
  std::vector<std::string> notes;
};
template <RecordOf<FixShapesReport> Self>
void for_each_field(Self& report, auto&& field) {
  field("model", report.model);
  field("output", report.output);
  field("inputs", report.inputs);
  field("outputs", report.outputs);
  field("nodes_before", report.nodes_before);
  field("nodes_after", report.nodes_after);
  field("branches_taken", report.branches_taken);
  field("open_before", report.open_before);
  field("open_after", report.open_after);
  field("left_open", report.left_open);
  field("verified", report.verified);
  field("notes", report.notes);
}

}  // namespace hone
