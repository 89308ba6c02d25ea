#pragma once
// Labelled data made from what a machine has: what the DataKinds of task.h are asked for, and what
// they write with. The same seed gives the same bytes.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/progress.h"
#include "inspect/eval/task.h"
#include "record/eval.h"
#include "runtime/samples.h"

namespace hone {

struct DatasetRequest {
  Path output;  // the folder
  bool overwrite = false;
  std::uint64_t count = 0;  // of lines, digits, clips; 0: what the dataset finds fit
  std::uint64_t seed = 0;
  bool noisy = false;
  Path source;        // where the parts come from that are not part of the system
  std::string input;  // the name of the model's input; empty: the dataset's own
  ByteProgress progress;
};

// Writes samples-00000.npz, ... and at the end labels.json: a folder without it is not finished.
// Memory is that of one file.
class DatasetWriter {
 public:
  // The folder is made where it is not there. One that holds data is refused, or with `overwrite`
  // rid of it.
  static Result<DatasetWriter> create(const Path& folder, bool overwrite);

  Status add(const Sample& sample, Json label);
  Status finish(std::string_view task, Json made);

  std::uint64_t samples() const { return labels_.labels.size(); }
  std::uint64_t files() const { return files_; }

 private:
  explicit DatasetWriter(Path folder) : folder_(std::move(folder)) {}
  Status write_file();

  Path folder_;
  EvalLabels labels_;
  std::vector<TensorPtr> arrays_;  // of the file that is not full yet
  std::uint64_t in_file_ = 0;
  std::uint64_t files_ = 0;
};

Result<MadeData> make_dataset(const Dataset& dataset, DatasetRequest request);

// A float tensor of one sample. REQUIRES: as many numbers as dims ask for.
TensorPtr make_float_input(const std::string& name, std::vector<std::int64_t> dims,
                           std::span<const double> numbers);

}  // namespace hone
