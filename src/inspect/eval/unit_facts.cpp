#include "inspect/eval/unit_facts.h"

#include <algorithm>
#include <bit>

#include "base/random.h"

namespace hone {
namespace {

constexpr std::size_t most_sums = 16384;

std::uint64_t mixed(std::uint64_t hash, const UnitFacts::Facts& facts) {
  for (const double fact : facts) hash = mix64(hash ^ std::bit_cast<std::uint64_t>(fact));
  return mix64(hash ^ facts.size());
}

void add_up(const UnitFacts::Facts& facts, UnitFacts::Facts& sum) {
  sum.resize(std::max(sum.size(), facts.size()));
  for (std::size_t i = 0; i < facts.size(); ++i) sum[i] += facts[i];
}

void halve_sums(std::vector<UnitFacts::Facts>& sums) {
  for (std::size_t i = 0; i < sums.size() / 2; ++i) {
    if (i > 0) sums[i] = std::move(sums[2 * i]);
    add_up(sums[2 * i + 1], sums[i]);
  }
  sums.resize(sums.size() / 2);
}

}  // namespace

void UnitFacts::add(const Facts& own, const Facts& other) {
  ++units_;
  if (per_sum_ > 0) return add_to_sum(own, other);
  make_room();
  std::uint32_t& slot = slots_[slot_of(own, other)];
  if (slot == 0) {
    own_.push_back(own);
    other_.push_back(other);
    times_.push_back(0);
    slot = static_cast<std::uint32_t>(times_.size());
  }
  ++times_[slot - 1];
  if (adds_up_ && times_.size() == most_sums) begin_sums();
}

// The slot of these facts, or the free one where they would be.
std::size_t UnitFacts::slot_of(const Facts& own, const Facts& other) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = mixed(mixed(0, own), other) & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const std::size_t place = slots_[slot] - 1;
    if (own_[place] == own && other_[place] == other) break;
  }
  return slot;
}

// Half of the slots stay free, so that looking for one is short.
void UnitFacts::make_room() {
  if (slots_.size() > 2 * times_.size()) return;
  slots_.assign(std::max<std::size_t>(2 * slots_.size(), 64), 0);
  for (std::size_t place = 0; place < times_.size(); ++place)
    slots_[slot_of(own_[place], other_[place])] = static_cast<std::uint32_t>(place + 1);
}

// Where equal ones came is not known any more, so they are dealt out by chance: together they would
// be one heavy unit, and in turn the sums would differ less than units do.
void UnitFacts::begin_sums() {
  std::vector<Facts> own(most_sums / 2);
  std::vector<Facts> other(own.size());
  std::vector<bool> has_units(own.size());
  Random random(1);
  for (std::size_t place = 0; place < times_.size(); ++place) {
    for (std::uint64_t i = 0; i < times_[place]; ++i) {
      const std::uint64_t sum = random.below(own.size());
      add_up(own_[place], own[sum]);
      add_up(other_[place], other[sum]);
      has_units[sum] = true;
    }
  }
  own_.clear();
  other_.clear();
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (!has_units[i]) continue;
    own_.push_back(std::move(own[i]));
    other_.push_back(std::move(other[i]));
  }
  times_.assign(own_.size(), 1);
  slots_ = {};
  per_sum_ = (units_ + own_.size() - 1) / own_.size();
  in_last_ = per_sum_;
}

void UnitFacts::halve() {
  halve_sums(own_);
  halve_sums(other_);
  times_.assign(own_.size(), 1);
}

void UnitFacts::add_to_sum(const Facts& own, const Facts& other) {
  if (in_last_ == per_sum_) {
    if (own_.size() == most_sums) {
      halve();
      per_sum_ *= 2;
    }
    own_.emplace_back();
    other_.emplace_back();
    times_.push_back(1);
    in_last_ = 0;
  }
  add_up(own, own_.back());
  add_up(other, other_.back());
  ++in_last_;
}

}  // namespace hone
