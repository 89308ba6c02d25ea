#pragma once
// The knowledge base for people.

#include <string>

#include "record/knowledge.h"

namespace hone {

// "optimize conv_bn_fusion + conv_add_fusion", "opset 19 or 21".
std::string describe_change(const Change& change);

std::string describe_list(const KnowledgeList& list);
std::string describe_finding(const ListedFinding& listed);
// Every problem, and how many there are.
std::string describe_check(const KnowledgeCheck& check);
std::string describe_answer(const KnowledgeAnswer& answer);

}  // namespace hone
