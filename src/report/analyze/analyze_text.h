#pragma once
// What `hone analyze` found, for people.

#include <string>

#include "record/analyze.h"

namespace hone {

std::string describe_analysis(const Analysis& analysis);
// "HardSwish x12, Softmax x2", most first, at most `most` of them.
std::string describe_counts(const std::map<std::string, std::uint64_t>& counts, std::size_t most);

}  // namespace hone
