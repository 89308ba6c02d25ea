#include "flow/search/key.h"

#include "base/hash_file.h"

namespace hone {
namespace {

// Each with a field before it that says whether there is one.
Status add_named(const std::string& name, Sha256& hash) {
  hash.add_number(name.empty() ? 0 : 1);
  return name.empty() ? done() : add_contents(hash, name);
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

}  // namespace hone
