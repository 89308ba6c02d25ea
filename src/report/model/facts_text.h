#pragma once
// What a model is, for people.

#include <string>

#include "record/model_facts.h"
#include "report/style.h"

namespace hone {

// Long lists are cut, that of quantized tensors unless all are asked for.
std::string describe_facts(const ModelFacts& facts, const Style& style, bool shows_all);

}  // namespace hone
