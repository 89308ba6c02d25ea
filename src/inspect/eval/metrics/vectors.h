#pragma once
// What vectors know of classes: would their neighbours tell the class, would a plane.

#include <cstdint>
#include <span>
#include <vector>

namespace hone {

struct LabelledVector {
  std::vector<double> vector;  // of length 1
  std::uint64_t kind = 0;
};

// For each the class of most of its nearest `neighbours` among all others, by cosine; of classes
// with as many the one whose nearest is nearer.
std::vector<std::uint64_t> classes_of_neighbours(std::span<const LabelledVector> vectors,
                                                 std::size_t neighbours);

// For each the class of the largest score of a linear classifier that was fitted on the other half
// (every other one of each class): least squares on 1 and -1 for each class, with
// a constant and a ridge of 1.
std::vector<std::uint64_t> classes_of_planes(std::span<const LabelledVector> vectors);

}  // namespace hone
