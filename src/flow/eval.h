#pragma once
// How good a model is: beside another one on the same inputs, and at its task on labelled data.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flow/pictures.h"
#include "flow/watch.h"
#include "record/eval.h"
#include "record/where.h"

namespace hone {

// The model that answers are held against. What is said of the judged model's EP and session is not
// meant for it; without an EP it runs by its folder's recipe, or on the CPU.
struct ReferenceModel {
  std::string model;  // a file, or a folder with one; empty: there is none
  std::string ep;
  std::string device;
};
template <RecordOf<ReferenceModel> Self>
void for_each_field(Self& reference, auto&& field) {
  field("model", reference.model);
  field("ep", reference.ep);
  field("device", reference.device);
}

// Two models on the same samples, output by output.
struct ParityOrder {
  static constexpr std::string_view job = "parity";
  using Answer = CompareReport;

  std::string model;
  ReferenceModel reference;
  std::string input_data;  // empty: seeded samples
  std::string shape_config;
  std::int64_t samples = 0;  // 0: all of the data, or 32 seeded ones
  std::uint64_t seed = 0;    // of samples and of the bootstrap
  Where where;
};
template <RecordOf<ParityOrder> Self>
void for_each_field(Self& order, auto&& field) {
  field("model", order.model, Presence::required);
  field("reference", order.reference, Presence::required);
  field("input_data", order.input_data);
  field("shape_config", order.shape_config);
  field("samples", order.samples);
  field("seed", order.seed);
  field("where", order.where);
}
Result<CompareReport> compare_outputs(const ParityOrder& order, const Watch& watch);

// What rows of data are, and how they go into a model.
struct RowOrder {
  std::map<std::string, std::string> columns{};  // the task's name of a column, and the data's
  std::map<std::string, std::string> labels{};   // the data's name of a class, and the model's
  std::string split;                             // empty: test, validation, or the only one
  bool shuffle = false;                          // as many rows as are asked for, from anywhere
  std::string tokenizer;        // a folder or file; empty: what lies beside the model
  std::int64_t max_length = 0;  // in tokens; 0: what model and tokenizer take
  std::int64_t stride = 128;    // tokens that two windows share
  std::string hypothesis;       // zero-shot-classification; empty: the usual one
};
template <RecordOf<RowOrder> Self>
void for_each_field(Self& rows, auto&& field) {
  field("columns", rows.columns);
  field("labels", rows.labels);
  field("split", rows.split);
  field("shuffle", rows.shuffle);
  field("tokenizer", rows.tokenizer);
  field("max_length", rows.max_length);
  field("stride", rows.stride);
  field("hypothesis", rows.hypothesis);
}

// A model at its task, and beside a reference whether it is no worse.
struct TaskOrder {
  static constexpr std::string_view job = "task";
  using Answer = EvalReport;

  std::string model;
  ReferenceModel reference;
  std::string task;
  std::string data;
  std::optional<double> max_drop;  // REQUIRES a reference
  std::string output_name;         // empty: the model's first
  std::string dictionary;
  double threshold = 0.5;
  double overlap = 0.7;            // object-detection: as in TaskSettings
  bool may_be_unanswered = false;  // question-answering: likewise
  RowOrder rows;
  PictureOrder pictures;
  std::int64_t samples = 0;  // 0: all
  std::uint64_t seed = 0;    // of the bootstrap
  Where where;
};
template <RecordOf<TaskOrder> Self>
void for_each_field(Self& order, auto&& field) {
  field("model", order.model, Presence::required);
  field("reference", order.reference);
  field("task", order.task, Presence::required);
  field("data", order.data, Presence::required);
  field("max_drop", order.max_drop);
  field("output_name", order.output_name);
  field("dictionary", order.dictionary);
  field("threshold", order.threshold);
  field("overlap", order.overlap);
  field("may_be_unanswered", order.may_be_unanswered);
  field("rows", order.rows);
  field("pictures", order.pictures);
  field("samples", order.samples);
  field("seed", order.seed);
  field("where", order.where);
}
Result<EvalReport> evaluate_task(const TaskOrder& order, const Watch& watch);

// Labelled data as the model takes it: what quantize and perf are given.
struct ExportOrder {
  std::string model;
  std::string data;
  std::string output;  // .npz; what is there is replaced
  std::string task;    // that makes samples of rows; empty: of arrays and pictures
  RowOrder rows;
  PictureOrder pictures;
  std::int64_t samples = 0;  // 0: all
  std::uint64_t seed = 0;    // of shuffling
  Host host{};
};
// `notes` gets what was done to pictures.
Result<MadeData> export_samples(const ExportOrder& order,
                                std::vector<std::string>* notes = nullptr);

// Labelled data made from what the machine has.
struct DataOrder {
  static constexpr std::string_view job = "data";
  using Answer = MadeData;

  std::string kind;  // a dataset of inspect/eval/datasets
  std::string output;
  bool overwrite = false;
  std::uint64_t count = 0;  // 0: what the dataset finds fit
  std::uint64_t seed = 0;
  bool noisy = false;
  std::string source;
  std::string input_name;
};
template <RecordOf<DataOrder> Self>
void for_each_field(Self& order, auto&& field) {
  field("kind", order.kind, Presence::required);
  field("output", order.output, Presence::required);
  field("overwrite", order.overwrite);
  field("count", order.count);
  field("seed", order.seed);
  field("noisy", order.noisy);
  field("source", order.source);
  field("input_name", order.input_name);
}
Result<MadeData> make_data(const DataOrder& order, const Watch& watch);

}  // namespace hone
