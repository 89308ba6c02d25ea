#pragma once
// Arrays that are not quite what a model takes and can mean one thing only: float64 where it takes
// float32 (NumPy's default), and several samples along a first axis that it does not have.

#include <set>
#include <string>
#include <vector>

#include "runtime/samples.h"

namespace hone {

// What was taken for what, a sentence each.
using SampleNotes = std::set<std::string>;

// The sample as the inputs take it, or several of them. An array that fits as it is belongs to
// each. What cannot be meant comes back as it is, for whoever checks it. Fails when arrays hold
// different numbers of samples.
Result<std::vector<Sample>> fit_sample(const Sample& sample, const std::vector<Port>& inputs,
                                       SampleNotes& notes);

}  // namespace hone
