#include "catalog/cell_checks.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/counted.h"
#include "base/file.h"
#include "base/hash.h"
#include "catalog/matrix.h"
#include "catalog/oci/repository.h"
#include "catalog/package_version.h"
#include "pipeline/build.h"
#include "pipeline/policy.h"

namespace hone {
namespace {

constexpr auto final_name = "model.onnx";
constexpr std::uint64_t most_recipe_bytes = std::uint64_t{4} << 20;

// "1f2e3d4c5b6a": enough for a person to tell two hashes apart.
std::string start_of(const std::string& hash) { return hash.substr(0, 12); }

VerifyCheck passed(std::string name, std::string measured) {
  return {std::move(name), CheckVerdict::pass, std::move(measured)};
}

VerifyCheck failed(std::string name, std::string why) {
  return {std::move(name), CheckVerdict::fail, std::move(why)};
}

VerifyCheck settled(std::string name, const Result<std::string>& measured) {
  if (measured) return passed(std::move(name), *measured);
  const Error& error = measured.error();
  return failed(std::move(name),
                error.cause.empty() ? error.what : error.what + ": " + error.cause);
}

Failure differs(std::string what) { return fail(Fault::runtime, std::move(what)); }

Result<std::string> check_version(const CellEvidence& evidence, const std::string& asked) {
  const bool is_it =
      oci::is_digest(asked) || asked == evidence.version || asked == oci::tag_of(evidence.version);
  if (!is_it) return differs("the evidence is of '" + evidence.version + "'");
  return evidence.version + ", " + evidence.model + " for " + evidence.target.label;
}

// A version tells the cell; the stamp of its run is whatever stands before that.
bool tells(const std::string& version, const CellEvidence& evidence) {
  VersionParts parts{.run_stamp = {},
                     .label = evidence.target.label,
                     .model = evidence.model,
                     .task = evidence.task};
  const std::size_t begin = version_prefix("").size() - 1;
  for (std::size_t end = version.find('-', begin); end != std::string::npos;
       end = version.find('-', end + 1)) {
    parts.run_stamp = version.substr(begin, end - begin);
    if (version_of(parts) == version) return true;
  }
  return false;
}

// The label, the target of the cell and that of its recipe are one.
Result<std::string> check_target(const CellEvidence& evidence) {
  const SweepTarget& published = evidence.target;
  if (!tells(evidence.version, evidence))
    return differs("'" + evidence.version + "' is not the version of " + evidence.model + " for " +
                   published.label);
  HONE_TRY_DO(check_label(published));
  const Target wanted = target_of_recipe(published.target);
  const Target& built = evidence.recipe.target;
  const std::string name = wanted.ep + "/" + wanted.device;
  if (wanted.ep != built.ep || wanted.device != built.device)
    return differs("it is published for " + name + ", and its recipe is for " + built.ep + "/" +
                   built.device);
  return published.label + " is " + name + ", as in the recipe";
}

Result<std::string> check_files(const CellEvidence& evidence, const Fetched& package) {
  const auto in_order = [](std::vector<PackageEntry> files) {
    std::ranges::sort(files, {}, &PackageEntry::path);
    return files;
  };
  const std::vector<PackageEntry> claimed = in_order(evidence.files);
  const std::vector<PackageEntry> there = in_order(package.files);
  const auto [a, b] =
      std::ranges::mismatch(claimed, there, [](const PackageEntry& one, const PackageEntry& other) {
        return std::tie(one.path, one.sha256, one.bytes) ==
               std::tie(other.path, other.sha256, other.bytes);
      });
  if (a == claimed.end() && b == there.end())
    return counted(there.size(), "file") + ", as the evidence has them";
  const std::string& path = a == claimed.end() ? b->path : a->path;
  return differs("the evidence has '" + path + "' otherwise than the package");
}

Result<std::string> check_recipe_hash(const CellEvidence& evidence, const Fetched& package) {
  const std::string hash = hash_of(evidence.recipe);
  if (hash != evidence.recipe_sha256)
    return differs("the evidence's recipe has the hash " + start_of(hash) + " instead of " +
                   start_of(evidence.recipe_sha256));
  if (hash != hash_of(evidence.receipt.recipe) || hash != evidence.receipt.recipe_sha256)
    return differs("the receipt is of another recipe");
  HONE_TRY(const Recipe there, recipe_in(package, ""));
  if (hash_of(there) != hash)
    return differs("recipe.json has the hash " + start_of(hash_of(there)) + " instead of " +
                   start_of(hash));
  return start_of(hash) + " in evidence, receipt and recipe.json";
}

Result<std::string> hash_of_artifact(const Fetched& package, const std::string& path) {
  if (!has_file(package, path)) return differs("'" + path + "' is not in the package");
  return hash_of_model_files(Path(package.folder) / path);
}

// What is below stages/ is a stage's, and not left over from another build.
Status check_stage_files(const BuildReceipt& receipt, const Fetched& package) {
  std::set<Path> known;
  for (const StageReceipt& stage : receipt.stages) {
    if (stage.status == StageStatus::skipped || !stage.artifact) continue;
    HONE_TRY(std::set<Path> files, files_of_model(Path(package.folder) / *stage.artifact));
    known.merge(std::move(files));
  }
  for (const PackageEntry& file : package.files) {
    if (file.path.starts_with("stages/") && !known.contains(Path(package.folder) / file.path))
      return differs("'" + file.path + "' is of no stage of the receipt");
  }
  return done();
}

// Each stage began with what the one before it left, and left what the package has.
Result<std::string> check_receipt(const CellEvidence& evidence, const Fetched& package) {
  const BuildReceipt& receipt = evidence.receipt;
  if (hash_of(receipt) != evidence.receipt_sha256)
    return differs("the receipt is not the one the evidence was made with");
  std::string current = receipt.model_sha256;
  std::size_t stages = 0;
  for (const StageReceipt& stage : receipt.stages) {
    if (stage.status == StageStatus::failed) return differs("the stage " + stage.name + " failed");
    if (stage.status == StageStatus::skipped) continue;
    if (!stage.input || !stage.output || !stage.artifact)
      return differs("the stage " + stage.name + " has no hashes");
    if (*stage.input != current)
      return differs("the stage " + stage.name + " began with other bytes than it was left");
    HONE_TRY(const std::string there, hash_of_artifact(package, *stage.artifact));
    if (there != *stage.output)
      return differs("'" + *stage.artifact + "' is not what the stage " + stage.name + " left");
    current = *stage.output;
    ++stages;
  }
  if (!receipt.final_artifact || receipt.final_sha256 != current)
    return differs("the build did not end with its last stage");
  // Whatever else the receipt names: this is what people run.
  if (*receipt.final_artifact != final_name)
    return differs("the build ended with '" + *receipt.final_artifact + "' instead of '" +
                   final_name + "'");
  HONE_TRY(const std::string built, hash_of_artifact(package, final_name));
  if (built != current) return differs("'" + std::string(final_name) + "' is not what was built");
  HONE_TRY_DO(check_stage_files(receipt, package));
  return counted(stages, "stage") + " from " + start_of(receipt.model_sha256) + " to " +
         start_of(current) + ", each with the bytes of its receipt";
}

// What a search says it measured is what the package has.
Result<std::string> check_champion(const CellEvidence& evidence, const Fetched& package) {
  HONE_TRY(const std::string there, hash_of_artifact(package, "champion/model.onnx"));
  const Json* found = evidence.result.find("search");
  if (found == nullptr) return differs("the evidence has no search");
  HONE_TRY(const SearchResult search, from_document<SearchResult>(*found, search_schema_version));
  for (const SearchArm& arm : search.arms) {
    if (arm.hypothesis.id != search.champion) continue;
    if (arm.built && arm.built->sha256 == there) return *search.champion + ", as it was measured";
    return differs("champion/model.onnx is not what was measured");
  }
  return differs("the search has no champion");
}

}  // namespace

bool has_file(const Fetched& package, const std::string& path) {
  return std::ranges::find(package.files, path, &PackageEntry::path) != package.files.end();
}

Result<Recipe> recipe_in(const Fetched& package, const std::string& folder) {
  const std::string path = folder.empty() ? "recipe.json" : folder + "/recipe.json";
  if (!has_file(package, path))
    return fail(Fault::not_found, "'" + path + "' is not in the package");
  HONE_TRY(const std::string text, read_file(Path(package.folder) / path, most_recipe_bytes));
  HONE_TRY(const Json document, Json::parse(text));
  return from_document<Recipe>(document, recipe_schema_version);
}

std::string hash_of(const BuildReceipt& receipt) {
  return sha256(to_json(receipt).canonical()).hex();
}

std::vector<VerifyCheck> check_cell(const CellEvidence& evidence, const Fetched& package,
                                    const std::string& asked) {
  std::vector<VerifyCheck> checks;
  checks.push_back(settled("version", check_version(evidence, asked)));
  checks.push_back(settled("target", check_target(evidence)));
  checks.push_back(settled("files", check_files(evidence, package)));
  checks.push_back(settled("recipe", check_recipe_hash(evidence, package)));
  checks.push_back(settled("receipt", check_receipt(evidence, package)));
  if (has_file(package, "champion/model.onnx"))
    checks.push_back(settled("champion", check_champion(evidence, package)));
  return checks;
}

}  // namespace hone
