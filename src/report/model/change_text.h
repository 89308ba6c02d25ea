#pragma once
// Models that were made of others, for people.

#include <string>

#include "record/convert.h"
#include "record/weights.h"

namespace hone {

std::string describe_conversion(const ConvertedModel& made);
std::string describe_stripped(const StrippedModel& made);
std::string describe_hydrated(const HydratedModel& made);

}  // namespace hone
