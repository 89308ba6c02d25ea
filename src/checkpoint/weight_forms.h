#pragma once
// Weights as a graph takes them: read of where they lie, cast, turned, and written to a file.

#include <functional>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/progress.h"
#include "model/tensor.h"

namespace hone {

struct WeightForm {
  TensorPtr source;
  ElementType type = ElementType::undefined;
  bool is_turned = false;  // a matrix with rows for columns
  bool is_as_it_lies() const { return type == source->type && !is_turned; }
};

// Of whole bytes.
std::uint64_t bytes_per_element(ElementType type);
std::uint64_t bytes_of(const WeightForm& form);
std::vector<std::int64_t> dims_of(const WeightForm& form);

// Where a weight goes.
struct PlacedWeight {
  WeightForm form;
  std::uint64_t offset;
};

// Numbers beyond the range of the type become its largest; fails where one is no number and has to
// be cast.
Result<std::string> read_weight(const WeightForm& form);
// The same into a file that has room for all of them. Two threads do it, a weight by one of them:
// what a disk takes is written while the other turns.
Status write_weights(const AtomicFile& file, const std::vector<PlacedWeight>& all,
                     const ByteProgress& progress);

}  // namespace hone
