#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <string_view>

#include "transform/axes.h"
#include "transform/detect/detectors.h"
#include "transform/patterns.h"

namespace hone::detect {
namespace {

// Elementwise: they compute the same before and after a Transpose.
constexpr std::array elementwise = {
    std::string_view("Add"),        std::string_view("Sub"),      std::string_view("Mul"),
    std::string_view("Div"),        std::string_view("Relu"),     std::string_view("Sigmoid"),
    std::string_view("Tanh"),       std::string_view("Erf"),      std::string_view("Gelu"),
    std::string_view("Clip"),       std::string_view("Cast"),     std::string_view("Sqrt"),
    std::string_view("Pow"),        std::string_view("Neg"),      std::string_view("Exp"),
    std::string_view("LeakyRelu"),  std::string_view("Identity"), std::string_view("HardSwish"),
    std::string_view("HardSigmoid")};

bool is_elementwise(const Node& node) {
  return std::ranges::any_of(elementwise, [&](auto op) { return node.is(op); });
}

bool takes_everything(const Node& slice) {
  const auto starts = ints_from(slice, "starts", 1);
  const auto ends = ints_from(slice, "ends", 2);
  const auto steps = ints_of(slice.input(4));
  if (!starts || !ends || (slice.input(4) != nullptr && !steps)) return false;
  const auto is_end = [](std::int64_t end) {
    return end == std::numeric_limits<std::int64_t>::max();
  };
  const auto all_are = [](const std::vector<std::int64_t>& numbers, std::int64_t wanted) {
    return std::ranges::all_of(numbers, [&](auto number) { return number == wanted; });
  };
  return all_are(*starts, 0) && std::ranges::all_of(*ends, is_end) &&
         (!steps || all_are(*steps, 1));
}

// The starts and ends of what a Concat puts together; empty when they are not known.
std::set<std::pair<std::int64_t, std::int64_t>> parts_of(const Node& concat, std::size_t axis) {
  std::set<std::pair<std::int64_t, std::int64_t>> parts;
  std::int64_t place = 0;
  for (const Value* input : concat.inputs()) {
    const auto extent = extent_of(input, axis);
    if (!extent) return {};
    parts.emplace(place, place + *extent);
    place += *extent;
  }
  return parts;
}

bool is_undone(const Node& concat) {
  const auto rank = rank_of(concat.output(0));
  const auto axis = rank ? axis_of(concat.int_or("axis", 0), *rank) : std::nullopt;
  const Value& joined = *concat.output(0);
  if (!axis || joined.uses().empty() || joined.is_graph_output()) return false;
  const auto parts = parts_of(concat, *axis);
  if (parts.empty()) return false;
  const std::int64_t extent = parts.rbegin()->second;
  return std::ranges::all_of(joined.uses(), [&](const Use& use) {
    if (!use.node->is("Slice") || use.index != 0) return false;
    const auto bounds = slice_bounds(*use.node, *rank);
    if (!bounds || bounds->axis != *axis) return false;
    const Range range = range_of(*bounds, extent);
    return parts.contains({range.first, range.end()});
  });
}

// Follows the only consumer of each value; a long chain of elementwise operators is still one look.
bool meets_a_transpose(const Node& transpose) {
  const Node* node = only_consumer(*transpose.output(0));
  while (node != nullptr && is_elementwise(*node)) node = only_consumer(*node->output(0));
  return node != nullptr && node->is("Transpose");
}

}  // namespace

Found whole_slice(const Rewriter& model) {
  Found found = model.nodes("Slice");
  std::erase_if(found, [](const Node* slice) { return !takes_everything(*slice); });
  return found;
}

Found idle_expand(const Rewriter& model) {
  Found found = model.nodes("Expand");
  std::erase_if(found, [](const Node* expand) {
    const auto before = static_shape(expand->input(0));
    return !before || !ints_of(expand->input(1)) || before != static_shape(expand->output(0));
  });
  return found;
}

Found constant_unsqueeze(const Rewriter& model) {
  Found found = model.nodes("Unsqueeze");
  std::erase_if(found, [](const Node* unsqueeze) {
    return unsqueeze->input(0) == nullptr || unsqueeze->input(0)->constant() == nullptr;
  });
  return found;
}

Found concat_slice(const Rewriter& model) {
  Found found = model.nodes("Concat");
  std::erase_if(found, [](const Node* concat) { return !is_undone(*concat); });
  return found;
}

Found meeting_transposes(const Rewriter& model) {
  Found found = model.nodes("Transpose");
  std::erase_if(found, [](const Node* transpose) { return !meets_a_transpose(*transpose); });
  return found;
}

}  // namespace hone::detect
