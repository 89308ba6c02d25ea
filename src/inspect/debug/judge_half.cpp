#include "inspect/debug/judge_half.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "inspect/debug/judge.h"

namespace hone {
namespace {

bool is_half_loss(const ActivationLoss& loss) {
  return loss.type == name_of(ElementType::float16) || loss.type == name_of(ElementType::bfloat16);
}

// By its node alone.
bool is_damaged_alone(const ActivationLoss& loss) {
  return loss.local_not_finite > 0 || loss.local_sqnr_db.value_or(damaged_db) < damaged_db;
}

bool is_damaged(const ActivationLoss& loss) {
  return loss.not_finite > 0 || loss.cumulative_sqnr_db.value_or(damaged_db) < damaged_db;
}

class HalfClasses {
 public:
  HalfClasses(const std::vector<std::vector<std::size_t>>& inputs,
              const std::vector<WeightLoss>& weights, std::vector<ActivationLoss>& losses)
      : inputs_(inputs), losses_(losses), readers_(losses.size()), harmless_(losses.size()) {
    for (std::size_t i = 0; i < inputs.size(); ++i)
      for (const std::size_t input : inputs[i]) readers_[input].push_back(i);
    for (const WeightLoss& weight : weights) {
      if (weight.weight_sqnr_db.value_or(damaged_db) < damaged_db) damaged_.insert(weight.node);
    }
  }

  void run(HalfSummary& summary) {
    find_harmless();
    for (std::size_t i = 0; i < losses_.size(); ++i) {
      if (!is_half_loss(losses_[i])) continue;
      classify(i);
      count(i, summary);
    }
  }

 private:
  // Readers stand behind what they read. The shadow of a reader sees an infinity where the float
  // tensor itself is beyond the range, and not one that came from further up.
  void find_harmless() {
    for (std::size_t i = losses_.size(); i-- > 0;) {
      harmless_[i] = losses_[i].local_not_finite > 0 && losses_[i].overflow > 0 &&
                     !readers_[i].empty() &&
                     std::ranges::all_of(readers_[i], [&](std::size_t reader) {
                       return harmless_[reader] || !is_damaged_alone(losses_[reader]);
                     });
    }
  }

  bool loses_alone(std::size_t i) const { return is_damaged_alone(losses_[i]) && !harmless_[i]; }

  void classify(std::size_t i) {
    ActivationLoss& loss = losses_[i];
    const bool is_told_by_inputs =
        std::ranges::any_of(inputs_[i], [&](std::size_t input) { return loses_alone(input); });
    const bool has_own_range = loss.overflow > 0;
    const bool begins = loses_alone(i) && (has_own_range || !is_told_by_inputs);
    loss.loss_class = begins             ? LossClass::originator
                      : is_damaged(loss) ? LossClass::inheritor
                                         : LossClass::clean;
    if (begins) loss.cause = cause_of(i);
  }

  LossCause cause_of(std::size_t i) const {
    const ActivationLoss& loss = losses_[i];
    if (loss.overflow > 0 && loss.local_not_finite > 0) return LossCause::overflow;
    const bool reads_zeros = std::ranges::any_of(
        inputs_[i], [&](std::size_t input) { return losses_[input].underflow > 0; });
    if (loss.local_not_finite > 0) return reads_zeros ? LossCause::underflow : LossCause::overflow;
    if (damaged_.contains(loss.node)) return LossCause::weights;
    if (loss.cause == LossCause::underflow || reads_zeros) return LossCause::underflow;
    return LossCause::few_digits;
  }

  void count(std::size_t i, HalfSummary& summary) const {
    const ActivationLoss& loss = losses_[i];
    summary.underflow += loss.underflow > 0 ? 1 : 0;
    summary.harmless_overflow += harmless_[i] ? 1 : 0;
    if (loss.local_not_finite == 0 || harmless_[i]) return;
    ++summary.overflow;
    if (!summary.first_overflow) summary.first_overflow = loss.tensor_name;
  }

  const std::vector<std::vector<std::size_t>>& inputs_;
  std::vector<ActivationLoss>& losses_;
  std::vector<std::vector<std::size_t>> readers_;
  std::vector<bool> harmless_;
  std::set<std::string> damaged_;  // nodes with weights that are
};

}  // namespace

// The error is uniform within one unit of the last digit, u = 2^(1 - digits) of the power of two
// below a number: u^2 / 12 of it. Of numbers m times that power of two, with m as likely in any
// part of [1, 2) on a scale of logarithms, 1 / m^2 is 0.541 in the mean.
double expected_half_sqnr_db(ElementType type) {
  const double unit = std::ldexp(1.0, 1 - half_limits(type).digits);
  return 10 * std::log10(12 / (0.541 * unit * unit));
}

void judge_half(const ErrorSums& local, const ErrorSums& cumulative, const RangeCounts& range,
                ElementType type, ActivationLoss& loss) {
  loss.local_not_finite = local.not_finite;
  loss.not_finite = cumulative.not_finite;
  loss.overflow = range.overflow;
  loss.underflow = range.underflow;
  if (range.numbers > 0) loss.largest = range.largest;
  // Where numbers are gone, the noise of those that are left says nothing.
  if (local.not_finite > 0) loss.local_sqnr_db.reset();
  if (cumulative.not_finite > 0) loss.cumulative_sqnr_db.reset();
  loss.expected_sqnr_db = expected_half_sqnr_db(type);
  if (!loss.local_sqnr_db) return;
  loss.excess_loss_db = *loss.expected_sqnr_db - *loss.local_sqnr_db;
  const bool is_small = *loss.excess_loss_db > excess_db && range.is_mostly_small();
  if (is_small) loss.cause = LossCause::underflow;
}

void classify_halves(const std::vector<std::vector<std::size_t>>& inputs,
                     const std::vector<WeightLoss>& weights, std::vector<ActivationLoss>& losses,
                     HalfSummary& summary) {
  HalfClasses(inputs, weights, losses).run(summary);
}

}  // namespace hone
