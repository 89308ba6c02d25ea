#include "inspect/run/summarize.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>

#include "model/elements.h"

namespace hone {
namespace {

constexpr std::size_t few = 16;

// Calls `look` with some elements at a time: a large output takes no memory of its own.
void for_each_part(const Tensor& tensor, const std::function<void(std::span<const double>)>& look) {
  const bool is_flag = tensor.type == ElementType::boolean;
  const ElementType type = is_flag ? ElementType::uint8 : tensor.type;
  if (!holds_numbers(type)) return;
  constexpr std::size_t part = 1 << 16;
  const std::size_t count = tensor.element_count();
  std::vector<double> numbers;
  for (std::size_t at = 0; at < count; at += part) {
    numbers.resize(std::min(part, count - at));
    // A part begins at a whole byte whatever the type.
    decode_elements(type, tensor.dense.view().substr(*bytes_of(type, at)), numbers);
    look(numbers);
  }
}

void add_range(const Tensor& tensor, RunOutput& output) {
  double sum = 0;
  std::uint64_t finite = 0;
  for_each_part(tensor, [&](std::span<const double> numbers) {
    for (const double number : numbers) {
      output.nan += std::isnan(number) ? 1 : 0;
      output.infinite += std::isinf(number) ? 1 : 0;
      if (!std::isfinite(number)) continue;
      output.min = std::min(output.min.value_or(number), number);
      output.max = std::max(output.max.value_or(number), number);
      sum += number;
      ++finite;
    }
  });
  if (finite > 0) output.mean = sum / static_cast<double>(finite);
}

std::vector<Json> values_of(const Tensor& tensor) {
  std::vector<Json> values;
  if (tensor.type == ElementType::string) {
    for (const std::string& text : tensor.strings) values.emplace_back(text);
  } else if (const auto whole = to_ints(tensor)) {
    for (const std::int64_t number : *whole)
      values.push_back(tensor.type == ElementType::boolean ? Json(number != 0) : Json(number));
  } else {
    for_each_part(tensor, [&](std::span<const double> numbers) {
      for (const double number : numbers) values.emplace_back(number);
    });
  }
  return values;
}

bool looks_like_scores(const Tensor& tensor) {
  const std::vector<std::int64_t>& dims = tensor.dims;
  const bool is_row = dims.size() == 1 || (dims.size() == 2 && dims[0] == 1);
  return is_float(tensor.type) && holds_numbers(tensor.type) && is_row && dims.back() > 1;
}

std::vector<RunScore> best_of(const Tensor& tensor, const SummaryRules& rules) {
  std::vector<double> scores;
  for_each_part(tensor, [&](std::span<const double> numbers) {
    scores.insert(scores.end(), numbers.begin(), numbers.end());
  });
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t index) { return !std::isfinite(scores[index]); });
  const std::size_t top = std::min(rules.top, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(top), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
                    });
  order.resize(top);
  const bool are_named = rules.labels && rules.labels->names.size() == scores.size();
  std::vector<RunScore> best;
  for (const std::size_t index : order) {
    RunScore& score = best.emplace_back(RunScore{.index = index, .score = scores[index]});
    if (are_named) score.label = rules.labels->names[index];
  }
  return best;
}

}  // namespace

RunOutput summarize(const Tensor& tensor, const SummaryRules& rules) {
  RunOutput output;
  output.name = tensor.name;
  output.type = name_of(tensor.type);
  output.shape = tensor.dims;
  output.elements = tensor.element_count();
  add_range(tensor, output);
  if (output.elements <= few) output.values = values_of(tensor);
  if (looks_like_scores(tensor) && rules.top > 0) output.top = best_of(tensor, rules);
  return output;
}

}  // namespace hone
