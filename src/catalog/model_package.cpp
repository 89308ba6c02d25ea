#include "catalog/model_package.h"

#include <algorithm>
#include <set>

#include "base/hash_file.h"
#include "catalog/new_folder.h"

namespace hone {
namespace {

constexpr auto schema = "1.0";
constexpr auto model_name = "model.onnx";
constexpr auto info_name = "ort_info.json";
constexpr auto data_folder_key = "session.model_external_initializers_file_folder_path";

using Files = std::vector<PackageEntry>;

// ONNX Runtime's name for a folder: the SHA-256 of a line per file, by path.
std::string uri_of(Files files) {
  std::ranges::sort(files, {}, &PackageEntry::path);
  std::string lines;
  for (const PackageEntry& file : files) lines += file.sha256 + "  " + file.path + "\n";
  return "sha256:" + sha256(lines).hex();
}

std::string folder_of(const std::string& uri) {
  return "shared_assets/sha256-" + uri.substr(uri.find(':') + 1);
}

Files data_of(const PackageVariant& variant) {
  Files data = variant.files;
  std::erase_if(data, [](const PackageEntry& file) { return file.path == model_name; });
  return data;
}

std::uint64_t bytes_in(const Files& files) {
  std::uint64_t bytes = 0;
  for (const PackageEntry& file : files) bytes += file.bytes;
  return bytes;
}

// Which sets of files are there more than once: whole models first, then the data of models that
// differ in their graph only.
class Sharing {
 public:
  explicit Sharing(ModelPackage& package) : package_(package) {
    for_each([&](PackageComponent&, PackageVariant& variant) {
      ++whole_[uri_of(variant.files)];
      if (!data_of(variant).empty()) ++data_[uri_of(data_of(variant))];
    });
  }

  void decide() {
    for_each([&](PackageComponent& component, PackageVariant& variant) {
      const std::string user = component.name + "/" + variant.name;
      const Files data = data_of(variant);
      variant.model_file = model_name;
      if (whole_[uri_of(variant.files)] > 1) {
        variant.model_file = share(variant.files, user) + "/" + model_name;
      } else if (!data.empty() && data_[uri_of(data)] > 1) {
        variant.session_options[data_folder_key] = share(data, user);
      }
    });
  }

 private:
  void for_each(const std::function<void(PackageComponent&, PackageVariant&)>& visit) {
    for (PackageComponent& component : package_.components)
      for (PackageVariant& variant : component.variants) visit(component, variant);
  }

  std::string share(const Files& files, const std::string& user) {
    const std::string uri = uri_of(files);
    auto asset = std::ranges::find(package_.shared_assets, uri, &SharedAsset::uri);
    if (asset == package_.shared_assets.end())
      asset = package_.shared_assets.insert(asset, SharedAsset{uri, files, {}});
    asset->used_by.push_back(user);
    return uri;
  }

  ModelPackage& package_;
  std::map<std::string, int> whole_;
  std::map<std::string, int> data_;
};

Json json_of_options(const std::map<std::string, std::string>& options) {
  Json made = Json::object();
  for (const auto& [key, value] : options) made.set(key, value);
  return made;
}

class Writer {
 public:
  Writer(ModelPackage& package, const ContentStore& store, const NewFolder& folder)
      : package_(package), store_(store), folder_(folder) {}

  Status write(const std::map<std::string, std::string>& recipes, const std::string& producer) {
    for (const SharedAsset& asset : package_.shared_assets)
      HONE_TRY_DO(place_all(asset.files, folder_of(asset.uri)));
    Json components = Json::object();
    for (const PackageComponent& component : package_.components) {
      const std::string place = "models/" + component.name;
      HONE_TRY_DO(write_component(component, place, recipes));
      components.set(component.name, place);
    }
    Json manifest = Json::object().set("schema_version", schema);
    manifest.set("package_name", package_.name).set("package_version", package_.version);
    manifest.set("layout", "portable").set("components", std::move(components));
    Json made_by = Json::object().set("name", "hone").set("version", producer);
    manifest.set("additional_metadata", Json::object().set("producer", std::move(made_by)));
    return write_json("manifest.json", manifest);
  }

