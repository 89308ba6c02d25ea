#include "support/bundle.h"

#include <set>

#include "base/hash_file.h"
#include "base/text.h"
#include "support/bundle_files.h"
#include "support/lines.h"

namespace hone {
namespace {

constexpr std::uint64_t most_item_bytes = std::uint64_t{16} << 20;

template <Record T>
Status write_item(const Path& folder, const char* name, const T& item, std::int64_t version) {
  return write_file(folder / name, to_document(item, version).dump() + "\n");
}

Result<PackageEntry> entry_of(const Path& folder, const std::string& file) {
  HONE_TRY(const Digest digest, hash_of_file_inside(folder, file));
  HONE_TRY(const std::uint64_t bytes, size_of_file(folder / file));
  return PackageEntry{file, digest.hex(), bytes};
}

// Reads item after item; the first that cannot be read is a line, and the others are still looked
// at.
class Reader {
 public:
  explicit Reader(const Path& folder) : folder_(folder) {}

  Result<ReadBundle> run() {
    HONE_TRY(files_, list_bundle(folder_));
    ReadBundle read;
    Bundle bundle;
    if (check_kinds() && read_manifest(bundle, read.manifest_sha256)) {
      check_files(bundle.manifest);
      if (read_items(bundle)) read.bundle = std::move(bundle);
    }
    read.lines = lines_.take();
    return read;
  }

 private:
  // A link or a pipe is found before it is opened, and too much before it is hashed.
  bool check_kinds() {
    for (const auto& [name, problem] : files_.problems)
      lines_.require("bundle.files", false, LineVerdict::reject, printable(name), problem);
    return files_.problems.empty();
  }

  bool read_manifest(Bundle& bundle, std::string& hash) {
    const std::optional<std::string> text = text_of(bundle_manifest_name);
    if (!text) return false;
    hash = sha256(*text).hex();
    return parse(bundle_manifest_name, *text, bundle.manifest, support_schema_version);
  }

  void check_files(const BundleManifest& manifest) {
    std::set<std::string> listed;
    for (const PackageEntry& entry : manifest.files) {
      const bool is_new = listed.insert(entry.path).second;
      const std::string problem = is_new ? file_problem(entry) : "it is listed twice";
      lines_.require("bundle.hash", problem.empty(), LineVerdict::reject, printable(entry.path),
                     problem);
    }
    for (const auto& [name, bytes] : files_.sizes) {
      if (name == bundle_manifest_name || listed.contains(name)) continue;
      lines_.require("bundle.files", false, LineVerdict::reject, printable(name),
                     "the manifest does not have it");
    }
  }

  // The size is compared first: nobody hashes a file that cannot be the one.
  std::string file_problem(const PackageEntry& entry) const {
    const auto size = files_.sizes.find(entry.path);
    if (size == files_.sizes.end()) return "it is not in the folder";
    if (size->second != entry.bytes)
      return "it has " + std::to_string(size->second) + " bytes instead of " +
             std::to_string(entry.bytes);
    const auto there = entry_of(folder_, entry.path);
    if (!there) return what_and_why(there.error());
    if (there->sha256 == entry.sha256) return {};
    return "its SHA-256 is " + there->sha256 + " instead of " + printable(entry.sha256);
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
    const bool is_there = files_.sizes.contains(name);
    auto text = is_there ? read_file(folder_ / name, most_item_bytes)
                         : Result<std::string>(fail(Fault::not_found, "it is not in the folder"));
    if (text) return *std::move(text);
    lines_.require("bundle.item", false, LineVerdict::reject, name, what_and_why(text.error()));
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
                   value ? std::string() : what_and_why(value.error()));
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
                   document ? std::string() : what_and_why(document.error()));
    if (document) value = *std::move(document);
    return document.has_value();
  }

  const Path& folder_;
  BundleFiles files_;
  Lines lines_;
};

}  // namespace

Path statistics_of(const Path& skeleton) {
  return skeleton.parent_path() / (skeleton.stem().string() + ".stats.json");
}

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
  HONE_TRY(const BundleFiles files, list_bundle(folder));
  for (const auto& [name, bytes] : files.sizes) {
    if (name == bundle_manifest_name) continue;
    HONE_TRY(PackageEntry entry, entry_of(folder, name));
    bundle.manifest.files.push_back(std::move(entry));
  }
  return write_item(folder, bundle_manifest_name, bundle.manifest, support_schema_version);
}

Result<ReadBundle> read_bundle(const Path& folder) { return Reader(folder).run(); }

}  // namespace hone
