#include "transform/quantize/idle_settings.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "kinds/precision.h"
#include "transform/quantize/method.h"

namespace hone {
namespace {

bool asks_for(const QuantizeRecipe& recipe, std::initializer_list<Making> makings) {
  return std::ranges::any_of(recipe.precisions, [&](const std::string& asked) {
    const Precision* precision = find_made_precision(asked);
    const Making making = precision != nullptr ? precision->making : Making::ranges;
    return std::ranges::count(makings, making) > 0;
  });
}

bool has_ranges(const QuantizeRecipe& recipe) { return asks_for(recipe, {Making::ranges}); }

bool has_integers(const QuantizeRecipe& recipe) {
  return asks_for(recipe, {Making::ranges, Making::while_running});
}

bool has_blocks(const QuantizeRecipe& recipe) { return asks_for(recipe, {Making::blocks}); }

bool has_ranges_or_blocks(const QuantizeRecipe& recipe) {
  return has_ranges(recipe) || has_blocks(recipe);
}

bool has_percentile(const QuantizeRecipe& recipe) {
  const auto method = find_method(recipe.method);
  return method && method->takes_percentile;
}

struct Setting {
  std::string_view name;
  bool (*is_said)(const QuantizeRecipe& recipe);
  void (*reset)(QuantizeRecipe& recipe);
  bool (*is_looked_at)(const QuantizeRecipe& recipe);
  std::string_view needs;
};

template <auto member>
bool is_said(const QuantizeRecipe& recipe) {
  return recipe.*member != QuantizeRecipe().*member;
}

template <auto member>
void reset(QuantizeRecipe& recipe) {
  recipe.*member = QuantizeRecipe().*member;
}

template <auto member>
constexpr Setting setting(std::string_view name, bool (*is_looked_at)(const QuantizeRecipe&),
                          std::string_view needs) {
  return {name, is_said<member>, reset<member>, is_looked_at, needs};
}

constexpr std::string_view activations = "a precision with activations, like w8a8";
constexpr std::string_view integers = "a precision with integers, like w8a8";

constexpr auto settings = std::to_array<Setting>({
    setting<&QuantizeRecipe::method>("method", has_ranges, activations),
    setting<&QuantizeRecipe::percentile>("percentile", has_ranges, activations),
    setting<&QuantizeRecipe::percentile>("percentile", has_percentile, "the method percentile"),
    setting<&QuantizeRecipe::preset>("preset", has_ranges, activations),
    setting<&QuantizeRecipe::activation_type>("activation_type", has_ranges, activations),
    setting<&QuantizeRecipe::per_channel>("per_channel", has_integers, integers),
    setting<&QuantizeRecipe::weight_type>("weight_type", has_integers, integers),
    setting<&QuantizeRecipe::symmetric>("symmetric", has_ranges_or_blocks,
                                        "a precision like w8a8 or int4"),
    setting<&QuantizeRecipe::block_size>("block_size", has_blocks, "int4"),
});

bool is_idle(const Setting& one, const QuantizeRecipe& recipe) {
  return one.is_said(recipe) && !one.is_looked_at(recipe);
}

}  // namespace

std::vector<IdleSetting> idle_settings(const QuantizeRecipe& recipe) {
  std::vector<IdleSetting> idle;
  for (const Setting& one : settings) {
    const bool is_first = idle.empty() || idle.back().name != one.name;
    if (is_first && is_idle(one, recipe)) idle.push_back({one.name, one.needs});
  }
  return idle;
}

void reset_idle_settings(QuantizeRecipe& recipe) {
  for (const Setting& one : settings)
    if (is_idle(one, recipe)) one.reset(recipe);
}

}  // namespace hone
