#include <algorithm>

#include "base/folder.h"
#include "base/hash_file.h"
#include "catalog/model_package.h"
#include "catalog/publisher.h"

namespace hone {
namespace {

constexpr std::uint64_t most_json_bytes = std::uint64_t{16} << 20;
constexpr std::size_t most_files = 10'000;
constexpr auto data_folder_key = "session.model_external_initializers_file_folder_path";

Failure no_package(std::string why) {
  return fail(Fault::bad_input, "this is no model package", std::move(why));
}

std::string text_in(const Json& json, std::string_view key) {
  const Json* found = json.find(key);
  return found != nullptr && found->as_string() != nullptr ? *found->as_string() : "";
}

class Reader {
 public:
  explicit Reader(const Path& root) : root_(root) {}

  Result<std::vector<FoundVariant>> read() {
    HONE_TRY(const Json manifest, read_json("manifest.json"));
    if (!text_in(manifest, "schema_version").starts_with("1."))
      return no_package("manifest.json has no schema_version 1");
    HONE_TRY_DO(check_assets());
    HONE_TRY(const Json::Object components, object_in(manifest, "components"));
    for (const auto& [name, place] : components) {
      if (place.as_string() == nullptr) return no_package("'" + name + "' has no folder");
      HONE_TRY_DO(read_component(name, *place.as_string()));
    }
    if (found_.empty()) return no_package("it has no variant");
    return std::move(found_);
  }

 private:
  Result<Json> read_json(const std::string& path) const {
    HONE_TRY_DO(check_package_path(path));
    HONE_TRY(const Blob bytes, map_file_inside(root_, path));
    if (bytes.size() > most_json_bytes) return no_package("'" + path + "' is too large");
    return Json::parse(bytes.view());
  }

  static Result<Json::Object> object_in(const Json& json, std::string_view key) {
    const Json* found = json.find(key);
    if (found == nullptr || found->as_object() == nullptr)
      return no_package("it has no " + std::string(key));
    return *found->as_object();
  }

  // Every folder below shared_assets has the hash that its name says.
  Status check_assets() const {
    std::error_code problem;
    const Path folder = root_ / "shared_assets";
    if (!std::filesystem::exists(folder, problem)) return done();
    HONE_TRY(const std::vector<FolderEntry> assets, list_folder(folder));
    for (const FolderEntry& asset : assets) {
      HONE_TRY(const std::string hash, hash_of_folder(asset.path));
      if (asset.name != "sha256-" + hash)
        return no_package("'" + asset.name + "' has the hash " + hash);
    }
    return done();
  }

  static Result<std::string> hash_of_folder(const Path& folder) {
    HONE_TRY(const std::vector<FolderEntry> entries, walk_folder(folder, most_files));
    std::string lines;
    for (const FolderEntry& entry : entries) {
      if (entry.is_link()) return no_package("'" + entry.path.string() + "' is a link");
      if (!entry.is_file()) continue;
      HONE_TRY(const Digest digest, hash_of_file(entry.path));
      lines += digest.hex() + "  " + entry.name + "\n";
    }
    return sha256(lines).hex();
  }

  Status read_component(const std::string& name, const std::string& place) {
    HONE_TRY(const Json component, read_json(place + "/component.json"));
    HONE_TRY(const Json::Object variants, object_in(component, "variants"));
    for (const auto& [variant, body] : variants)
      HONE_TRY_DO(read_variant(name, variant, place, body));
    return done();
  }

  Status read_variant(const std::string& component, const std::string& name,
                      const std::string& place, const Json& body) {
    const std::string given = text_in(body, "variant_directory");
    const std::string here = place + "/" + (given.empty() ? name : given);
    HONE_TRY(const Json::Object executors, object_in(body, "executor_info"));
    const Json* ort = body.find("executor_info")->find("ort");
    if (ort == nullptr || ort->as_string() == nullptr)
      return no_package("'" + name + "' is for another executor");
    HONE_TRY(const Json info, read_json(here + "/" + *ort->as_string()));
    FoundVariant found{component, name, text_in(body, "ep"), {}, {}};
    HONE_TRY(found.model, resolve(here, text_in(info, "model_file")));
    const Json* options = info.find("session_options");
    const std::string data = options != nullptr ? text_in(*options, data_folder_key) : "";
    if (!data.empty()) {
      HONE_TRY(found.data_folder, resolve(here, data));
    }
    HONE_TRY_DO(check_files(found, body));
    found_.push_back(std::move(found));
    return done();
  }

  // "model.onnx" of the variant's folder, or "sha256:<hex>[/model.onnx]".
  Result<Path> resolve(const std::string& base, const std::string& reference) const {
    constexpr std::string_view scheme = "sha256:";
    const std::string path = reference.starts_with(scheme)
                                 ? "shared_assets/sha256-" + reference.substr(scheme.size())
                                 : base + "/" + reference;
    HONE_TRY_DO(check_package_path(path));
    std::error_code problem;
    if (!std::filesystem::exists(root_ / path, problem))
      return no_package("'" + reference + "' leads to nothing");
    return root_ / path;
  }

  // Each file of the variant, where the runtime will look for it, is what it was built as.
  static Status check_files(const FoundVariant& variant, const Json& body) {
    const Json* more = body.find("additional_metadata");
    const Json* listed = more != nullptr ? more->find("files") : nullptr;
    if (listed == nullptr) return done();
    HONE_TRY(const auto files, from_json<std::vector<PackageEntry>>(*listed));
    const Path model_folder = variant.model.parent_path();
    for (const PackageEntry& file : files) {
      HONE_TRY_DO(check_package_path(file.path));
      const bool is_model = file.path == variant.model.filename();
      const Path folder = is_model ? model_folder : variant.data_folder.value_or(model_folder);
      HONE_TRY(const Digest digest, hash_of_file(folder / file.path));
      if (digest.hex() != file.sha256)
        return no_package("'" + file.path + "' of '" + variant.name + "' is not what was built");
    }
    return done();
  }

  const Path& root_;
  std::vector<FoundVariant> found_;
};

}  // namespace

Result<std::vector<FoundVariant>> read_model_package(const Path& folder) {
  return Reader(folder).read();
}

}  // namespace hone
