#include "pipeline/build_folder.h"

#include <algorithm>

#include "base/folder.h"
#include "base/hash.h"
#include "base/hash_file.h"
#include "model/model.h"
#include "transform/compile/context.h"

namespace hone {
namespace {

// Of older builds, killed ones among them: a model that is kept here under another name may need
// it.
void remove_older_data(const std::vector<Path>& made, const Path& folder) {
  const std::string data = std::string(build_model_name) + ".data";
  const bool is_made =
      std::ranges::any_of(made, [&](const Path& file) { return file.filename() == data; });
  std::error_code ignored;
  if (!is_made && std::filesystem::exists(folder / data, ignored) &&
      !is_data_of_a_model(folder, data)) {
    std::filesystem::remove(folder / data, ignored);
  }
  remove_unused_blobs(folder / build_model_name);
}

Status place_files(const Path& stage, const Path& folder) {
  const Path model = stage / build_model_name;
  HONE_TRY(const std::vector<Path> files, files_of_stage(stage));
  HONE_TRY(const std::set<Path> of_model, files_of_model(model));
  // The model last: whoever sees it finds all of it.
  for (const Path& file : files) {
    if (!of_model.contains(file)) HONE_TRY_DO(clone_file(file, folder / file.filename()));
  }
  HONE_TRY_DO(place_model(model, folder / build_model_name, Placing::copy, true));
  remove_older_data(files, folder);
  return done();
}

Result<BuildReceipt> read_receipt(const Path& folder) {
  HONE_TRY(const std::string text, read_file(folder / build_receipt_name));
  HONE_TRY(const Json document, Json::parse(text));
  return from_document<BuildReceipt>(document, build_schema_version);
}

}  // namespace

Result<std::set<Path>> files_of_model(const Path& model) {
  HONE_TRY(const Model loaded, load_model(model));
  std::set<Path> files = {model};
  for_each_tensor(loaded, [&](const TensorPtr& tensor, const Node*) {
    if (tensor->external) files.insert(model.parent_path() / tensor->external->location);
  });
  return files;
}

Result<std::string> hash_of_model_files(const Path& model) {
  HONE_TRY(const std::set<Path> files, files_of_model(model));
  return hash_of_named_files({files.begin(), files.end()});
}

Result<std::vector<Path>> files_of_stage(const Path& folder) {
  HONE_TRY(std::vector<Path> files, files_in(folder));
  std::erase_if(files, [](const Path& file) {
    return file.filename() == stage_effect_name || file.filename() == "manifest.json";
  });
  return files;
}

Result<std::string> hash_of_named_files(const std::vector<Path>& files) {
  Sha256 hash;
  for (const Path& file : files) {
    hash.add_field(file.filename().string());
    HONE_TRY_DO(add_files(hash, {file}));
  }
  return hash.finish().hex();
}

Status write_receipt(const Path& folder, const BuildReceipt& receipt) {
  return write_file(folder / build_receipt_name,
                    to_document(receipt, build_schema_version).dump() + "\n");
}

Status write_recipe(const Path& folder, const Recipe& recipe) {
  return write_file(folder / build_recipe_name,
                    to_document(recipe, recipe_schema_version).dump() + "\n");
}

std::optional<BuildReceipt> unsettled_build(const Path& folder) {
  auto receipt = read_receipt(folder);
  if (!receipt || !receipt->final_artifact || *receipt->final_artifact == build_model_name)
    return std::nullopt;
  std::error_code unknown;
  const bool is_whole = check_stays_inside(*receipt->final_artifact) &&
                        std::filesystem::exists(folder / *receipt->final_artifact, unknown);
  return is_whole ? std::optional(*std::move(receipt)) : std::nullopt;
}

Status settle_build(const Path& folder, BuildReceipt& receipt) {
  HONE_TRY_DO(write_receipt(folder, receipt));
  HONE_TRY_DO(place_files((folder / *receipt.final_artifact).parent_path(), folder));
  HONE_TRY_DO(write_recipe(folder, receipt.recipe));
  receipt.final_artifact = build_model_name;
  return write_receipt(folder, receipt);
}

}  // namespace hone
