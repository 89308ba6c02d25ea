#pragma once
// The command lines that repeat what a search did, as a shell takes them.

#include <cstdint>
#include <string>

#include "record/search.h"
#include "record/where.h"

namespace hone {

// The word of an arm that runs a model as a recipe says: "fast:model=b.onnx,ep=cpu,threads=2".
// "\\," is a comma inside of a value.
std::string word_of_arm(const std::string& name, const std::string& model, const Recipe& recipe);

// `hone build` by a recipe's file.
std::string line_of_build(const std::string& model, const std::string& recipe);

// `hone compare` of the champion with the baseline. REQUIRES: both are built.
struct RepeatedRace {
  const SearchArm& baseline;
  const SearchArm& champion;
  double margin = 0.01;  // a share
  std::uint64_t seed = 0;
  std::string input_data;
  std::string shape_config;
  Host host;
};
std::string line_of_compare(const RepeatedRace& race);

}  // namespace hone
