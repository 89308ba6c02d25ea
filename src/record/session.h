#pragma once
// What an open session is, and what was seen of it when it ended.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "record/fields.h"
#include "record/model_facts.h"
#include "record/target.h"

namespace hone {

inline constexpr std::int64_t session_schema_version = 1;

struct SessionFacts {
  std::string model;  // the file that was opened
  std::string ort_version;
  Target target;
  std::map<std::string, std::string> session_options;
  Placement placement;
  std::vector<ValueFacts> inputs;
  std::vector<ValueFacts> outputs;
  std::vector<std::string> notes;
};
template <RecordOf<SessionFacts> Self>
void for_each_field(Self& facts, auto&& field) {
  field("model", facts.model);
  field("ort_version", facts.ort_version);
  field("target", facts.target);
  field("session_options", facts.session_options);
  field("placement", facts.placement);
  field("inputs", facts.inputs);
  field("outputs", facts.outputs);
  field("notes", facts.notes);
}

struct SessionEnd {
  std::uint64_t runs = 0;                // that went well
  std::map<std::string, Json> monitors;  // what they say, by name
  std::vector<std::string> notes;        // and what they could not
};
template <RecordOf<SessionEnd> Self>
void for_each_field(Self& end, auto&& field) {
  field("runs", end.runs);
  field("monitors", end.monitors);
  field("notes", end.notes);
}

}  // namespace hone
