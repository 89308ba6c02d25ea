#include "support/weights.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"
#include "kinds/precision.h"

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

bool has(const std::vector<std::string_view>& types, std::string_view type) {
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
  std::vector<const Precision*> named;
  for (const std::string& name : recipe.quantize->precisions) {
    const Precision* found = find_precision(name);
    if (found == nullptr) return "nobody knows the weights of '" + printable(name) + "'";
    const double share =
        share_of(weight_bytes, [&](auto type) { return has(found->stored_as, type); });
    if (share < least_part) return problem(name);
    named.push_back(found);
  }
  const double together = share_of(weight_bytes, [&](auto type) {
    return std::ranges::any_of(named, [&](const Precision* one) {
      return has(one->stored_as, type) || has(one->tables_as, type);
    });
  });
  const bool covers_tables =
      !std::ranges::all_of(named, [](const Precision* one) { return one->is_of_products; });
  return covers_tables && together <= larger_part ? problem(join(recipe.quantize->precisions, "-"))
                                                  : std::string();
}

}  // namespace hone
