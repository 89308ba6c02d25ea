#pragma once
// The cells of a sweep as a model package that ONNX Runtime opens.

#include <string>

#include "base/result.h"
#include "record/model_package.h"

namespace hone {

struct PackageOrder {
  std::string sweep;   // its folder
  std::string output;  // a folder that is not there yet
  std::string model;   // of the catalog, by id; empty: all
  std::string store;   // empty: that of the sweep
};

// Cells that are not done are left out, and noted.
Result<ModelPackage> export_package(const PackageOrder& order);

}  // namespace hone
