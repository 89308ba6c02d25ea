#pragma once
// A model package in ONNX Runtime's layout: one folder from which a runtime picks the variant that
// suits its machine.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/fields.h"
#include "record/publish.h"

namespace hone {

inline constexpr std::int64_t model_package_schema_version = 1;

// A cell as a variant.
struct PackageVariant {
  std::string name;
  std::string ep;                     // as ONNX Runtime calls it: CPUExecutionProvider
  std::optional<std::string> device;  // cpu, gpu or npu; null: any
  std::string cell;                   // the version of the cell
  std::string key;
  std::string recipe_sha256;
  std::map<std::string, std::string> session_options;
  std::map<std::string, std::string> provider_options;
  std::vector<PackageEntry> files;  // the model and its data, by their names
  std::string model_file;           // from the variant's folder, or "sha256:<hex>/model.onnx"
};
template <RecordOf<PackageVariant> Self>
void for_each_field(Self& variant, auto&& field) {
  field("name", variant.name);
  field("ep", variant.ep);
  field("device", variant.device);
  field("cell", variant.cell);
  field("key", variant.key);
  field("recipe_sha256", variant.recipe_sha256);
  field("session_options", variant.session_options);
  field("provider_options", variant.provider_options);
  field("files", variant.files);
  field("model_file", variant.model_file);
}

// A model with its variants.
struct PackageComponent {
  std::string name;
  std::string model;  // its id in the catalog
  std::string task;
  std::vector<PackageVariant> variants;
};
template <RecordOf<PackageComponent> Self>
void for_each_field(Self& component, auto&& field) {
  field("name", component.name);
  field("model", component.model);
  field("task", component.task);
  field("variants", component.variants);
}

// A folder of files that several variants use, and that is there once.
struct SharedAsset {
  std::string uri;  // "sha256:<hex>", of its files' hashes and names
  std::vector<PackageEntry> files;
  std::vector<std::string> used_by;  // component/variant
};
template <RecordOf<SharedAsset> Self>
void for_each_field(Self& asset, auto&& field) {
  field("uri", asset.uri);
  field("files", asset.files);
  field("used_by", asset.used_by);
}

struct ModelPackage {
  std::string folder;
  std::string name;
  std::string version;
  std::vector<PackageComponent> components;
  std::vector<SharedAsset> shared_assets;
  std::uint64_t bytes = 0;          // of all models in it
  std::uint64_t variant_bytes = 0;  // of all variants, had each its own
  std::vector<std::string> notes;
};
template <RecordOf<ModelPackage> Self>
void for_each_field(Self& package, auto&& field) {
  field("folder", package.folder);
  field("name", package.name);
  field("version", package.version);
  field("components", package.components);
  field("shared_assets", package.shared_assets);
  field("bytes", package.bytes);
  field("variant_bytes", package.variant_bytes);
  field("notes", package.notes);
}

}  // namespace hone
