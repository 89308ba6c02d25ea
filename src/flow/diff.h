#pragma once
// What changed between two models.

#include <string>

#include "base/result.h"
#include "record/model_diff.h"
#include "record/where.h"

namespace hone {

// Each is a file, or a folder with one.
Result<ModelDiff> diff_of_models(const std::string& before, const std::string& after,
                                 const Host& host);

}  // namespace hone
