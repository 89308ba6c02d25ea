#pragma once
// What a model is run on: samples given by the user, or seeded ones that fit its inputs.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/model.h"
#include "runtime/session.h"

namespace hone {

// One value per input.
using Sample = NamedTensors;

// Reads an .npz, or every .npz of a folder in the order of their names. Arrays are named by input,
// or
// `<index>/<input>` for several samples in one file. Every input of the model must be there, with a
// type and shape it takes; names the model does not know are refused.
Result<std::vector<Sample>> load_samples(const Path& file_or_folder,
                                         const std::vector<Port>& inputs);

// The file itself, or every .npz of a folder in the order of their names.
Result<std::vector<Path>> list_sample_files(const Path& file_or_folder);

// How the dimensions a model leaves open are closed.
struct ShapeRules {
  std::map<std::string, std::int64_t> symbols;              // "batch" -> 4
  std::map<std::string, std::vector<std::int64_t>> inputs;  // an input's whole shape
  std::int64_t batch = 0;  // for the first dimension; 0: not asked for
};

// "seq=128,x=1x3x48x320" on the command line, or a JSON file {"seq": 128, "x": [1,3,48,320]}.
Result<ShapeRules> parse_shape_rules(const std::string& text_or_file);

// What a session on the model would ask for: its inputs, less those an initializer stands in for.
std::vector<Port> input_ports(const Model& model);

// The values an integer input may take, both ends included.
struct IndexRange {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

// Inputs that index into a table of the model (token ids into an embedding) must stay inside it:
// the range is read off the graph. Masks are ones.
std::map<std::string, IndexRange> find_index_ranges(const Model& model);

struct GeneratedSamples {
  std::vector<Sample> samples;
  std::int64_t batch = 1;                // the first dimension of the first input
  std::vector<std::string> assumptions;  // "x: width not given, 320 assumed"
};

Result<GeneratedSamples> generate_samples(const std::vector<Port>& inputs, const ShapeRules& rules,
                                          const std::map<std::string, IndexRange>& ranges,
                                          std::uint64_t seed, std::size_t count);

}  // namespace hone
