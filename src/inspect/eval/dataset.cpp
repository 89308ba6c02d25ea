#include "inspect/eval/dataset.h"

#include "base/folder.h"
#include "base/misuse.h"
#include "base/text.h"
#include "inspect/eval/eval_data.h"
#include "model/elements.h"
#include "model/npz/npz.h"

namespace hone {
namespace {

// Some 15 MB of text lines: small beside a model, and few enough files.
constexpr std::uint64_t samples_per_file = 64;

// Five digits, so that the order of names is that of numbers.
std::string name_of_file(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  return "samples-" + std::string(digits.size() < 5 ? 5 - digits.size() : 0, '0') + digits + ".npz";
}

bool is_sample_file(const Path& file) { return file.extension() == ".npz"; }

Status make_room(const Path& folder, bool overwrite) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) return fail(Fault::io, "cannot make '" + folder.string() + "'", problem.message());
  HONE_TRY(std::vector<Path> old, files_in(folder));
  std::erase_if(
      old, [&](const Path& file) { return !is_sample_file(file) && file != labels_path(folder); });
  if (!old.empty() && !overwrite) {
    return misuse("there is data in '" + folder.string() + "' already",
                  "choose another folder, or --overwrite");
  }
  // Labels first: what is left by an interruption has none.
  std::filesystem::remove(labels_path(folder), problem);
  for (const Path& file : old) std::filesystem::remove(file, problem);
  return problem
             ? Status(fail(Fault::io, "cannot clear '" + folder.string() + "'", problem.message()))
             : done();
}

}  // namespace

Result<DatasetWriter> DatasetWriter::create(const Path& folder, bool overwrite) {
  HONE_TRY_DO(make_room(folder, overwrite));
  return DatasetWriter(folder);
}

Status DatasetWriter::add(const Sample& sample, Json label) {
  const std::string index = std::to_string(samples());
  for (const auto& [name, tensor] : sample) {
    arrays_.push_back(make_tensor(index + "/" + name, tensor->type, tensor->dims, tensor->dense));
  }
  labels_.labels.push_back(std::move(label));
  return ++in_file_ < samples_per_file ? done() : write_file();
}

Status DatasetWriter::write_file() {
  if (in_file_ == 0) return done();
  HONE_TRY_DO(write_npz(folder_ / name_of_file(files_), arrays_));
  arrays_.clear();
  in_file_ = 0;
  ++files_;
  return done();
}

Status DatasetWriter::finish(std::string_view task, Json made) {
  HONE_TRY_DO(write_file());
  labels_.task = task;
  labels_.made = std::move(made);
  return hone::write_file(labels_path(folder_),
                          to_document(labels_, eval_schema_version).dump() + "\n");
}

Result<MadeData> make_dataset(const Dataset& dataset, DatasetRequest request) {
  if (request.count == 0) request.count = dataset.kind.count;
  HONE_TRY(DatasetWriter writer, DatasetWriter::create(request.output, request.overwrite));
  HONE_TRY(const Json parts, dataset.kind.make(request, writer));
  Json made = Json::object();
  made.set("dataset", std::string(dataset.kind.name));
  made.set("seed", request.seed);
  made.set("count", request.count);
  made.set("noisy", request.noisy);
  made.set("from", parts);
  HONE_TRY_DO(writer.finish(dataset.task, std::move(made)));
  return MadeData{.dataset = std::string(dataset.kind.name),
                  .output = request.output.string(),
                  .samples = writer.samples(),
                  .files = writer.files()};
}

TensorPtr make_float_input(const std::string& name, std::vector<std::int64_t> dims,
                           std::span<const double> numbers) {
  std::string bytes(numbers.size() * sizeof(float), '\0');
  encode_elements(ElementType::float32, numbers, bytes.data());
  return make_tensor(name, ElementType::float32, std::move(dims), Blob::own(std::move(bytes)));
}

}  // namespace hone
