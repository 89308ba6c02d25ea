#include "support/weights.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "base/text.h"

namespace hone {
namespace {

struct WeightTypes {
  std::string_view precision;
  std::array<std::string_view, 5> types;  // any of them; empty ones do not count
};

// int4 weights are packed into uint8 by operators that have no type of four bits.
constexpr auto known = std::to_array<WeightTypes>({
    {"fp16", {"float16"}},
    {"w8a8", {"int8", "uint8"}},
    {"w8a16", {"int8", "uint8"}},
    {"dynamic", {"int8", "uint8"}},
    {"w16a8", {"int16", "uint16"}},
    {"int16", {"int16", "uint16"}},
    {"int4", {"int4", "uint4", "uint8"}},
    {"w4a16", {"int4", "uint4", "uint8"}},
});

std::uint64_t bytes_of(const std::map<std::string, std::uint64_t>& weights,
                       std::span<const std::string_view> types) {
  std::uint64_t sum = 0;
  for (const auto& [type, bytes] : weights)
    if (std::ranges::find(types, type) != types.end()) sum += bytes;
  return sum;
}

std::string described(const std::map<std::string, std::uint64_t>& weights) {
  std::vector<std::string> parts;
  for (const auto& [type, bytes] : weights) parts.push_back(type + " " + format_bytes(bytes));
  return parts.empty() ? "none" : join(parts, ", ");
}

}  // namespace

std::string weights_problem(const Recipe& recipe,
                            const std::map<std::string, std::uint64_t>& weight_bytes) {
  if (!recipe.quantize || recipe.quantize->precisions.empty()) {
    constexpr std::array<std::string_view, 3> floats = {"float", "double", "float32"};
    if (bytes_of(weight_bytes, floats) > 0) return {};
    return "it is called fp32, and its weights are: " + described(weight_bytes);
  }
  for (const std::string& precision : recipe.quantize->precisions) {
    const auto found = std::ranges::find(known, precision, &WeightTypes::precision);
    if (found == known.end()) return "nobody knows the weights of '" + printable(precision) + "'";
    if (bytes_of(weight_bytes, found->types) == 0)
      return "it is called " + precision + ", and its weights are: " + described(weight_bytes);
  }
  return {};
}

}  // namespace hone
