#pragma once
// Which input each thing is for.

#include <map>
#include <string>
#include <vector>

#include "inspect/run/given_input.h"
#include "processor/processor.h"

namespace hone {

// By input, in the order given. What has no name is for the one input that nothing else is given
// for, or for the only one of those that it fits; where that is not one, both are told. Only a
// value that is given twice is refused: several files for one input are several samples.
// `of_sounds` is what sounds go through, where there is one.
Result<std::map<std::string, std::vector<GivenInput>>> assign_inputs(
    const std::vector<GivenInput>& given, const std::vector<Port>& ports,
    const Processor* of_sounds = nullptr);

}  // namespace hone
