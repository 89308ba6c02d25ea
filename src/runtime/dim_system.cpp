#include "runtime/dim_system.h"

#include <algorithm>

namespace hone {
namespace {

// What a hostile model multiplies up to is no size; below it no product of two overflows.
constexpr std::int64_t most_size = std::int64_t{1} << 31;

bool is_size(std::int64_t size) { return size >= 0 && size < most_size; }

}  // namespace

DimSystem::Id DimSystem::open() {
  dims_.push_back({dims_.size(), std::nullopt});
  return dims_.size() - 1;
}

DimSystem::Id DimSystem::known(std::int64_t size) {
  const Id dim = open();
  if (is_size(size)) dims_[dim].size = size;
  return dim;
}

DimSystem::Id DimSystem::root(Id dim) const {
  while (dims_[dim].parent != dim) dim = dims_[dim].parent;
  return dim;
}

void DimSystem::equate(Id a, Id b) {
  // The older one stays the root, which keeps the paths short: values follow their inputs.
  const Id first = std::min(root(a), root(b));
  const Id second = std::max(root(a), root(b));
  if (first == second) return;
  std::optional<std::int64_t>& size = dims_[first].size;
  const std::optional<std::int64_t>& other = dims_[second].size;
  if (size && other && *size != *other) return;
  has_news_ = has_news_ || size.has_value() != other.has_value();
  if (!size) size = other;
  dims_[second].parent = first;
}

void DimSystem::set(Id dim, std::int64_t size) { learn(dim, size); }

void DimSystem::learn(Id dim, std::int64_t size) {
  Entry& entry = dims_[root(dim)];
  if (entry.size || !is_size(size)) return;
  entry.size = size;
  has_news_ = true;
}

// What a tie says is known at once to those that are added behind it: whether a dimension is 1
// decides what broadcasting means.
void DimSystem::add(Tie tie) {
  const bool had_news = has_news_;
  const bool was_known = size(tie.out).has_value();
  apply(ties_.emplace_back(std::move(tie)));
  // What comes out is new itself, and nothing hangs on it yet.
  has_news_ = had_news || was_known;
}

void DimSystem::add_sum(Id total, std::vector<Id> parts, std::int64_t plus) {
  add({.kind = Kind::sum, .out = total, .parts = std::move(parts), .plus = plus});
}

void DimSystem::add_product(Id total, std::vector<Id> parts) {
  add({.kind = Kind::product, .out = total, .parts = std::move(parts)});
}

void DimSystem::add_window(Id out, Id in, Window window) {
  if (window.stride <= 0 || !is_size(window.stride) || !is_size(window.extent)) return;
  add({.kind = Kind::window, .out = out, .parts = {in}, .window = window});
}

void DimSystem::add_scale(Id out, Id in, std::int64_t by, std::int64_t per) {
  if (by <= 0 || per <= 0 || !is_size(by) || !is_size(per)) return;
  add({.kind = Kind::scale, .out = out, .parts = {in}, .by = by, .per = per});
}

void DimSystem::solve() {
  while (has_news_) {
    has_news_ = false;
    for (const Tie& tie : ties_) apply(tie);
  }
}

void DimSystem::apply(const Tie& tie) {
  switch (tie.kind) {
    case Kind::sum:
    case Kind::product:
      return apply_fold(tie);
    case Kind::window:
      return apply_window(tie);
    case Kind::scale:
      return apply_scale(tie);
  }
}

// Sums and products: everything but one is known.
void DimSystem::apply_fold(const Tie& tie) {
  const bool is_sum = tie.kind == Kind::sum;
  std::int64_t rest = is_sum ? tie.plus : 1;
  std::optional<Id> unknown;
  for (const Id part : tie.parts) {
    const auto found = size(part);
    if (!found && unknown) return;
    if (!found) unknown = part;
    if (!found) continue;
    rest = is_sum ? rest + *found : rest * *found;
    if (rest >= most_size || rest <= -most_size) return;
  }
  if (!unknown) return learn(tie.out, rest);
  const auto total = size(tie.out);
  if (!total) return;
  if (is_sum) return learn(*unknown, *total - rest);
  if (rest > 0 && *total > 0 && *total % rest == 0) learn(*unknown, *total / rest);
}

void DimSystem::apply_window(const Tie& tie) {
  const auto& [extent, stride, pad] = tie.window;
  const Id in = tie.parts.front();
  if (const auto found = size(in)) {
    const std::int64_t room = *found + pad - extent;
    if (room >= 0) learn(tie.out, room / stride + 1);
    return;
  }
  const auto out = size(tie.out);
  if (!out || *out < 1) return;
  // Several sizes make this many steps; a whole number of strides is the usual one among them.
  const std::int64_t least = (*out - 1) * stride + extent - pad;
  const std::int64_t whole = *out * stride;
  learn(in, whole >= least && whole < least + stride ? whole : least);
}

void DimSystem::apply_scale(const Tie& tie) {
  const Id in = tie.parts.front();
  if (const auto found = size(in)) return learn(tie.out, *found * tie.by / tie.per);
  const auto out = size(tie.out);
  if (out && *out * tie.per % tie.by == 0) learn(in, *out * tie.per / tie.by);
}

}  // namespace hone
