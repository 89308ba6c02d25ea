#pragma once
// A model that was said in the operators of another opset.

#include <cstdint>
#include <string>
#include <vector>

#include "record/fields.h"

namespace hone {

inline constexpr std::int64_t convert_schema_version = 1;

struct OpsetChange {
  std::string op;    // as it was called before
  std::string what;  // "axes: attribute -> input"
  std::uint64_t nodes = 0;
};
template <RecordOf<OpsetChange> Self>
void for_each_field(Self& change, auto&& field) {
  field("op", change.op);
  field("what", change.what);
  field("nodes", change.nodes);
}

struct ConvertedModel {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::uint64_t changed_nodes = 0;  // that could not stay as they were written
  std::int64_t ir_version = 0;
  std::vector<OpsetChange> changes;  // by op and kind of change, most frequent first
  std::vector<std::string> notes;    // what the older definition left open, and how it was read
  std::string output;
  std::uint64_t model_bytes = 0;
  std::vector<std::string> data_files;  // written, or shared with the source
};
template <RecordOf<ConvertedModel> Self>
void for_each_field(Self& made, auto&& field) {
  field("from", made.from);
  field("to", made.to);
  field("changed_nodes", made.changed_nodes);
  field("ir_version", made.ir_version);
  field("changes", made.changes);
  field("notes", made.notes);
  field("output", made.output);
  field("model_bytes", made.model_bytes);
  field("data_files", made.data_files);
}

}  // namespace hone
