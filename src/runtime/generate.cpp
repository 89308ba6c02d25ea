// Samples we make: seeded, of shapes the model takes, with integers that stay inside its tables.

#include <cmath>
#include <cstring>

#include "base/random.h"
#include "base/text.h"
#include "model/elements.h"
#include "runtime/samples.h"

namespace hone {
namespace {

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

IndexRange range_for(const Port& port, const InputFacts& facts) {
  const auto known = facts.ranges.find(port.name);
  return known != facts.ranges.end() ? known->second : IndexRange{0, 1};
}

Result<TensorPtr> generate_tensor(const Port& port, const std::vector<std::int64_t>& dims,
                                  const IndexRange& range, Random& random) {
  const std::uint64_t count = *count_elements(dims);
  std::string bytes;
  for (std::uint64_t i = 0; i < count; ++i) HONE_TRY_DO(append_element(bytes, port, random, range));
  return make_tensor(port.name, port.type.element, dims, Blob::own(std::move(bytes)));
}

// The same value in every element.
Result<TensorPtr> fill_tensor(const Port& port, const std::vector<std::int64_t>& dims,
                              double value) {
  const std::uint64_t count = *count_elements(dims);
  const bool is_flag = port.type.element == ElementType::boolean;
  if (!is_flag && !holds_numbers(port.type.element)) {
    return fail(Fault::unsupported, "the input '" + printable(port.name) + "' of type " +
                                        to_string(port.type) + " takes no number");
  }
  std::string bytes(is_flag ? count : *bytes_of(port.type.element, count), value != 0 ? 1 : 0);
  if (!is_flag) {
    const std::vector<double> numbers(count, value);
    encode_elements(port.type.element, numbers, bytes.data());
  }
  return make_tensor(port.name, port.type.element, dims, Blob::own(std::move(bytes)));
}

Result<TensorPtr> make_input(const Port& port, const ClosedInputs& closed, const InputFacts& facts,
                             std::uint64_t seed) {
  const std::vector<std::int64_t>& dims = closed.shapes.at(port.name);
  const auto value = closed.values.find(port.name);
  if (value != closed.values.end()) return fill_tensor(port, dims, value->second);
  if (closed.branches.contains(port.name))
    return fill_tensor(port, dims, static_cast<double>(seed % 2));
  // Each tensor has a stream of its own, so that adding an input changes no other.
  std::uint64_t stream = mix64(seed);
  for (const char letter : port.name) stream = mix64(stream ^ static_cast<unsigned char>(letter));
  Random random(stream);
  return generate_tensor(port, dims, range_for(port, facts), random);
}

}  // namespace

Result<GeneratedSamples> generate_samples(const std::vector<Port>& inputs, const ShapeRules& rules,
                                          const InputFacts& facts, std::uint64_t seed,
                                          std::size_t count) {
  GeneratedSamples made;
  HONE_TRY(const ClosedInputs closed, close_inputs(inputs, rules, facts));
  if (std::string line = describe_assumptions(closed); !line.empty())
    made.assumptions.push_back(std::move(line));
  if (!inputs.empty() && !closed.shapes.at(inputs.front().name).empty())
    made.batch = closed.shapes.at(inputs.front().name).front();
  for (std::size_t i = 0; i < count; ++i) {
    Sample& sample = made.samples.emplace_back();
    for (const Port& port : inputs) {
      HONE_TRY(sample[port.name], make_input(port, closed, facts, seed + i));
    }
  }
  return made;
}

}  // namespace hone
