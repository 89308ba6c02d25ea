#pragma once
// What `hone export` made of a checkpoint: its graphs, where their weights are, what of the
// configuration decided them, and what they were held against.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/fields.h"
#include "record/model_facts.h"

namespace hone {

inline constexpr std::int64_t export_schema_version = 1;

// One switch of the configuration that was read.
struct ExportSwitch {
  std::string name;   // "vision_config.hidden_act"
  Json value;         // what it came to
  bool said = false;  // the file says it; else it is what holds where nothing is said
};
template <RecordOf<ExportSwitch> Self>
void for_each_field(Self& one, auto&& field) {
  field("name", one.name);
  field("value", one.value);
  field("said", one.said);
}

struct ExportedPart {
  std::string part;  // "model", "encoder_model", ...
  std::string file;
  std::uint64_t bytes = 0;  // of that file, without its weights
  std::uint64_t nodes = 0;
  std::vector<ValueFacts> inputs;
  std::vector<ValueFacts> outputs;
};
template <RecordOf<ExportedPart> Self>
void for_each_field(Self& part, auto&& field) {
  field("part", part.part);
  field("file", part.file);
  field("bytes", part.bytes);
  field("nodes", part.nodes);
  field("inputs", part.inputs);
  field("outputs", part.outputs);
}

enum class WeightPlacement {
  hard_link,    // the checkpoint's own file, under a second name
  copy,         // a copy of it, where it cannot have a second name
  same_folder,  // the models are beside it
  rewritten,    // a file of the models' own: turned and cast
};
constexpr auto enum_names(WeightPlacement) {
  return std::to_array<EnumName<WeightPlacement>>({{WeightPlacement::hard_link, "hard_link"},
                                                   {WeightPlacement::copy, "copy"},
                                                   {WeightPlacement::same_folder, "same_folder"},
                                                   {WeightPlacement::rewritten, "rewritten"}});
}

struct ExportedWeights {
  WeightPlacement placement = WeightPlacement::hard_link;
  std::vector<std::string> files;
  std::uint64_t bytes = 0;
};
template <RecordOf<ExportedWeights> Self>
void for_each_field(Self& weights, auto&& field) {
  field("placement", weights.placement);
  field("files", weights.files);
  field("bytes", weights.bytes);
}

// An output beside what the reference says it is.
struct ComparedOutput {
  std::string part;
  std::string output;
  double largest_difference = 0;
  double share = 0;  // of the reference's largest value
};
template <RecordOf<ComparedOutput> Self>
void for_each_field(Self& output, auto&& field) {
  field("part", output.part);
  field("output", output.output);
  field("largest_difference", output.largest_difference);
  field("share", output.share);
}

// Rows that a part takes for their scores, where rounding decides which: it was compared on those
// that the reference has taken.
struct TakenRows {
  std::string part;
  std::string scores;           // the value
  std::uint64_t taken = 0;      // of each sample
  std::uint64_t places = 0;     // to take them from
  std::uint64_t elsewhere = 0;  // of all samples: where the part by itself takes another
  double share = 0;             // of the largest score: by what they are worse than the best
};
template <RecordOf<TakenRows> Self>
void for_each_field(Self& rows, auto&& field) {
  field("part", rows.part);
  field("scores", rows.scores);
  field("taken", rows.taken);
  field("places", rows.places);
  field("elsewhere", rows.elsewhere);
  field("share", rows.share);
}

struct ExportChecked {
  std::vector<std::string> ran;           // parts that were opened and run
  std::vector<ComparedOutput> reference;  // outputs that were compared with reference.npz
  std::vector<TakenRows> taken_rows;      // of parts that were compared on the reference's
  std::vector<std::string> not_compared;  // "decoder_with_past_model: why"
  double most_share = 0;                  // what was allowed
  std::string ort_version;
};
template <RecordOf<ExportChecked> Self>
void for_each_field(Self& checked, auto&& field) {
  field("ran", checked.ran);
  field("reference", checked.reference);
  field("taken_rows", checked.taken_rows);
  field("not_compared", checked.not_compared);
  field("most_share", checked.most_share);
  field("ort_version", checked.ort_version);
}

struct ExportTimes {
  double graph_ms = 0;    // configuration and header to graphs
  double weights_ms = 0;  // linked, copied or rewritten, and models written
  double check_ms = 0;
  double total_ms = 0;
};
template <RecordOf<ExportTimes> Self>
void for_each_field(Self& times, auto&& field) {
  field("graph_ms", times.graph_ms);
  field("weights_ms", times.weights_ms);
  field("check_ms", times.check_ms);
  field("total_ms", times.total_ms);
}

struct ExportResult {
  std::string source;
  std::string output;
  std::string family;
  std::string model_type;
  std::string architecture;  // empty where the configuration names none
  std::string task;
  std::int64_t opset = 0;
  std::string form;
  std::string dtype;
  std::vector<ExportedPart> parts;
  ExportedWeights weights;
  std::vector<std::string> companions;  // files of tokenizer and processor that went along
  std::vector<ExportSwitch> switches;
  std::vector<std::string> not_read;     // switches of the file that decide nothing here
  std::vector<std::string> unused;       // tensors that no graph has taken
  std::optional<ExportChecked> checked;  // null: it was not
  std::vector<std::string> notes;
  ExportTimes times;
};
template <RecordOf<ExportResult> Self>
void for_each_field(Self& made, auto&& field) {
  field("source", made.source);
  field("output", made.output);
  field("family", made.family);
  field("model_type", made.model_type);
  field("architecture", made.architecture);
  field("task", made.task);
  field("opset", made.opset);
  field("form", made.form);
  field("dtype", made.dtype);
  field("parts", made.parts);
  field("weights", made.weights);
  field("companions", made.companions);
  field("switches", made.switches);
  field("not_read", made.not_read);
  field("unused", made.unused);
  field("checked", made.checked);
  field("notes", made.notes);
  field("times", made.times);
}

// Of a model that was exported on the way: what it was made of.
struct ExportedFrom {
  std::string source;
  std::string source_sha256;  // of its configuration and weights
  std::string family;
  std::string task;
  std::string form;
  std::int64_t opset = 0;
  std::string dtype;
  std::string weights;  // in-place, copy
};
template <RecordOf<ExportedFrom> Self>
void for_each_field(Self& from, auto&& field) {
  field("source", from.source);
  field("source_sha256", from.source_sha256);
  field("family", from.family);
  field("task", from.task);
  field("form", from.form);
  field("opset", from.opset);
  field("dtype", from.dtype);
  field("weights", from.weights);
}

}  // namespace hone
