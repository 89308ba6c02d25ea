#include "checkpoint/windows.h"

namespace hone {
namespace {

Value* roll(Net& net, Value* x, std::int64_t axis, std::int64_t by) {
  return net.concat({net.slice(x, axis, by, Net::to_end), net.slice(x, axis, 0, by)}, axis);
}

Value* roll_both(Net& net, Value* x, std::int64_t rows, std::int64_t columns) {
  return roll(net, roll(net, x, 1, rows), 2, columns);
}

// [batch, padded rows, padded columns, width] as [windows, positions, width].
Value* partition(Net& net, const Windows& w, Value* x, std::int64_t width) {
  const std::int64_t down = w.padded_rows() / w.size;
  const std::int64_t across = w.padded_columns() / w.size;
  x = net.reshape(x, {0, down, w.size, across, w.size, width});
  return net.reshape(net.transpose(x, {0, 1, 3, 2, 4, 5}), {-1, w.positions(), width});
}

// Along one axis of a shifted map: 0 for what stays where it was, 1 for what is next to the part
// that came from the other end, 2 for that part.
Value* regions(Net& net, std::int64_t length, const Windows& w) {
  Value* at = net.range(net.whole(0), net.whole(length));
  const auto begins_at = [&](std::int64_t begin) {
    return net.cast(net.op("GreaterOrEqual", {at, net.whole(begin)}), ElementType::int64);
  };
  return net.add(begins_at(length - w.size), begins_at(length - w.shift));
}

// [windows of a map, 1, positions, positions].
Value* shift_mask(Net& net, const Windows& w, double hidden) {
  Value* down = net.unsqueeze(net.mul(regions(net, w.padded_rows(), w), net.whole(3)), {1});
  Value* across = net.unsqueeze(regions(net, w.padded_columns(), w), {0});
  Value* map = net.unsqueeze(net.add(down, across), {0, 3});
  Value* each = net.squeeze(partition(net, w, map, 1), {2});
  Value* is_same = net.op("Equal", {net.unsqueeze(each, {1}), net.unsqueeze(each, {2})});
  return net.unsqueeze(net.where(is_same, net.real(0), net.real(hidden)), {1});
}

}  // namespace

Value* cut_windows(Net& net, const Windows& w, Value* x) {
  x = net.reshape(x, {0, w.rows, w.columns, w.width});
  const std::int64_t below = w.padded_rows() - w.rows;
  const std::int64_t right = w.padded_columns() - w.columns;
  if (below > 0 || right > 0) x = net.pad(x, {0, 0, 0, 0}, {0, below, right, 0});
  if (w.shift > 0) x = roll_both(net, x, w.shift, w.shift);
  return partition(net, w, x, w.width);
}

Value* join_windows(Net& net, const Windows& w, Value* x) {
  const std::int64_t down = w.padded_rows() / w.size;
  const std::int64_t across = w.padded_columns() / w.size;
  x = net.reshape(x, {-1, down, across, w.size, w.size, w.width});
  x = net.transpose(x, {0, 1, 3, 2, 4, 5});
  x = net.reshape(x, {-1, w.padded_rows(), w.padded_columns(), w.width});
  if (w.shift > 0) x = roll_both(net, x, w.padded_rows() - w.shift, w.padded_columns() - w.shift);
  if (w.padded_rows() > w.rows) x = net.slice(x, 1, 0, w.rows);
  if (w.padded_columns() > w.columns) x = net.slice(x, 2, 0, w.columns);
  return net.reshape(x, {0, w.rows * w.columns, w.width});
}

Value* spread_over_positions(Net& net, const Windows& w, Value* table, std::int64_t heads) {
  std::vector<std::int64_t> index;
  index.reserve(static_cast<std::size_t>(w.positions() * w.positions()));
  const std::int64_t line = 2 * w.size - 1;
  for (std::int64_t from = 0; from < w.positions(); ++from) {
    for (std::int64_t to = 0; to < w.positions(); ++to) {
      const std::int64_t down = from / w.size - to / w.size + w.size - 1;
      const std::int64_t across = from % w.size - to % w.size + w.size - 1;
      index.push_back(down * line + across);
    }
  }
  Value* rows = net.gather(table, net.constant(make_int64_tensor("distances", index)));
  rows = net.reshape(rows, {w.positions(), w.positions(), heads});
  return net.unsqueeze(net.transpose(rows, {2, 0, 1}), {0});
}

Value* window_bias(Net& net, const Windows& w, Value* bias, double hidden, std::int64_t heads,
                   Value* x) {
  if (w.shift == 0) return bias;
  Value* each = net.unsqueeze(net.add(bias, shift_mask(net, w, hidden)), {0});
  const std::int64_t windows = w.padded_rows() / w.size * (w.padded_columns() / w.size);
  Value* pictures = net.op("Div", {net.size_of(x, 0), net.wholes({windows})});
  each = net.expand(each, net.dims({pictures, 1, 1, 1, 1}));
  return net.reshape(each, {-1, heads, w.positions(), w.positions()});
}

}  // namespace hone
