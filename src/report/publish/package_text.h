#pragma once
// Packages that were fetched or made, for people.

#include <string>

#include "record/model_package.h"
#include "record/publish.h"

namespace hone {

std::string describe_fetched(const Fetched& fetched);
std::string describe_package(const ModelPackage& package);

}  // namespace hone
