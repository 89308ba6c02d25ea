// Samples we make: seeded, of shapes the model takes, with integers that stay inside its tables.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/random.h"
#include "base/text.h"
#include "runtime/samples.h"

namespace hone {
namespace {

// What an open dimension is taken to be when nobody says: one image of a usual size, a sentence of
// a usual length.
constexpr std::int64_t assumed_extent = 320;
constexpr std::int64_t assumed_length = 128;
constexpr std::int64_t most_elements = std::int64_t{1} << 28;

std::int64_t assume(std::size_t axis, std::size_t rank) {
  if (axis == 0) return 1;
  if (rank >= 4 && axis >= 2) return assumed_extent;
  return rank >= 2 ? assumed_length : 1;
}

std::string name_of_dim(const Dim& dim, std::size_t axis) {
  return dim.symbol.empty() ? "dimension " + std::to_string(axis)
                            : "'" + printable(dim.symbol) + "'";
}

bool has_symbol(const std::vector<Port>& inputs, const std::string& symbol) {
  return std::ranges::any_of(inputs, [&](const Port& port) {
    return port.type.shape &&
           std::ranges::find(*port.type.shape, symbol, &Dim::symbol) != port.type.shape->end();
  });
}

// A shape for an input that is not there is a slip of the pen. A symbol may be one that a build has
// closed since: that is only told.
Status check_rules(const std::vector<Port>& inputs, const ShapeRules& rules,
                   std::vector<std::string>& assumptions) {
  for (const auto& [name, shape] : rules.inputs) {
    if (std::ranges::find(inputs, name, &Port::name) != inputs.end()) continue;
    std::vector<std::string> names;
    for (const Port& port : inputs) names.push_back("'" + printable(port.name) + "'");
    return fail(Fault::bad_input, "the model has no input '" + printable(name) + "' to shape",
                "its inputs are " + join(names, ", "), "--shape-config takes those names");
  }
  for (const auto& [symbol, size] : rules.symbols) {
    if (!has_symbol(inputs, symbol))
      assumptions.push_back("no dimension is called '" + printable(symbol) +
                            "', nothing was sized");
  }
  return done();
}

Result<std::vector<std::int64_t>> close_shape(const Port& port, const ShapeRules& rules,
                                              std::vector<std::string>& assumptions) {
  if (const auto whole = rules.inputs.find(port.name); whole != rules.inputs.end())
    return whole->second;
  if (!port.type.shape) {
    return fail(Fault::bad_input,
                "the input '" + port.name + "' has no rank, so no sample can be made for it", {},
                "give its shape: --shape-config " + port.name + "=1x128");
  }
  const Shape& shape = *port.type.shape;
  std::vector<std::int64_t> dims;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const Dim& dim = shape[axis];
    const auto rule = rules.symbols.find(dim.symbol);
    if (dim.value) {
      dims.push_back(*dim.value);
    } else if (!dim.symbol.empty() && rule != rules.symbols.end()) {
      dims.push_back(rule->second);
    } else if (axis == 0 && rules.batch > 0) {
      dims.push_back(rules.batch);
    } else {
      dims.push_back(assume(axis, shape.size()));
      if (dims.back() != 1) {
        assumptions.push_back(port.name + ": " + name_of_dim(dim, axis) + " is open, " +
                              std::to_string(dims.back()) + " assumed");
      }
    }
  }
  const auto count = count_elements(dims);
  if (!count || *count > static_cast<std::uint64_t>(most_elements)) {
    return fail(Fault::bad_input, "the input '" + port.name + "' would be too large: " +
                                      to_string(Type::tensor(port.type.element, shape_of(dims))));
  }
  return dims;
}

std::uint16_t to_half(float value) {
  // Values here are in [0, 1): plain scaling into the half's 10 bits of fraction is exact enough to
  // be uniform.
  if (value < 0x1p-14f) return 0;
  int exponent = 0;
  const float fraction = std::frexp(value, &exponent);  // [0.5, 1)
  return static_cast<std::uint16_t>(((exponent + 14) << 10) |
                                    static_cast<int>((fraction * 2 - 1) * 1024));
}

template <class T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Floats are uniform in [0, 1), the range of a normalised image; integers uniform in the range.
Status append_element(std::string& bytes, const Port& port, Random& random,
                      const IndexRange& range) {
  const auto real = static_cast<float>(random.uniform());
  const auto width = static_cast<std::uint64_t>(range.high - range.low) + 1;
  const std::int64_t whole = range.low + static_cast<std::int64_t>(random.below(width));
  switch (port.type.element) {
    case ElementType::float32:
      append(bytes, real);
      return done();
    case ElementType::float64:
      append(bytes, static_cast<double>(real));
      return done();
    case ElementType::float16:
      append(bytes, to_half(real));
      return done();
    case ElementType::bfloat16: {
      std::uint32_t bits = 0;
      std::memcpy(&bits, &real, sizeof bits);
      append(bytes, static_cast<std::uint16_t>(bits >> 16));
      return done();
    }
    case ElementType::int64:
    case ElementType::uint64:
      append(bytes, whole);
      return done();
    case ElementType::int32:
    case ElementType::uint32:
      append(bytes, static_cast<std::int32_t>(whole));
      return done();
    case ElementType::int16:
    case ElementType::uint16:
      append(bytes, static_cast<std::int16_t>(whole));
      return done();
    case ElementType::int8:
    case ElementType::uint8:
    case ElementType::boolean:
      append(bytes, static_cast<std::int8_t>(whole));
      return done();
    default:
      break;
  }
  return fail(
      Fault::unsupported,
      "no sample can be made for the input '" + port.name + "' of type " + to_string(port.type), {},
      "give one: --input-data FILE.npz");
}

IndexRange range_for(const Port& port, const std::map<std::string, IndexRange>& ranges) {
  const auto known = ranges.find(port.name);
  return known != ranges.end() ? known->second : IndexRange{0, 1};
}

Result<TensorPtr> generate_tensor(const Port& port, const std::vector<std::int64_t>& dims,
                                  const IndexRange& range, Random& random) {
  const std::uint64_t count = *count_elements(dims);
  std::string bytes;
  for (std::uint64_t i = 0; i < count; ++i) HONE_TRY_DO(append_element(bytes, port, random, range));
  return make_tensor(port.name, port.type.element, dims, Blob::own(std::move(bytes)));
}

// Follows an input through ops that keep its numbers to the tables it indexes.
void narrow(const Value& value, int depth, IndexRange& range, bool& is_index) {
  constexpr int deepest = 8;
  if (depth > deepest) return;
  for (const Use& use : value.uses()) {
    const Node& node = *use.node;
    if ((node.is("Gather") || node.is("GatherElements")) && use.index == 1 &&
        node.input(0) != nullptr) {
      const TensorPtr table = node.input(0)->constant();
      const std::int64_t axis = node.int_or("axis", 0);
      if (!table || axis < 0 || static_cast<std::size_t>(axis) >= table->dims.size()) continue;
      const std::int64_t last = table->dims[static_cast<std::size_t>(axis)] - 1;
      range.high = is_index ? std::min(range.high, last) : last;
      is_index = true;
    }
    const bool keeps_numbers = node.is("Cast") || node.is("Identity") || node.is("Reshape") ||
                               node.is("Unsqueeze") || node.is("Squeeze") || node.is("Flatten") ||
                               node.is("Expand");
    if (keeps_numbers && use.index == 0 && node.output(0) != nullptr)
      narrow(*node.output(0), depth + 1, range, is_index);
  }
}

}  // namespace

