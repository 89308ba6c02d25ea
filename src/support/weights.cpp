#include "support/weights.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"

namespace hone {
namespace {

struct ElementBits {
  std::string_view type;
  std::uint64_t bits;
};

// Types that parameters are stored in. Shapes, indices and biases in int32 are none: no precision
// speaks of them.
constexpr auto parameter_types = std::to_array<ElementBits>({
    {"float", 32},
    {"double", 64},
    {"float16", 16},
    {"bfloat16", 16},
    {"float8e4m3fn", 8},
    {"float8e5m2", 8},
    {"int16", 16},
    {"uint16", 16},
    {"int8", 8},
    {"uint8", 8},
    {"int4", 4},
    {"uint4", 4},
});

using Types = std::array<std::string_view, 4>;  // any of them; empty ones do not count

struct WeightTypes {
  std::string_view precision;
  Types types;
  Types beside;        // what tables that are looked up in become: the type of activations
  bool is_for_matmul;  // only weights that are multiplied by, and no tables
};

// int4 weights are packed into uint8 by operators that have no type of four bits.
constexpr auto known = std::to_array<WeightTypes>({
    {"fp16", {"float16"}, {}, false},
    {"w8a8", {"int8", "uint8"}, {}, false},
    {"w8a16", {"int8", "uint8"}, {"int16", "uint16"}, false},
    {"dynamic", {"int8", "uint8"}, {}, true},
    {"w16a8", {"int16", "uint16"}, {"int8", "uint8"}, false},
    {"int16", {"int16", "uint16"}, {}, false},
    {"int4", {"int4", "uint4", "uint8"}, {}, true},
    {"w4a16", {"int4", "uint4", "uint8"}, {}, true},
});

using Bytes = std::map<std::string, std::uint64_t>;

// The share of parameters that `counts` takes. Parameters and not bytes: a byte of four-bit weights
// is two of them, and four bytes of floats are one.
template <class Counts>
double share_of(const Bytes& weights, Counts&& counts) {
  constexpr double bits_in_byte = 8;
  double taken = 0;
  double all = 0;
  for (const ElementBits& element : parameter_types) {
    const auto found = weights.find(std::string(element.type));
    if (found == weights.end()) continue;
    const double parameters =
        static_cast<double>(found->second) * bits_in_byte / static_cast<double>(element.bits);
    all += parameters;
    if (counts(element.type)) taken += parameters;
  }
  return all > 0 ? taken / all : 0;
}

bool has(const Types& types, std::string_view type) {
  return std::ranges::find(types, type) != types.end();
}

constexpr double larger_part = 0.5;
// Of a model whose parameters are mostly tables, or that has two precisions.
constexpr double least_part = 0.05;

std::string described(const Bytes& weights) {
  std::vector<std::string> parts;
  for (const auto& [type, bytes] : weights) parts.push_back(type + " " + format_bytes(bytes));
  return parts.empty() ? "none" : join(parts, ", ");
}

}  // namespace

std::string weights_problem(const Recipe& recipe, const Bytes& weight_bytes) {
  const bool is_float = !recipe.quantize || recipe.quantize->precisions.empty();
  const auto problem = [&](const std::string& name) {
    return "it is called " + name + ", and its weights are: " + described(weight_bytes);
  };
  if (is_float) {
    const double share = share_of(weight_bytes, [](auto type) { return type == "float"; });
    return share > larger_part ? std::string() : problem("fp32");
  }
  std::vector<const WeightTypes*> named;
  for (const std::string& precision : recipe.quantize->precisions) {
    const auto found = std::ranges::find(known, precision, &WeightTypes::precision);
    if (found == known.end()) return "nobody knows the weights of '" + printable(precision) + "'";
    const double share = share_of(weight_bytes, [&](auto type) { return has(found->types, type); });
    if (share < least_part) return problem(precision);
    named.push_back(&*found);
  }
  const double together = share_of(weight_bytes, [&](auto type) {
    return std::ranges::any_of(named, [&](const WeightTypes* one) {
      return has(one->types, type) || has(one->beside, type);
    });
  });
  const bool covers_tables =
      !std::ranges::all_of(named, [](const WeightTypes* one) { return one->is_for_matmul; });
  return covers_tables && together <= larger_part ? problem(join(recipe.quantize->precisions, "-"))
                                                  : std::string();
}

}  // namespace hone
