#include "checkpoint/deformable.h"

namespace hone {
namespace {

// [batch * heads, queries, points of all levels, 2], from -1 to 1 over each map.
Value* points_around(Net& net, const DeformableAttention& a, std::int64_t points) {
  Value* offsets = net.linear("sampling_offsets", a.x, a.width, a.heads * points * 2);
  offsets = net.reshape(offsets, {0, a.queries, a.heads, points, 2});
  Value* boxes = net.unsqueeze(a.boxes, {2, 3});
  Value* reach = net.mul(net.slice(boxes, -1, 2, 4), 0.5 / static_cast<double>(a.points));
  Value* at = net.add(net.slice(boxes, -1, 0, 2), net.mul(offsets, reach));
  at = net.add(net.mul(at, 2.0), -1.0);
  return net.reshape(net.transpose(at, {0, 2, 1, 3, 4}), {-1, a.queries, points, 2});
}

// [batch * heads, 1, queries, points of all levels]
Value* shares_of_points(Net& net, const DeformableAttention& a, std::int64_t points) {
  Value* shares = net.linear("attention_weights", a.x, a.width, a.heads * points);
  shares = net.softmax(net.reshape(shares, {0, a.queries, a.heads, points}));
  return net.reshape(net.transpose(shares, {0, 2, 1, 3}), {-1, 1, a.queries, points});
}

Value* sample(Net& net, Value* map, Value* points) {
  // "bilinear" was renamed when GridSample learned other numbers of dimensions.
  const char* mode = net.options().opset >= 20 ? "linear" : "bilinear";
  return net.op("GridSample", {map, points},
                {{"mode", mode}, {"padding_mode", "zeros"}, {"align_corners", 0}});
}

}  // namespace

std::vector<MapLevel> levels_of_maps(Net& net, const std::vector<Value*>& maps) {
  std::vector<MapLevel> levels;
  Value* begin = net.wholes({0});
  for (Value* map : maps) {
    Value* places = net.op("Mul", {net.size_of(map, 2), net.size_of(map, 3)});
    Value* end = net.op("Add", {begin, places});
    levels.push_back({begin, end, net.op("Shape", {map}, {{"start", 2}, {"end", 4}})});
    begin = end;
  }
  return levels;
}

Value* attend_around_boxes(Net& net, std::string_view module, const DeformableAttention& a,
                           const std::vector<MapLevel>& levels) {
  const Net::Scope scope = net.enter(module);
  const std::int64_t all = a.points * static_cast<std::int64_t>(levels.size());
  Value* points = points_around(net, a, all);
  Value* shares = shares_of_points(net, a, all);
  Value* values = net.transpose(net.linear("value_proj", a.memory, a.width, a.width), {0, 2, 1});
  std::vector<Value*> seen;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const auto first = static_cast<std::int64_t>(i) * a.points;
    Value* map = net.slice(values, 2, levels[i].begin, levels[i].end);
    map = net.reshape(map, net.dims({-1, a.width / a.heads, levels[i].size}));
    seen.push_back(sample(net, map, net.slice(points, 2, first, first + a.points)));
  }
  Value* weighed = net.sum(net.mul(net.concat(seen, 3), shares), {-1}, false);
  weighed = net.transpose(net.reshape(weighed, {-1, a.width, a.queries}), {0, 2, 1});
  return net.linear("output_proj", weighed, a.width, a.width);
}

}  // namespace hone
