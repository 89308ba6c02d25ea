#pragma once
// Attention in windows, as Swin has it: maps that are cut into squares, shifted by half a square
// in every other layer, and how far apart two positions of a square are.

#include "checkpoint/net.h"

namespace hone {

struct Windows {
  std::int64_t rows = 1, columns = 1;  // of the map
  std::int64_t width = 1;              // its channels
  std::int64_t size = 1;               // the side of a window
  std::int64_t shift = 0;

  std::int64_t padded_rows() const { return (rows + size - 1) / size * size; }
  std::int64_t padded_columns() const { return (columns + size - 1) / size * size; }
  std::int64_t positions() const { return size * size; }
};

// The largest window that is written: what is counted within one grows by its fourth power.
inline constexpr std::int64_t largest_window = 32;

// [batch, rows * columns, width], padded with zeros and shifted, as [windows, positions, width].
Value* cut_windows(Net& net, const Windows& w, Value* x);
Value* join_windows(Net& net, const Windows& w, Value* x);
// A table [(2 * size - 1)^2, heads] of numbers for distances as [1, heads, positions, positions].
Value* spread_over_positions(Net& net, const Windows& w, Value* table, std::int64_t heads);
// `bias` of each window, and `hidden` where two positions come from opposite sides of a shifted
// map: [windows, heads, positions, positions] for as many windows as x [windows, ...] has.
Value* window_bias(Net& net, const Windows& w, Value* bias, double hidden, std::int64_t heads,
                   Value* x);

}  // namespace hone
