#pragma once
// What a model is, without running it.

#include <string>

#include "base/file.h"
#include "base/result.h"
#include "record/model_facts.h"

namespace hone {

// Of a file, or of a folder with one. Weights are not read.
Result<ModelFacts> facts_of_model(const std::string& given);

}  // namespace hone
