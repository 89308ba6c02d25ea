#include "inspect/debug/judge.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"

namespace hone {
namespace {

// Rounding is as likely to go one way as the other: noise of step^2 / 12.
double rounding_noise(double step) { return step * step / 12; }

// How much of the range stays unused: half a bit is as much as an excess of 3 dB.
LossCause cause_of(const ErrorSums& local, const UniformGrid& grid) {
  const bool is_clipped = local.low < grid.low - grid.scale || local.high > grid.high + grid.scale;
  if (is_clipped) return LossCause::clipping;
  const double noise = local.noise / static_cast<double>(local.elements);
  return noise <= 2 * rounding_noise(grid.scale) ? LossCause::wrong_range : LossCause::kernel;
}

// The tensor's own rounding makes half or more of all its noise.
bool is_own_noise(const ActivationLoss& loss) {
  return loss.local_sqnr_db && loss.cumulative_sqnr_db &&
         *loss.local_sqnr_db <= *loss.cumulative_sqnr_db + 10 * std::log10(2.0);
}

bool is_damaged(const ActivationLoss& loss) {
  return loss.cumulative_sqnr_db.value_or(loss.local_sqnr_db.value_or(damaged_db)) < damaged_db;
}

bool is_originator(const ActivationLoss& loss) {
  if (loss.excess_loss_db.value_or(0) > gross_excess_db) return true;
  if (!is_damaged(loss)) return false;
  // Without a counterpart nothing is known of what came with its inputs.
  return is_own_noise(loss) || (!loss.cumulative_sqnr_db && !loss.cumulative_exact);
}

// Its inputs are a quarter as noisy, at the most.
bool is_noisier_than_inputs(std::size_t index, const std::vector<std::size_t>& inputs,
                            const std::vector<ActivationLoss>& losses) {
  if (!losses[index].cumulative_sqnr_db) return false;
  return std::ranges::all_of(inputs, [&](std::size_t input) {
    const ActivationLoss& loss = losses[input];
    if (loss.cumulative_exact) return true;
    constexpr double quarter_db = 6;
    return loss.cumulative_sqnr_db &&
           *loss.cumulative_sqnr_db >= *losses[index].cumulative_sqnr_db + quarter_db;
  });
}

}  // namespace

std::optional<double> expected_sqnr_db(const ErrorSums& local, int bits) {
  if (local.elements == 0 || local.signal <= 0) return std::nullopt;
  const double width = std::max(local.high, 0.0) - std::min(local.low, 0.0);
  const double step = width / (std::ldexp(1.0, bits) - 1);
  const double power = local.signal / static_cast<double>(local.elements);
  const double expected = 10 * std::log10(power / rounding_noise(step));
  return std::isfinite(expected) ? std::optional(expected) : std::nullopt;
}

void judge(const ErrorSums& local, const ErrorSums& cumulative,
           const std::optional<UniformGrid>& grid, ActivationLoss& loss) {
  loss.local_sqnr_db = local.sqnr_db();
  loss.local_exact = local.is_exact();
  loss.cumulative_sqnr_db = cumulative.sqnr_db();
  loss.cumulative_exact = cumulative.is_exact();
  loss.cosine = cumulative.cosine();
  loss.max_abs_error = cumulative.error();
  loss.not_finite = std::max(local.not_finite, cumulative.not_finite);
  if (!grid) return;
  loss.expected_sqnr_db = expected_sqnr_db(local, grid->bits);
  if (!loss.expected_sqnr_db || !loss.local_sqnr_db) return;
  loss.excess_loss_db = *loss.expected_sqnr_db - *loss.local_sqnr_db;
  if (*loss.excess_loss_db > excess_db) loss.cause = cause_of(local, *grid);
}

void classify(const std::vector<std::vector<std::size_t>>& inputs,
              std::vector<ActivationLoss>& losses) {
  for (ActivationLoss& loss : losses) {
    loss.loss_class = is_originator(loss) ? LossClass::originator
                      : is_damaged(loss)  ? LossClass::inheritor
                                          : LossClass::clean;
  }
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const bool follows = std::ranges::any_of(inputs[i], [&](std::size_t input) {
      return losses[input].loss_class == LossClass::originator;
    });
    // A range that does not fit what came with a damaged input is no fault of its own.
    const bool is_inherited = losses[i].cumulative_sqnr_db && !is_own_noise(losses[i]);
    if (follows && is_inherited) losses[i].loss_class = LossClass::inheritor;
  }
}

void blame_weights(const std::vector<std::vector<std::size_t>>& inputs,
                   const std::vector<WeightLoss>& weights, std::vector<ActivationLoss>& losses) {
  std::set<std::string> damaged;
  for (const WeightLoss& weight : weights) {
    if (!weight.node.empty() && weight.weight_sqnr_db.value_or(damaged_db) < damaged_db)
      damaged.insert(weight.node);
  }
  for (std::size_t i = 0; i < losses.size(); ++i) {
    ActivationLoss& loss = losses[i];
    if (loss.loss_class != LossClass::inheritor || !damaged.contains(loss.node)) continue;
    if (!is_noisier_than_inputs(i, inputs[i], losses)) continue;
    loss.loss_class = LossClass::originator;
    loss.cause = LossCause::weights;
  }
}

LossSummary summarize(const std::vector<std::optional<double>>& decibels) {
  LossSummary summary;
  double sum = 0;
  for (const std::optional<double>& value : decibels) {
    if (!value) continue;
    ++summary.count;
    sum += *value;
    summary.min = std::min(summary.min.value_or(*value), *value);
    summary.max = std::max(summary.max.value_or(*value), *value);
  }
  if (summary.count == 0) return summary;
  const auto count = static_cast<double>(summary.count);
  summary.mean = sum / count;
  double squares = 0;
  for (const std::optional<double>& value : decibels) {
    if (value) squares += (*value - *summary.mean) * (*value - *summary.mean);
  }
  summary.std = std::sqrt(squares / count);
  return summary;
}

std::string layer_of(const std::string& node_name) {
  std::vector<std::string> parts = split(node_name, '/');
  if (!parts.empty()) parts.pop_back();
  std::erase(parts, "");
  const auto has_number = [](const std::string& part) {
    return !part.empty() && part.back() >= '0' && part.back() <= '9';
  };
  const auto last = std::ranges::find_if(parts.rbegin(), parts.rend(), has_number);
  if (last != parts.rend()) parts.erase(last.base(), parts.end());
  return join(parts, "/");
}

}  // namespace hone
