#include "inspect/eval/eval_data.h"

#include <algorithm>
#include <charconv>

#include "base/counted.h"
#include "base/folder.h"
#include "base/misuse.h"
#include "base/text.h"

namespace hone {
namespace {

Result<std::vector<Path>> sorted_entries(const Path& folder, bool folders) {
  HONE_TRY(const std::vector<FolderEntry> entries, list_folder(folder));
  std::vector<Path> found;
  for (const FolderEntry& entry : entries)
    if (entry.is_folder() == folders) found.push_back(entry.path);
  return found;
}

std::optional<std::uint64_t> number_in(const std::string& name) {
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (problem != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

bool are_numbers(const std::vector<Path>& folders) {
  return std::ranges::all_of(folders, [](const Path& folder) {
    return number_in(folder.filename().string()).has_value();
  });
}

Result<EvalLabels> read_labels(const Path& file) {
  HONE_TRY(const std::string text, read_file(file));
  const auto json = Json::parse(text);
  const auto labels = json ? from_document<EvalLabels>(*json, eval_schema_version)
                           : Result<EvalLabels>(fail(json.error()));
  if (labels) return *labels;
  return fail(Fault::bad_input, "'" + file.string() + "' holds no labels", labels.error().what,
              "docs/eval.md has the format");
}

}  // namespace

Path labels_path(const Path& data) {
  if (std::filesystem::is_directory(data)) return data / "labels.json";
  return Path(data).replace_extension(".labels.json");
}

Result<EvalData> EvalData::open(const Path& data, std::vector<Port> inputs, ImageRules images,
                                std::size_t limit) {
  std::error_code problem;
  if (!std::filesystem::exists(std::filesystem::status(data, problem))) {
    return fail(Fault::not_found, "cannot read '" + data.string() + "'", problem.message(),
                "name a folder of samples or an .npz file: docs/eval.md");
  }
  EvalData opened;
  opened.inputs_ = std::move(inputs);
  opened.images_ = std::move(images);
  opened.limit_ = limit;
  if (std::filesystem::exists(labels_path(data))) {
    HONE_TRY(EvalLabels labels, read_labels(labels_path(data)));
    opened.task_ = labels.task;
    opened.labels_ = std::move(labels.labels);
  } else if (std::filesystem::is_directory(data)) {
    HONE_TRY_DO(opened.find_classes(data));
    if (!opened.files_.empty()) return opened;
  }
  HONE_TRY(opened.stream_, SampleStream::from_files(data, opened.inputs_, limit));
  return opened;
}

Status EvalData::find_classes(const Path& folder) {
  HONE_TRY(const std::vector<Path> classes, sorted_entries(folder, true));
  const bool numbered = are_numbers(classes);
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const std::uint64_t label = numbered ? *number_in(classes[i].filename().string()) : i;
    HONE_TRY(const std::vector<Path> files, sorted_entries(classes[i], false));
    for (const Path& file : files) {
      if (is_image_file(file) || file.extension() == ".npz") files_.push_back({file, label});
    }
  }
  return done();
}

std::uint64_t EvalData::size() const {
  const std::size_t there = labels_ ? labels_->size() : files_.size();
  return std::min(there, limit_);
}

bool EvalData::has_pictures() const {
  return std::ranges::any_of(files_,
                             [](const ClassFile& each) { return is_image_file(each.file); });
}

Result<Sample> EvalData::load_picture(const Path& file) const {
  const Port* picture = nullptr;
  const Port* mask = nullptr;
  for (const Port& port : inputs_) {
    const bool is_mask = processor_ && port.name == pixel_mask_name;
    (is_mask ? mask : picture) = &port;
  }
  if (picture == nullptr || inputs_.size() != (mask != nullptr ? 2 : 1)) {
    return fail(Fault::unsupported,
                "a picture is one input, and the model has " + std::to_string(inputs_.size()));
  }
  Sample sample;
  if (!processor_) {
    HONE_TRY(sample[picture->name], load_image(file, *picture, images_));
    return sample;
  }
  HONE_TRY(ProcessedImage made, process_image(file, *picture, *processor_));
  sample[picture->name] = std::move(made.picture);
  if (mask != nullptr) {
    if (made.mask == nullptr || !takes_shape(mask->type, made.mask->dims) ||
        mask->type.element != made.mask->type) {
      return fail(Fault::unsupported, "the input 'pixel_mask' takes " + to_string(mask->type),
                  printable(processor_->file) + " makes no such mask");
    }
    sample[mask->name] = std::move(made.mask);
  }
  return sample;
}

Status EvalData::load_class_file() {
  const ClassFile& next = files_[next_file_++];
  std::vector<Sample> samples;
  if (is_image_file(next.file)) {
    HONE_TRY(Sample sample, load_picture(next.file));
    samples.push_back(std::move(sample));
  } else {
    HONE_TRY(LoadedSamples loaded, load_samples(next.file, inputs_));
    samples = std::move(loaded.samples);
  }
  for (Sample& sample : samples) loaded_.push_back({std::move(sample), Json(next.label)});
  return done();
}

Result<std::optional<LabelledSample>> EvalData::next_of_stream() {
  HONE_TRY(std::optional<Sample> sample, stream_->next());
  const std::size_t labels = labels_ ? labels_->size() : 0;
  if (labels_ && sample.has_value() == (given_ >= labels) && (sample || given_ < limit_)) {
    return misuse("the data has " + std::string(sample ? "more" : "fewer") + " samples than its " +
                      counted(labels, "label"),
                  "labels.json holds one label per sample, in the order of the files' names");
  }
  if (!sample) return std::optional<LabelledSample>();
  const Json label = labels_ ? (*labels_)[given_] : Json();
  ++given_;
  return std::optional<LabelledSample>({*std::move(sample), label});
}

Result<std::optional<LabelledSample>> EvalData::next() {
  if (stream_) return next_of_stream();
  if (given_ >= limit_) return std::optional<LabelledSample>();
  while (loaded_.empty() && next_file_ < files_.size()) HONE_TRY_DO(load_class_file());
  if (loaded_.empty()) return std::optional<LabelledSample>();
  std::optional<LabelledSample> sample = std::move(loaded_.front());
  loaded_.pop_front();
  ++given_;
  return sample;
}

}  // namespace hone
