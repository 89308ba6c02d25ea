#pragma once
// What another program computed with the weights of a checkpoint, in reference.npz beside it: `in_`
// and `out_` before the names of inputs and outputs. Its graphs are run one after the other, and
// what the first makes goes into the next.

#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "record/export.h"
#include "runtime/session.h"

namespace hone {

inline constexpr std::string_view reference_name = "reference.npz";

struct Reference {
  NamedTensors inputs;
  NamedTensors outputs;
};
Result<Reference> read_reference(const Path& file);

// Fails where they have not the same shape; something that is no number is infinitely far.
Result<ComparedOutput> compare_with_reference(const Tensor& ours, const Tensor& reference);

class ReferenceRun {
 public:
  explicit ReferenceRun(Reference reference) : reference_(std::move(reference)) {}

  const NamedTensors& outputs() const { return reference_.outputs; }

  // The inputs of a part among those of the reference and what parts before it made. Fails with the
  // name of one that is not there.
  Result<NamedTensors> inputs_of(const std::string& part, const Session& session) const;
  // What the part made, beside what the reference says of it; parts after it are given it.
  Result<std::vector<ComparedOutput>> compare(const std::string& part, const NamedTensors& outputs);

 private:
  Reference reference_;
};

}  // namespace hone