std::map<std::string, IndexRange> find_index_ranges(const Model& model) {
  std::map<std::string, IndexRange> ranges;
  for (const Value* input : model.graph->inputs()) {
    if (input->initializer() || is_float(input->type.element)) continue;
    IndexRange range;
    bool is_index = false;
    narrow(*input, 0, range, is_index);
    if (is_index) ranges[input->name()] = range;
    if (!is_index && lowercase(input->name()).find("mask") != std::string::npos)
      ranges[input->name()] = {1, 1};
  }
  return ranges;
}

Result<GeneratedSamples> generate_samples(const std::vector<Port>& inputs, const ShapeRules& rules,
                                          const std::map<std::string, IndexRange>& ranges,
                                          std::uint64_t seed, std::size_t count) {
  GeneratedSamples made;
  HONE_TRY_DO(check_rules(inputs, rules, made.assumptions));
  std::map<std::string, std::vector<std::int64_t>> shapes;
  for (const Port& port : inputs) {
    HONE_TRY(shapes[port.name], close_shape(port, rules, made.assumptions));
    if (&port == &inputs.front() && !shapes[port.name].empty()) made.batch = shapes[port.name][0];
  }
  for (std::size_t i = 0; i < count; ++i) {
    Sample& sample = made.samples.emplace_back();
    for (const Port& port : inputs) {
      // Each tensor has a stream of its own, so that adding an input changes no other.
      std::uint64_t stream = mix64(seed + i);
      for (const char letter : port.name)
        stream = mix64(stream ^ static_cast<unsigned char>(letter));
      Random random(stream);
      HONE_TRY(sample[port.name],
               generate_tensor(port, shapes[port.name], range_for(port, ranges), random));
    }
  }
  return made;
}

}  // namespace hone
