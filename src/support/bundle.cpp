#include "support/bundle.h"

#include <algorithm>
#include <set>

#include "base/hash.h"
#include "base/text.h"
#include "support/lines.h"

namespace hone {
namespace {

constexpr std::uint64_t most_item_bytes = std::uint64_t{16} << 20;
constexpr std::size_t most_files = 1000;

template <Record T>
Status write_item(const Path& folder, const char* name, const T& item, std::int64_t version) {
  return write_file(folder / name, to_document(item, version).dump() + "\n");
}

Result<std::vector<Path>> files_in(const Path& folder) {
  std::vector<Path> found;
  std::error_code problem;
  std::filesystem::recursive_directory_iterator entry(folder, problem);
  while (!problem && entry != std::filesystem::recursive_directory_iterator()) {
    if (!entry->is_directory()) found.push_back(entry->path().lexically_relative(folder));
    if (found.size() > most_files)
      return fail(Fault::bad_input, "'" + folder.string() + "' has too many files for a bundle");
    entry.increment(problem);
  }
  if (problem) return fail(Fault::io, "cannot list '" + folder.string() + "'", problem.message());
  std::ranges::sort(found);
  return found;
}

Result<PackageEntry> entry_of(const Path& folder, const Path& file) {
  HONE_TRY(const Blob bytes, map_file_inside(folder, file));
  return PackageEntry{file.generic_string(), sha256(bytes.view()).hex(), bytes.size()};
}

// Reads item after item; the first that cannot be read is a line, and the others are still looked
// at.
class Reader {
 public:
  explicit Reader(const Path& folder) : folder_(folder) {}

  Result<ReadBundle> run() {
    ReadBundle read;
    HONE_TRY(const std::string text, read_file(folder_ / bundle_manifest_name, most_item_bytes));
    read.manifest_sha256 = sha256(text).hex();
    Bundle bundle;
    const bool has_manifest =
        parse(bundle_manifest_name, text, bundle.manifest, support_schema_version);
    if (has_manifest) HONE_TRY_DO(check_files(bundle.manifest));
    const bool has_all = has_manifest && read_items(bundle);
    if (has_all) read.bundle = std::move(bundle);
    read.lines = lines_.take();
    return read;
  }

 private:
  Status check_files(const BundleManifest& manifest) {
    std::set<std::string> listed;
    for (const PackageEntry& entry : manifest.files) {
      const bool is_new = listed.insert(entry.path).second;
      const auto there = entry_of(folder_, entry.path);
      const bool is_same =
          is_new && there && there->sha256 == entry.sha256 && there->bytes == entry.bytes;
      const std::string what =
          !is_new ? "it is listed twice"
          : there ? "its SHA-256 is " + there->sha256 + " instead of " + printable(entry.sha256)
                  : there.error().what;
      lines_.require("bundle.hash", is_same, LineVerdict::reject, printable(entry.path), what);
    }
    HONE_TRY(const std::vector<Path> files, files_in(folder_));
    for (const Path& file : files) {
      const std::string name = file.generic_string();
      const bool is_known = name == bundle_manifest_name || listed.contains(name);
      if (is_known) continue;
      lines_.require("bundle.files", false, LineVerdict::reject, printable(name),
                     "the manifest does not have it");
    }
    return done();
  }

  bool read_items(Bundle& bundle) {
    bool has_all = item("recipe.json", bundle.recipe, support_schema_version);
    has_all &= item("index.json", bundle.index, support_schema_version);
    has_all &= item("artifacts.json", bundle.artifacts, support_schema_version);
    has_all &= item("receipt.json", bundle.receipt, build_schema_version);
    has_all &= item("findings.json", bundle.findings, support_schema_version);
    has_all &= item("claim.json", bundle.claim, support_schema_version);
    has_all &= item("ladder.json", bundle.ladder, support_schema_version);
    has_all &= item("notes.json", bundle.notes, support_schema_version);
    has_all &= any_item("coverage.json", bundle.coverage);
    return has_all;
  }

  std::optional<std::string> text_of(const char* name) {
    auto text = read_file(folder_ / name, most_item_bytes);
    if (text) return *std::move(text);
    lines_.require("bundle.item", false, LineVerdict::reject, name, text.error().what);
    return std::nullopt;
  }

  template <Record T>
  bool parse(const char* name, const std::string& text, T& item, std::int64_t version) {
    const auto read = [&]() -> Result<T> {
      HONE_TRY(const Json document, Json::parse(text));
      return from_document<T>(document, version);
    };
    auto value = read();
    lines_.require("bundle.item", value.has_value(), LineVerdict::reject, name,
                   value ? std::string() : value.error().what);
    if (value) item = *std::move(value);
    return value.has_value();
  }

  template <Record T>
  bool item(const char* name, T& value, std::int64_t version) {
    const std::optional<std::string> text = text_of(name);
    return text && parse(name, *text, value, version);
  }

  bool any_item(const char* name, Json& value) {
    const std::optional<std::string> text = text_of(name);
    if (!text) return false;
    auto document = Json::parse(*text);
    lines_.require("bundle.item", document.has_value(), LineVerdict::reject, name,
                   document ? std::string() : document.error().what);
    if (document) value = *std::move(document);
    return document.has_value();
  }

  const Path& folder_;
  Lines lines_;
};

}  // namespace

Status write_bundle(Bundle& bundle, const Path& folder) {
  HONE_TRY_DO(write_item(folder, "recipe.json", bundle.recipe, support_schema_version));
  HONE_TRY_DO(write_item(folder, "index.json", bundle.index, support_schema_version));
  HONE_TRY_DO(write_item(folder, "artifacts.json", bundle.artifacts, support_schema_version));
  HONE_TRY_DO(write_item(folder, "receipt.json", bundle.receipt, build_schema_version));
  HONE_TRY_DO(write_item(folder, "findings.json", bundle.findings, support_schema_version));
  HONE_TRY_DO(write_file(folder / "coverage.json", bundle.coverage.dump() + "\n"));
  HONE_TRY_DO(write_item(folder, "claim.json", bundle.claim, support_schema_version));
  HONE_TRY_DO(write_item(folder, "ladder.json", bundle.ladder, support_schema_version));
  HONE_TRY_DO(write_item(folder, "notes.json", bundle.notes, support_schema_version));
  bundle.manifest = {.model = bundle.recipe.model, .task = bundle.recipe.task, .files = {}};
  HONE_TRY(const std::vector<Path> files, files_in(folder));
  for (const Path& file : files) {
    if (file == bundle_manifest_name) continue;
    HONE_TRY(PackageEntry entry, entry_of(folder, file));
    bundle.manifest.files.push_back(std::move(entry));
  }
  return write_item(folder, bundle_manifest_name, bundle.manifest, support_schema_version);
}

Result<ReadBundle> read_bundle(const Path& folder) { return Reader(folder).run(); }

}  // namespace hone
