#pragma once
// Samples with their labels, one at a time. docs/eval.md describes the files.

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/hash.h"
#include "inspect/eval/encoder.h"
#include "inspect/eval/rows/rows.h"
#include "record/eval.h"
#include "runtime/sample_stream.h"

namespace hone {

// The labels beside samples: `labels.json` in the folder, NAME.labels.json beside NAME.npz.
Path labels_path(const Path& data);

struct DataRequest {
  Path data;
  std::size_t limit = SampleStream::no_limit;
  // Of rows; those that are not given are what dataset.json in the folder says.
  std::map<std::string, std::string> columns{};  // a column of the task, and the data's name for it
  std::string split{};
  bool shuffle = false;  // `limit` rows anywhere in the data, instead of its first
  std::uint64_t seed = 0;
  // What makes samples of rows: without one only arrays and pictures by class are taken.
  const Task* task = nullptr;
  // Looked for where there are pictures or sounds, and not for arrays.
  std::function<Result<std::optional<Processor>>()> find_processor{};
  // Of the encoder: all but the folder, which is the data's, and the processor.
  EncoderSettings encoding{};
};

class EvalData {
 public:
  // - a folder of .npz files, or one .npz, with labels beside them or without
  // - a folder of folders, one per class: pictures, sound, or .npz samples. Classes are those of
  // the
  //   model where all names are known to it, else numbered in the order of their names, unless the
  //   names themselves are numbers
  // - a file of rows, or a folder with one for each split
  static Result<EvalData> open(DataRequest request);

  // A row that cannot be used is passed over, and counted.
  Result<std::optional<LabelledSample>> next();

  bool is_labelled() const { return labels_.has_value() || !files_.empty() || rows_ != nullptr; }
  // Files of rows, pictures or sound, and not arrays.
  bool has_rows() const { return rows_ != nullptr; }
  // How many samples there are; 0 where only reading them would tell.
  std::uint64_t size() const;
  const std::string& task() const { return task_; }
  // Of what next() has given so far.
  EvalSamples used() const;
  // How samples become inputs.
  std::map<std::string, std::string> described() const;

 private:
  struct ClassFile {
    Path file;
    std::uint64_t label = 0;
  };

  EvalData() = default;
  Status open_folder(const std::vector<Path>& folders);
  Status find_class_arrays(const std::vector<Path>& classes);
  Status open_table(const Path& file);
  Status read_card(const Path& folder);
  Status open_encoder(const Task& task, const Path& folder);
  Status load_class_file();
  Status load_row();
  Status draw_rows();
  Result<std::optional<Row>> next_row();
  Json mapped(const Json& columns) const;
  Status add_row(const Row& row);
  void add_broken(const std::string& where, const Error& error);
  Result<std::string> content_of(const Json& row) const;
  void add_to_hash(std::string_view content);
  Result<std::optional<LabelledSample>> next_of_stream();
  std::optional<LabelledSample> given_array(Sample sample, Json label);

  DataRequest request_;
  std::string task_;
  std::optional<SampleStream> stream_;
  std::optional<std::vector<Json>> labels_;
  std::vector<ClassFile> files_;
  Path table_;
  std::map<std::string, std::string> split_files_;
  std::unique_ptr<RowSource> rows_;
  std::unique_ptr<Encoder> encoder_;
  std::optional<std::deque<Row>> drawn_;
  std::string hash_text_;
  EvalSamples used_;
  // Where we are.
  std::size_t given_ = 0;
  std::size_t next_file_ = 0;
  bool is_over_ = false;
  std::deque<LabelledSample> loaded_;
};

}  // namespace hone
