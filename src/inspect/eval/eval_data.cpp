#include "inspect/eval/eval_data.h"

#include <algorithm>
#include <charconv>

#include "base/counted.h"
#include "base/folder.h"
#include "base/hash_file.h"
#include "base/misuse.h"
#include "base/random.h"
#include "base/text.h"
#include "inspect/eval/rows/class_files.h"

namespace hone {
namespace {

constexpr std::size_t most_broken_rows = 20;

Result<std::vector<Path>> folders_in(const Path& folder) {
  HONE_TRY(const std::vector<FolderEntry> entries, list_folder(folder));
  std::vector<Path> found;
  for (const FolderEntry& entry : entries)
    if (entry.is_folder()) found.push_back(entry.path);
  return found;
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

const Task* task_of_files(const Task* task) {
  return task != nullptr && task->encode != nullptr ? task : known_task("image-classification");
}

Error said(const Error& error) {
  Error whole = error;
  if (!error.cause.empty()) whole.what += " (" + error.cause + ")";
  return whole;
}

}  // namespace

Path labels_path(const Path& data) {
  if (std::filesystem::is_directory(data)) return data / "labels.json";
  return Path(data).replace_extension(".labels.json");
}

Result<EvalData> EvalData::open(DataRequest request) {
  const Path data = request.data;
  std::error_code problem;
  if (!std::filesystem::exists(std::filesystem::status(data, problem))) {
    return fail(Fault::not_found, "cannot read '" + data.string() + "'", problem.message(),
                "name a folder of samples, or a file of rows or arrays: docs/eval.md");
  }
  EvalData opened;
  opened.request_ = std::move(request);
  if (std::filesystem::exists(labels_path(data))) {
    HONE_TRY(EvalLabels labels, read_labels(labels_path(data)));
    opened.task_ = labels.task;
    opened.labels_ = std::move(labels.labels);
  } else if (std::filesystem::is_directory(data)) {
    HONE_TRY_DO(opened.read_card(data));
    HONE_TRY(const Path table, find_table(data, opened.split_files_, opened.request_.split));
    if (!table.empty()) {
      HONE_TRY_DO(opened.open_table(table));
      return opened;
    }
    HONE_TRY(const std::vector<Path> folders, folders_in(data));
    HONE_TRY_DO(opened.open_folder(folders));
    if (opened.is_labelled()) return opened;
  } else if (is_row_file(data)) {
    HONE_TRY_DO(opened.read_card(data.parent_path()));
    HONE_TRY_DO(opened.open_table(data));
    return opened;
  }
  HONE_TRY(opened.stream_,
           SampleStream::from_files(data, opened.request_.encoding.inputs, opened.request_.limit));
  return opened;
}

// What was said goes before what the card says.
Status EvalData::read_card(const Path& folder) {
  const Path file = folder / "dataset.json";
  if (!std::filesystem::exists(file)) return done();
  HONE_TRY(const std::string text, read_file(file));
  const auto json = Json::parse(text);
  const auto card = json ? from_document<DatasetCard>(*json, eval_schema_version)
                         : Result<DatasetCard>(fail(json.error()));
  if (!card) {
    return fail(Fault::bad_input, "'" + file.string() + "' says nothing of the data",
                card.error().what, "docs/eval.md has the format");
  }
  request_.columns.insert(card->columns.begin(), card->columns.end());
  request_.encoding.classes.rename(card->labels);
  split_files_ = card->files;
  return done();
}

Status EvalData::open_folder(const std::vector<Path>& folders) {
  HONE_TRY(const bool holds_arrays, are_class_arrays(folders));
  if (holds_arrays) return find_class_arrays(folders);
  const Task* task = task_of_files(request_.task);
  HONE_TRY(rows_,
           open_folder_rows(request_.data, folders, *task, request_.encoding.classes.names()));
  if (rows_ == nullptr) return done();
  table_ = request_.data;
  return open_encoder(*task, request_.data);
}

Status EvalData::open_encoder(const Task& task, const Path& folder) {
  request_.task = &task;
  request_.encoding.folder = folder;
  if (request_.find_processor && task.feed != Feed::tokens) {
    HONE_TRY(request_.encoding.processor, request_.find_processor());
  }
  request_.find_processor = nullptr;
  HONE_TRY(encoder_, task.encode(request_.encoding));
  return request_.shuffle ? draw_rows() : done();
}

Status EvalData::find_class_arrays(const std::vector<Path>& classes) {
  const std::vector<std::uint64_t> numbers = numbers_of_folders(classes);
  for (std::size_t i = 0; i < classes.size(); ++i) {
    HONE_TRY(const std::vector<Path> files, files_in(classes[i]));
    for (const Path& file : files)
      if (file.extension() == ".npz") files_.push_back({file, numbers[i]});
  }
  return done();
}

Status EvalData::open_table(const Path& file) {
  if (request_.task == nullptr || request_.task->encode == nullptr) {
    return fail(Fault::bad_input, "'" + file.string() + "' has rows, and no task says what of", {},
                "hone eval --schema TASK says what rows a task takes; else give arrays (.npz)");
  }
  HONE_TRY(rows_, open_rows(file));
  table_ = file;
  return open_encoder(*request_.task, file.parent_path());
}

// A sample of the rows, each with the same chance, in the order of the file. Memory is theirs.
Status EvalData::draw_rows() {
  if (request_.limit == SampleStream::no_limit)
    return misuse("--shuffle needs to know how many rows to draw", "--samples N");
  Random random(mix64(request_.seed));
  std::vector<std::pair<std::uint64_t, Row>> kept;
  for (std::uint64_t seen = 0;; ++seen) {
    HONE_TRY(std::optional<Row> row, rows_->next());
    if (!row) break;
    if (kept.size() < request_.limit) {
      kept.emplace_back(seen, *std::move(row));
    } else if (const std::uint64_t place = random.below(seen + 1); place < request_.limit) {
      kept[place] = {seen, *std::move(row)};
    }
  }
  std::ranges::sort(kept, {}, &std::pair<std::uint64_t, Row>::first);
  drawn_.emplace();
  for (auto& [place, row] : kept) drawn_->push_back(std::move(row));
  return done();
}

std::uint64_t EvalData::size() const {
  const std::size_t there = labels_ ? labels_->size() : files_.size();
  return std::min(there, request_.limit);
}

EvalSamples EvalData::used() const {
  EvalSamples used = used_;
  used.sha256 = hash_text_;
  return used;
}

std::map<std::string, std::string> EvalData::described() const {
  if (encoder_ != nullptr) return encoder_->described();
  return {{"input", "arrays, as they are in the files"}};
}

void EvalData::add_to_hash(std::string_view content) {
  // A chain, so that what was read so far has a hash at any time.
  hash_text_ = Sha256().add_field(hash_text_).add_field(content).finish().hex();
}

Status EvalData::load_class_file() {
  const ClassFile& next = files_[next_file_++];
  HONE_TRY(LoadedSamples loaded, load_samples(next.file, request_.encoding.inputs));
  for (Sample& sample : loaded.samples) loaded_.push_back({std::move(sample), Json(next.label), 0});
  return done();
}

Result<std::optional<Row>> EvalData::next_row() {
  if (!drawn_) return rows_->next();
  if (drawn_->empty()) return std::optional<Row>();
  Row row = std::move(drawn_->front());
  drawn_->pop_front();
  return std::optional(std::move(row));
}

// The task's columns under the task's names.
Json EvalData::mapped(const Json& columns) const {
  Json row = Json::object();
  for (const ColumnFacts& column : request_.task->columns) {
    const auto renamed = request_.columns.find(std::string(column.name));
    const std::string name =
        renamed != request_.columns.end() ? renamed->second : std::string(column.name);
    if (const Json* value = columns.find(name)) row.set(column.name, *value);
  }
  return row;
}

void EvalData::add_broken(const std::string& where, const Error& error) {
  ++used_.broken;
  if (used_.broken_rows.size() < most_broken_rows)
    used_.broken_rows.push_back({where, said(error).what});
}

// Names of files are nobody's content: what is in them is.
Result<std::string> EvalData::content_of(const Json& row) const {
  Json content = Json::object();
  for (const ColumnFacts& column : request_.task->columns) {
    const Json* value = row.find(column.name);
    if (value == nullptr) continue;
    const std::string* path = column.is_file ? value->as_string() : nullptr;
    if (path == nullptr) {
      content.set(column.name, *value);
      continue;
    }
    HONE_TRY(const Digest digest, hash_of_file(request_.encoding.folder / *path));
    content.set(column.name, digest.hex());
  }
  return content.canonical();
}

Status EvalData::add_row(const Row& row) {
  if (!row.problem.empty()) return fail(Fault::bad_input, row.problem);
  const Json columns = mapped(row.columns);
  for (const ColumnFacts& column : request_.task->columns) {
    if (!column.is_required || columns.find(column.name) != nullptr) continue;
    return fail(Fault::bad_input, "it has no column '" + std::string(column.name) + "'",
                "--columns " + std::string(column.name) + "=NAME says which one it is");
  }
  HONE_TRY(std::vector<LabelledSample> samples, encoder_->encode(columns));
  HONE_TRY(const std::string content, content_of(columns));
  add_to_hash(content);
  for (LabelledSample& sample : samples) {
    sample.row = given_;
    loaded_.push_back(std::move(sample));
  }
  return done();
}

Status EvalData::load_row() {
  HONE_TRY(const std::optional<Row> row, next_row());
  if (!row) {
    is_over_ = true;
    return done();
  }
  if (const Status added = add_row(*row); !added) {
    add_broken(table_.filename().string() + ", " + std::string(rows_->counted_by()) + " " +
                   std::to_string(row->line),
               added.error());
    return done();
  }
  ++given_;
  return done();
}

Result<std::optional<LabelledSample>> EvalData::next_of_stream() {
  HONE_TRY(std::optional<Sample> sample, stream_->next());
  const std::size_t labels = labels_ ? labels_->size() : 0;
  if (labels_ && sample.has_value() == (given_ >= labels) && (sample || given_ < request_.limit)) {
    return misuse("the data has " + std::string(sample ? "more" : "fewer") + " samples than its " +
                      counted(labels, "label"),
                  "labels.json holds one label per sample, in the order of the files' names");
  }
  if (!sample) return std::optional<LabelledSample>();
  return given_array(*std::move(sample), labels_ ? (*labels_)[given_] : Json());
}

std::optional<LabelledSample> EvalData::given_array(Sample sample, Json label) {
  Sha256 hash;
  for (const auto& [name, tensor] : sample) {
    hash.add_field(name);
    for (const std::int64_t dim : tensor->dims) hash.add_number(static_cast<std::uint64_t>(dim));
    hash.add_field(tensor->dense.view());
  }
  add_to_hash(hash.add_field(label.canonical()).finish().hex());
  return LabelledSample{std::move(sample), std::move(label), given_++};
}

Result<std::optional<LabelledSample>> EvalData::next() {
  if (stream_) return next_of_stream();
  while (loaded_.empty() && rows_ != nullptr && !is_over_ && given_ < request_.limit)
    HONE_TRY_DO(load_row());
  if (rows_ == nullptr && given_ >= request_.limit) return std::optional<LabelledSample>();
  while (loaded_.empty() && next_file_ < files_.size()) HONE_TRY_DO(load_class_file());
  if (loaded_.empty()) return std::optional<LabelledSample>();
  LabelledSample sample = std::move(loaded_.front());
  loaded_.pop_front();
  if (rows_ != nullptr) return std::optional(std::move(sample));
  return given_array(std::move(sample.sample), std::move(sample.label));
}

}  // namespace hone
