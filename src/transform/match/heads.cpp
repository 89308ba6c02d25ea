#include "transform/match/heads.h"

#include <algorithm>
#include <array>

#include "transform/patterns.h"

namespace hone {
namespace {

// Far above any model, and small enough for products of two.
constexpr std::int64_t largest_dim = std::int64_t{1} << 24;

std::optional<std::int64_t> plausible(const Dim& dim) {
  const bool is_plausible = dim.value && *dim.value > 0 && *dim.value <= largest_dim;
  return is_plausible ? dim.value : std::nullopt;
}

// Whether a Reshape is written to make these three of what it is given: 0 takes a dimension over,
// and the one that is -1 is the one that is left.
bool is_written(const Node& reshape, const Shape& flat) {
  const auto target = ints_of(reshape.input(1));
  if (!target || target->size() != flat.size()) return false;
  const bool keeps_zeros = reshape.int_or("allowzero", 0) == 0;
  std::size_t rest = 0;
  for (std::size_t i = 0; i < flat.size(); ++i) {
    const bool is_taken_over = i < 2 && keeps_zeros && (*target)[i] == 0;
    if ((*target)[i] == -1) {
      ++rest;
    } else if (!is_taken_over && flat[i].value != (*target)[i]) {
      return false;
    }
  }
  return rest <= 1;
}

}  // namespace

std::optional<HeadLayout> layout_of(const AttentionMatch& attention) {
  const auto query = known_shape(attention.query);
  const auto key = known_shape(attention.key);
  const auto value = known_shape(attention.value);
  if (!query || !key || !value) return std::nullopt;
  if (query->size() != 4 || key->size() != 4 || value->size() != 4) return std::nullopt;
  const bool fit = same_dim((*query)[0], (*key)[0]) && same_dim((*key)[0], (*value)[0]) &&
                   same_dim((*key)[1], (*value)[1]) && same_dim((*query)[2], (*key)[2]) &&
                   same_dim((*key)[2], (*value)[2]) && same_dim((*query)[3], (*key)[3]);
  const auto heads = plausible((*query)[2]);
  const auto size = plausible((*query)[3]);
  const auto value_size = plausible((*value)[3]);
  if (!fit || !heads || !size || !value_size) return std::nullopt;
  return HeadLayout{(*query)[0], (*query)[1], (*key)[1], *heads, *size, *value_size};
}

Value* flat_source(const Value& heads) {
  const Node* reshape = producer_of(&heads, "Reshape");
  const auto source = reshape != nullptr ? known_shape(reshape->input(0)) : std::nullopt;
  const auto shape = known_shape(&heads);
  if (!source || !shape || shape->size() != 4) return nullptr;
  const auto count = plausible((*shape)[2]);
  const auto size = plausible((*shape)[3]);
  if (!count || !size) return nullptr;
  const Shape flat = {(*shape)[0], (*shape)[1], {.value = *count * *size}};
  return std::ranges::equal(*source, flat, same_dim) ? reshape->input(0) : nullptr;
}

Value* flat_result(const Value& result, const HeadLayout& layout) {
  const Node* reshape = only_consumer(result);
  if (reshape == nullptr || !reshape->is("Reshape")) return nullptr;
  const Shape flat = {layout.batch, layout.queries, {.value = layout.heads * layout.value_size}};
  const auto known = known_shape(reshape->output(0));
  const bool is_flat =
      (known && std::ranges::equal(*known, flat, same_dim)) || is_written(*reshape, flat);
  return is_flat ? reshape->output(0) : nullptr;
}

bool is_of_three_axes(const AttentionMatch& attention, const HeadLayout& layout) {
  const std::array inputs = {attention.query, attention.key, attention.value};
  return std::ranges::all_of(inputs, [](const Value* heads) { return flat_source(*heads); }) &&
         flat_result(*attention.nodes.back()->output(0), layout) != nullptr;
}

}  // namespace hone
