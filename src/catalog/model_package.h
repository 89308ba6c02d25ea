#pragma once
// Cells of a sweep as a model package of ONNX Runtime (schema 1.0, portable layout):
//
//   manifest.json                             components by name
//   models/<component>/component.json         variants by name: EP, device, where its model is
//   models/<component>/<variant>/             model.onnx and its data, recipe.json, ort_info.json
//   shared_assets/sha256-<hex>/               what several variants have in common, once
//
// ONNX Runtime finds shared bytes by "sha256:<hex>" in ort_info.json: as the model file, or as the
// folder of external data. External data cannot name "../../shared_assets" itself: a path that
// leaves the model's folder is refused.

#include "base/file.h"
#include "base/result.h"
#include "catalog/store.h"
#include "record/model_package.h"

namespace hone {

// Fills in what is shared, writes the package and reads it again. The folder appears whole, and its
// files are links to the store's where the disk has them to give: read-only. `recipes` has, by
// cell, the blob that becomes recipe.json.
Result<ModelPackage> write_model_package(ModelPackage package, const ContentStore& store,
                                         const std::map<std::string, std::string>& recipes,
                                         const std::string& producer_version, const Path& into);

// A variant as a runtime finds it.
struct FoundVariant {
  std::string component;
  std::string name;
  std::string ep;
  Path model;
  std::optional<Path> data_folder;  // of external data, where it is not the model's own
};

// Reads a package of this layout. References have to lead to what is there and inside of the
// folder, and shared assets have to be what their names say.
Result<std::vector<FoundVariant>> read_model_package(const Path& folder);

}  // namespace hone
