#pragma once
// Samples with their labels, one at a time. docs/eval.md describes the files.

#include <deque>
#include <optional>
#include <vector>

#include "inspect/eval/image_file.h"
#include "record/eval.h"
#include "runtime/sample_stream.h"

namespace hone {

struct LabelledSample {
  Sample sample;
  Json label;  // null where there is none
};

// The labels beside samples: `labels.json` in the folder, NAME.labels.json beside NAME.npz.
Path labels_path(const Path& data);

class EvalData {
 public:
  // - a folder of .npz files, or one .npz, with labels beside them or without
  // - a folder of folders, one per class: pictures, or .npz samples. Classes are numbered in the
  //   order of their names, unless the names themselves are numbers
  static Result<EvalData> open(const Path& data, std::vector<Port> inputs, ImageRules images = {},
                               std::size_t limit = SampleStream::no_limit);
  // What pictures go through instead of the rules.
  void process_with(Processor processor) { processor_ = std::move(processor); }
  // Whether there are any.
  bool has_pictures() const;

  Result<std::optional<LabelledSample>> next();

  bool is_labelled() const { return labels_.has_value() || !files_.empty(); }
  // How many samples there are; 0 where only reading them would tell.
  std::uint64_t size() const;
  const std::string& task() const { return task_; }

 private:
  struct ClassFile {
    Path file;
    std::uint64_t label = 0;
  };

  EvalData() = default;
  Status find_classes(const Path& folder);
  Status load_class_file();
  Result<Sample> load_picture(const Path& file) const;
  Result<std::optional<LabelledSample>> next_of_stream();

  std::vector<Port> inputs_;
  ImageRules images_;
  std::optional<Processor> processor_;
  std::size_t limit_ = 0;
  std::string task_;
  std::optional<SampleStream> stream_;
  std::optional<std::vector<Json>> labels_;
  std::vector<ClassFile> files_;
  // Where we are.
  std::size_t given_ = 0;
  std::size_t next_file_ = 0;
  std::deque<LabelledSample> loaded_;
};

}  // namespace hone
