#include "app/search_key.h"

#include <algorithm>

#include "base/hash.h"

namespace hone::app {
namespace {

Failure unreadable(const Path& path, const std::error_code& problem) {
  return fail(Fault::bad_input, "cannot read '" + path.string() + "'", problem.message());
}

Status add_file(const Path& file, Sha256& hash) {
  HONE_TRY(const Blob bytes, map_file(file));
  hash.add_field(sha256(bytes.view()).view());
  return done();
}

// A file by its bytes, a folder by the names and bytes of all that is in it.
Status add_contents(const Path& path, Sha256& hash) {
  std::error_code problem;
  if (!std::filesystem::is_directory(path, problem)) return add_file(path, hash);
  std::vector<Path> files;
  std::filesystem::recursive_directory_iterator entry(path, problem);
  for (; !problem && entry != std::filesystem::recursive_directory_iterator();
       entry.increment(problem)) {
    if (entry->is_regular_file()) files.push_back(entry->path());
  }
  if (problem) return unreadable(path, problem);
  std::ranges::sort(files);
  for (const Path& file : files) {
    hash.add_field(file.lexically_relative(path).generic_string());
    HONE_TRY_DO(add_file(file, hash));
  }
  return done();
}

// Each with a field before it that says whether there is one.
Status add_named(const std::string& name, Sha256& hash) {
  hash.add_number(name.empty() ? 0 : 1);
  return name.empty() ? done() : add_contents(name, hash);
}

bool is_file(const std::string& name) {
  std::error_code problem;
  return !name.empty() && std::filesystem::is_regular_file(name, problem);
}

}  // namespace

Result<std::string> conditions_key(const SearchSite& site, const std::vector<std::string>& files) {
  Sha256 hash;
  hash.add_number(site.seed).add_field(Json(to_json(site.where.least_placement)).dump());
  hash.add_field(site.shape_config);
  HONE_TRY_DO(add_named(is_file(site.shape_config) ? site.shape_config : "", hash));
  HONE_TRY_DO(add_named(site.input_data, hash));
  for (const std::string& file : files) HONE_TRY_DO(add_named(file, hash));
  return hash.finish().hex();
}

Result<std::string> gate_key(const SearchSite& site) {
  Sha256 hash;
  hash.add_field(site.task).add_field(Json(site.max_drop).canonical());
  HONE_TRY_DO(add_named(site.data, hash));
  return hash.finish().hex();
}

}  // namespace hone::app
