#pragma once
// The knowledge of families for people.

#include <string>

#include "record/model_knowledge.h"

namespace hone {

std::string describe_families(const FamilyList& list);
std::string describe_family(const ListedFamily& listed);
std::string describe_model_finding(const ModelFinding& finding);

}  // namespace hone
