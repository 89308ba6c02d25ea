#pragma once
// What the knowledge of a family must look like before it is believed: files are hostile until they
// were here.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "record/model_knowledge.h"

namespace hone {

// What a support effort may be called, and the goals it may have reached.
std::span<const std::string_view> known_efforts();
std::span<const std::string_view> known_goals();

// Everything that is wrong with it, each with the id before it: "ppocr-002: title: it is empty".
std::vector<std::string> problems_of(const FamilyKnowledge& knowledge);

}  // namespace hone
