#include "catalog/cell_outcome.h"

#include <algorithm>

#include "base/hash_file.h"
#include "catalog/new_folder.h"

namespace hone {
namespace {

std::optional<double> number_in(const Json& object, std::string_view name) {
  const Json* value = object.find(name);
  if (value == nullptr) return std::nullopt;
  const auto number = value->to_double();
  return number ? std::optional(*number) : std::nullopt;
}

std::optional<std::string> text_in(const Json& object, std::string_view name) {
  const Json* value = object.find(name);
  const std::string* text = value == nullptr ? nullptr : value->as_string();
  return text == nullptr ? std::nullopt : std::optional(*text);
}

}  // namespace

void take_outcome(SweepCell& cell, const CellOutcome& outcome) {
  cell.status = outcome.status;
  cell.failure = outcome.failure;
  cell.files = outcome.files;
  cell.seconds = outcome.seconds;
  cell.bytes = 0;
  for (const PackageEntry& file : outcome.files) cell.bytes += file.bytes;
  cell.latency_ms = number_in(outcome.result, "latency_ms");
  cell.accuracy = text_in(outcome.result, "accuracy");
  cell.champion = text_in(outcome.result, "champion");
  cell.p_value = number_in(outcome.result, "p_value");
  cell.final_p.clear();
  const Json* tests = outcome.result.find("final_p");
  if (tests == nullptr || tests->as_array() == nullptr) return;
  for (const Json& one : *tests->as_array()) cell.final_p.push_back(one.to_double().value_or(1));
}

bool are_held(const ContentStore& store, const CellOutcome& outcome) {
  return std::ranges::all_of(outcome.files, [&](const PackageEntry& file) {
    const auto path = store.find(file.sha256);
    std::error_code problem;
    return path && std::filesystem::file_size(*path, problem) == file.bytes;
  });
}

bool are_sound(const ContentStore& store, const CellOutcome& outcome) {
  std::vector<Path> paths;
  for (const PackageEntry& file : outcome.files) {
    const auto path = store.find(file.sha256);
    if (!path) return false;
    paths.push_back(*path);
  }
  const std::vector<Result<Digest>> digests = hash_of_files(paths);
  for (std::size_t i = 0; i < paths.size(); ++i)
    if (!digests[i] || digests[i]->hex() != outcome.files[i].sha256) return false;
  return true;
}

Status put_back(const ContentStore& store, const CellOrder& job, const CellOutcome& outcome) {
  const Path folder = job.folder;
  std::error_code problem;
  if (std::filesystem::exists(folder, problem)) return done();
  std::filesystem::create_directories(folder.parent_path(), problem);
  // As a whole: a part of it would be taken for all of it the next time.
  HONE_TRY(NewFolder made, NewFolder::create(folder));
  for (const PackageEntry& file : outcome.files) {
    HONE_TRY(const Path to, made.place_for(file.path));
    HONE_TRY_DO(store.place(file.sha256, to));
  }
  if (outcome.receipt.as_object() != nullptr)
    HONE_TRY_DO(write_file(made.path() / "receipt.json", outcome.receipt.dump() + "\n"));
  return made.commit();
}

}  // namespace hone
