#include "checkpoint/stages.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace hone {
namespace {

constexpr std::int64_t largest_size = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t most_layers = 1'000;

std::vector<std::int64_t> within(const Config& config, std::string_view key,
                                 std::vector<std::int64_t> values, std::int64_t low,
                                 std::int64_t high) {
  const auto is_within = [&](std::int64_t value) { return value >= low && value <= high; };
  if (std::all_of(values.begin(), values.end(), is_within)) return values;
  config.refuse(key, "each can be " + std::to_string(low) + " to " + std::to_string(high));
  return {};
}

std::vector<std::int64_t> in_order(const Config& config, std::string_view key,
                                   std::vector<std::int64_t> stages) {
  if (std::adjacent_find(stages.begin(), stages.end(), std::greater_equal<>()) == stages.end()) {
    return stages;
  }
  config.refuse(key, "they have to be in the order of the stages, each once");
  return {};
}

std::vector<std::int64_t> named_stages(const Config& config,
                                       const std::vector<std::string>& names) {
  std::vector<std::int64_t> stages;
  for (const std::string& word : config.words("out_features", {})) {
    const auto at = std::find(names.begin(), names.end(), word);
    if (at != names.end()) {
      stages.push_back(at - names.begin());
      continue;
    }
    config.refuse("out_features", "there are stem, stage1, ... " + names.back());
    return {};
  }
  return in_order(config, "out_features", std::move(stages));
}

std::vector<std::int64_t> numbered_stages(const Config& config, std::int64_t stages) {
  std::vector<std::int64_t> numbers;
  for (const std::int64_t index : config.wholes("out_indices", {})) {
    numbers.push_back(index < 0 ? index + stages + 1 : index);
  }
  return in_order(config, "out_indices",
                  within(config, "out_indices", std::move(numbers), 0, stages));
}

}  // namespace

std::vector<std::int64_t> stage_sizes(const Config& config, std::string_view key,
                                      std::vector<std::int64_t> otherwise) {
  return within(config, key, config.wholes(key, std::move(otherwise)), 1, largest_size);
}

std::vector<std::int64_t> stage_depths(const Config& config, std::vector<std::int64_t> otherwise) {
  std::vector<std::int64_t> depths =
      within(config, "depths", config.wholes("depths", std::move(otherwise)), 0, most_layers);
  if (std::accumulate(depths.begin(), depths.end(), std::int64_t{0}) <= most_layers) return depths;
  config.refuse("depths", "there can be at most 1,000 layers in all");
  return {};
}

std::vector<std::int64_t> feature_stages(const Config& config, std::int64_t stages) {
  std::vector<std::string> names = {"stem"};
  for (std::int64_t i = 1; i <= stages; ++i) names.push_back("stage" + std::to_string(i));
  if (config.nullable().words("stage_names", names) != names) {
    config.refuse("stage_names", "they have to be stem, stage1, ... " + names.back());
  }
  const bool are_named = config.has("out_features");
  const bool are_numbered = config.has("out_indices");
  if (!are_named && !are_numbered) return {stages};
  const std::vector<std::int64_t> by_name = named_stages(config, names);
  const std::vector<std::int64_t> by_number = numbered_stages(config, stages);
  if (are_named && are_numbered && by_name != by_number) {
    config.refuse("out_indices", "out_features says others");
    return {};
  }
  return are_named ? by_name : by_number;
}

std::int64_t scaled_size(const Config& config, std::string_view key, double otherwise,
                         std::int64_t width) {
  const double size = std::trunc(static_cast<double>(width) * config.real(key, otherwise));
  if (size >= 1 && size <= 1e12) return static_cast<std::int64_t>(size);
  config.refuse(key, "nothing would be left, or too much");
  return 1;
}

std::int64_t side_of_square(const Config& config, std::int64_t patches) {
  const auto side =
      static_cast<std::int64_t>(std::llround(std::sqrt(static_cast<double>(patches))));
  if (side >= 1 && side <= largest_size && side * side == patches) return side;
  config.refuse("image_size", "its patches have to be the number of those of a square");
  return 1;
}

}  // namespace hone
