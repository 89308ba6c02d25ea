#include "flow/export/cached.h"

#include <algorithm>

#include "base/folder.h"
#include "base/folder_cache.h"
#include "base/hash_file.h"
#include "flow/export/export.h"
#include "flow/version.h"

namespace hone {
namespace {

// Beside the models: what they were made of, and the state of the files that they were left in.
constexpr auto about_name = "export.json";

struct AboutExport {
  ExportedFrom from;
  std::vector<std::string> stamps;
};
template <RecordOf<AboutExport> Self>
void for_each_field(Self& about, auto&& field) {
  field("from", about.from, Presence::required);
  field("stamps", about.stamps);
}

// Hashing 500 MB takes longer than the export: a file is known again by its name, size and time.
Result<Digest> digest_of(const Path& file, const Path& known) {
  std::error_code problem;
  const Path whole = std::filesystem::canonical(file, problem);
  const Path place = known / sha256(stamp_of_file(problem ? file : whole)).hex();
  const auto text = read_file(place, Digest().bytes.size());
  Digest digest;
  if (text && text->size() == digest.bytes.size()) {
    std::ranges::copy(*text, reinterpret_cast<char*>(digest.bytes.data()));
    return digest;
  }
  HONE_TRY(digest, hash_of_file(file));
  std::filesystem::create_directories(known, problem);
  if (!problem) (void)write_file(place, digest.view());
  return digest;
}

bool is_of_source(const std::string& name) {
  return name == "config.json" || name.ends_with(".safetensors") ||
         name == "model.safetensors.index.json";
}

// Of the configuration and the weights, by names and bytes.
Result<std::string> digest_of_source(const Path& checkpoint, const Path& known) {
  Sha256 hash;
  HONE_TRY(const std::vector<FolderEntry> entries, list_folder(checkpoint));
  for (const FolderEntry& entry : entries) {
    if (!entry.is_file() || !is_of_source(entry.name)) continue;
    HONE_TRY(const Digest digest, digest_of(entry.path, known));
    hash.add_field(entry.name);
    hash.add_field(digest.view());
  }
  return hash.finish().hex();
}

std::vector<std::string> stamps_in(const Path& folder) {
  std::vector<std::string> stamps;
  const auto files = files_in(folder);
  for (const Path& file : files ? *files : std::vector<Path>()) {
    if (file.extension() != ".onnx" && file.extension() != ".safetensors") continue;
    // Where it lies now: it was made under another name.
    std::string stamp = stamp_of_file(file);
    stamps.push_back(file.filename().string() + stamp.substr(file.string().size()));
  }
  return stamps;
}

// Whole, and as it was left.
std::optional<AboutExport> about_export_in(const Path& folder) {
  const auto text = read_file(folder / about_name);
  const auto document = text ? Json::parse(*text) : Result<Json>(fail(text.error()));
  if (!document) return std::nullopt;
  auto about = from_json<AboutExport>(*document);
  if (!about || about->stamps != stamps_in(folder)) return std::nullopt;
  return *std::move(about);
}

// Without ONNX Runtime it can be looked at all the same.
Result<ExportResult> export_here(ExportModelOrder order, const Watch& watch) {
  auto made = export_model(order, watch);
  if (made || made.error().trouble != Trouble::absent) return made;
  order.checks = false;
  order.overwrite = true;
  return export_model(order, watch);
}

// Made in a folder of its own, which the cache gives its name.
Result<ExportResult> fill_folder(const Path& folder, ExportModelOrder order, const Watch& watch) {
  order.output = (folder / "made").string();
  HONE_TRY(ExportResult made, export_here(order, watch));
  HONE_TRY(const std::vector<Path> files, files_in(order.output));
  std::error_code problem;
  for (const Path& file : files) {
    std::filesystem::rename(file, folder / file.filename(), problem);
    if (problem) return fail(Fault::io, "cannot keep '" + file.string() + "'", problem.message());
  }
  std::filesystem::remove_all(order.output, problem);
  return made;
}

std::string key_of(const ExportedFrom& from, ExportRecipe recipe) {
  recipe.opset = recipe.opset.value_or(usual_opset(recipe.form));
  Sha256 hash;
  hash.add_field(from.source_sha256).add_field(version_number());
  hash.add_field(to_json(recipe).canonical());
  return hash.finish().hex();
}

ExportModelOrder order_of(const Path& checkpoint, const ExportRecipe& recipe, const Host& host) {
  ExportModelOrder order;
  order.source = checkpoint.string();
  order.form = recipe.form;
  order.opset = recipe.opset.value_or(0);
  order.dtype = recipe.dtype;
  order.weights = recipe.weights;
  order.host = host;
  return order;
}

void describe(const ExportResult& made, const ExportRecipe& recipe, ExportedFrom& from) {
  from.family = made.family;
  from.task = made.task;
  from.form = made.form;
  from.opset = made.opset;
  from.dtype = made.dtype;
  from.weights = recipe.weights;
}

}  // namespace

std::optional<ExportedFrom> exported_in(const Path& folder) {
  auto about = about_export_in(folder);
  if (!about) return std::nullopt;
  return std::move(about->from);
}

Result<CachedExport> cached_export(const Path& checkpoint, const ExportRecipe& recipe,
                                   const Host& host, const Watch& watch) {
  if (host.cache.empty()) {
    return fail(Fault::not_found, "there is no place to export '" + checkpoint.string() + "' to",
                "there is no cache", "hone export " + checkpoint.string() + " -o FOLDER");
  }
  const Path root = Path(host.cache) / "exports";
  CachedExport cached;
  cached.from.source = checkpoint.string();
  HONE_TRY(cached.from.source_sha256, digest_of_source(checkpoint, Path(host.cache) / "digests"));
  const std::string key = key_of(cached.from, recipe);
  if (auto about = about_export_in(root / key)) {
    cached.folder = root / key;
    cached.from = std::move(about->from);
    cached.from.source = checkpoint.string();
    return cached;
  }
  FolderCache cache(root);
  HONE_TRY_DO(cache.forget(key));
  HONE_TRY(cached.folder, cache.put(key, [&](const Path& folder) -> Status {
    HONE_TRY(const ExportResult made,
             fill_folder(folder, order_of(checkpoint, recipe, host), watch));
    describe(made, recipe, cached.from);
    const AboutExport about{cached.from, stamps_in(folder)};
    return write_file(folder / about_name, to_json(about).dump() + "\n");
  }));
  cached.note =
      "exported " + cached.from.family + " (" + cached.from.task + ") to " + cached.folder.string();
  return cached;
}

}  // namespace hone
