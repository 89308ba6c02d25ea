#pragma once
// The shapes of an attention, as far as they are known.

#include <cstdint>
#include <optional>

#include "transform/match/attention.h"

namespace hone {

struct HeadLayout {
  Dim batch;
  Dim queries;
  Dim keys;
  std::int64_t heads = 0;
  std::int64_t size = 0;        // of a head of the query and the key
  std::int64_t value_size = 0;  // of a head of the value
};

// Nothing when the shapes are not known to fit each other, or how many heads there are.
std::optional<HeadLayout> layout_of(const AttentionMatch& attention);

// [B,S,N*H] that a Reshape made [B,S,N,H] of; null when there is none.
Value* flat_source(const Value& heads);
// [B,S,N*H] that a Reshape makes of the result; null when there is none, or others use the result.
Value* flat_result(const Value& result, const HeadLayout& layout);
// Whether query, key, value and result all have three axes outside of the attention.
bool is_of_three_axes(const AttentionMatch& attention, const HeadLayout& layout);

}  // namespace hone
