#pragma once
// What a model is run on: samples given by the user, or seeded ones that fit its inputs.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/model.h"
#include "runtime/close_inputs.h"
#include "runtime/session.h"

namespace hone {

// One value per input.
using Sample = NamedTensors;

// Reads an .npz, or every .npz of a folder in the order of their names. Arrays are named by input,
// or
// `<index>/<input>` for several samples in one file; a first axis that the model does not have
// holds samples too (runtime/fit_samples.h). Every input of the model must be there, with a type
// and shape it takes; names the model does not know are refused.
struct LoadedSamples {
  std::vector<Sample> samples;
  std::vector<std::string> notes;  // what was taken for what
};
Result<LoadedSamples> load_samples(const Path& file_or_folder, const std::vector<Port>& inputs);

// The samples of one file by their index, with types and shapes as they are; inputs may be missing.
Result<std::map<std::size_t, Sample>> read_samples(const Path& file,
                                                   const std::vector<Port>& inputs);

// The file itself, or every .npz of a folder in the order of their names.
Result<std::vector<Path>> list_sample_files(const Path& file_or_folder);

// Whether a tensor of this shape goes into a port of the type; what is open takes any size.
bool takes_shape(const Type& type, const std::vector<std::int64_t>& dims);

// What a session on the model would ask for: its inputs, less those an initializer stands in for.
std::vector<Port> input_ports(const Model& model);

struct GeneratedSamples {
  std::vector<Sample> samples;
  std::int64_t batch = 1;  // the first dimension of the first input
  // What was assumed, in one line; none when there is nothing to tell.
  std::vector<std::string> assumptions;
};

// Samples of shapes that close_inputs chooses. Rules for what the model does not have are passed
// over: a build may have closed it (see check_shape_rules).
Result<GeneratedSamples> generate_samples(const std::vector<Port>& inputs, const ShapeRules& rules,
                                          const InputFacts& facts, std::uint64_t seed,
                                          std::size_t count);

}  // namespace hone