 private:
  Status write_component(const PackageComponent& component, const std::string& place,
                         const std::map<std::string, std::string>& recipes) {
    Json variants = Json::object();
    for (const PackageVariant& variant : component.variants) {
      const std::string here = place + "/" + variant.name;
      if (const auto recipe = recipes.find(variant.cell); recipe != recipes.end())
        HONE_TRY_DO(place_file(recipe->second, here + "/recipe.json"));
      HONE_TRY_DO(place_all(own_files(variant), here));
      Json info = Json::object().set("model_file", variant.model_file);
      info.set("session_options", json_of_options(variant.session_options));
      info.set("provider_options", json_of_options(variant.provider_options));
      HONE_TRY_DO(write_json(here + "/" + info_name, info));
      variants.set(variant.name, describe(variant));
    }
    Json document = Json::object().set("component_name", component.name);
    document.set("variants", std::move(variants));
    Json more = Json::object().set("model", component.model).set("task", component.task);
    document.set("additional_metadata", std::move(more));
    return write_json(place + "/component.json", document);
  }

  static Files own_files(const PackageVariant& variant) {
    if (variant.model_file != model_name) return {};
    const bool shares_data = variant.session_options.contains(data_folder_key);
    Files files = variant.files;
    if (shares_data)
      std::erase_if(files, [](const PackageEntry& file) { return file.path != model_name; });
    return files;
  }

  static Json describe(const PackageVariant& variant) {
    Json body = Json::object().set("variant_directory", variant.name).set("ep", variant.ep);
    if (variant.device) body.set("device", *variant.device);
    body.set("executor_info", Json::object().set("ort", info_name));
    Json more = Json::object().set("cell", variant.cell).set("key", variant.key);
    more.set("recipe_sha256", variant.recipe_sha256).set("files", to_json(variant.files));
    body.set("additional_metadata", std::move(more));
    return body;
  }

  Status place_all(const Files& files, const std::string& folder) {
    for (const PackageEntry& file : files) {
      HONE_TRY_DO(place_file(file.sha256, folder + "/" + file.path));
      package_.bytes += file.bytes;
    }
    return done();
  }

  // A link does not tell whether the bytes behind it are still good.
  Status place_file(const std::string& hash, const std::string& path) const {
    HONE_TRY(const Path place, folder_.place_for(path));
    HONE_TRY_DO(store_.place(hash, place));
    HONE_TRY(const Digest found, hash_of_file(place));
    if (found.hex() == hash) return done();
    return fail(Fault::runtime, "the store has other bytes for '" + path + "'",
                found.hex() + " instead of " + hash, "hone store verify");
  }

  Status write_json(const std::string& path, const Json& document) const {
    HONE_TRY(const Path place, folder_.place_for(path));
    return write_file(place, document.dump() + "\n");
  }

  ModelPackage& package_;
  const ContentStore& store_;
  const NewFolder& folder_;
};

}  // namespace

Result<ModelPackage> write_model_package(ModelPackage package, const ContentStore& store,
                                         const std::map<std::string, std::string>& recipes,
                                         const std::string& producer_version, const Path& into) {
  Sharing(package).decide();
  for (const PackageComponent& component : package.components)
    for (const PackageVariant& variant : component.variants)
      package.variant_bytes += bytes_in(variant.files);
  HONE_TRY(NewFolder folder, NewFolder::create(into));
  HONE_TRY_DO(Writer(package, store, folder).write(recipes, producer_version));
  HONE_TRY_DO(read_model_package(folder.path()));
  HONE_TRY_DO(folder.commit());
  package.folder = into.string();
  return package;
}

}  // namespace hone
