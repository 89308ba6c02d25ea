#pragma once
// How many of a thing, for people.

#include <cstdint>
#include <string>
#include <string_view>

namespace hone {

// "1 node", "1,234 nodes"; `many` is for words that take no s: counted(2, "hypothesis",
// "hypotheses").
std::string counted(std::uint64_t count, std::string_view one, std::string_view many = {});

}  // namespace hone
