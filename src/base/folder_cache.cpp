#include "base/folder_cache.h"

#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <vector>

#include "base/folder.h"
#include "base/hash_file.h"
#include "base/json.h"
#include "base/remains.h"

namespace hone {
namespace {

constexpr auto manifest_name = "manifest.json";

Status write_manifest(const Path& folder) {
  HONE_TRY(const std::vector<Path> files, files_below(folder));
  Json list = Json::object();
  for (const Path& file : files) {
    HONE_TRY(const Digest digest, hash_of_file(file));
    list.set(file.lexically_relative(folder).generic_string(), digest.hex());
  }
  return write_file(folder / manifest_name, Json::object().set("files", list).dump() + "\n");
}

bool is_whole(const Path& folder) {
  const auto text = read_file(folder / manifest_name);
  const auto manifest = text ? Json::parse(*text) : Result<Json>(fail(text.error()));
  const Json* files = manifest ? manifest->find("files") : nullptr;
  if (files == nullptr || files->as_object() == nullptr) return false;
  return std::ranges::all_of(*files->as_object(), [&](const Json::Member& member) {
    if (!check_stays_inside(member.first)) return false;
    const auto digest = hash_of_file(folder / member.first);
    return digest && member.second.as_string() != nullptr &&
           *member.second.as_string() == digest->hex();
  });
}

std::string unique_suffix() {
  static std::uint64_t count = 0;
  return std::to_string(::getpid()) + "-" + std::to_string(++count);
}

}  // namespace

std::optional<Path> FolderCache::find(const std::string& key) const {
  const Path folder = root_ / key;
  std::error_code unknown;
  if (!std::filesystem::exists(folder, unknown)) return std::nullopt;
  if (is_whole(folder)) return folder;
  // Out of the way, so that a new one can take its place; kept, for somebody may want to know why.
  std::filesystem::rename(folder, root_ / (key + ".broken-" + unique_suffix()), unknown);
  return std::nullopt;
}

Status FolderCache::forget(const std::string& key) {
  // Renamed first: who is about to use it finds all of it or nothing.
  const Path leaving = root_ / (key + ".leaving-" + unique_suffix());
  std::error_code problem;
  std::filesystem::rename(root_ / key, leaving, problem);
  if (problem == std::errc::no_such_file_or_directory) return done();
  if (!problem) std::filesystem::remove_all(leaving, problem);
  if (problem)
    return fail(Fault::io, "cannot remove '" + leaving.string() + "'", problem.message());
  return done();
}

Result<Path> FolderCache::put(const std::string& key,
                              const std::function<Status(const Path& folder)>& fill) {
  const Path folder = root_ / key;
  const Path making = root_ / (key + ".making-" + unique_suffix());
  for (const char* left : {".making-", ".leaving-"}) remove_folders_left(root_ / (key + left));
  std::error_code problem;
  std::filesystem::create_directories(making, problem);
  if (problem) return fail(Fault::io, "cannot make '" + making.string() + "'", problem.message());
  const Descriptor lock = hold_folder(making);
  Status filled = fill(making);
  if (filled) filled = write_manifest(making);
  if (filled) {
    std::filesystem::rename(making, folder, problem);
    if (!problem) return folder;
    if (find(key)) {
      std::filesystem::remove_all(making, problem);
      return folder;
    }
    filled = fail(Fault::io, "cannot finish '" + folder.string() + "'", problem.message());
  }
  std::error_code ignored;
  std::filesystem::remove_all(making, ignored);
  return fail(std::move(filled).error());
}

}  // namespace hone
