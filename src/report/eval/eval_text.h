#pragma once
// What `hone eval` found, for people.

#include <string>

#include "record/eval.h"

namespace hone {

std::string describe_comparison(const CompareReport& report);
std::string describe_evaluation(const EvalReport& report);
std::string describe_schema(const TaskSchema& schema);
std::string describe_made_data(const MadeData& made);

}  // namespace hone
