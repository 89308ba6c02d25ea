#include "checkpoint/detection.h"

namespace hone {

Value* predict(Net& net, std::string_view module, Value* x, const DetectionHead& head) {
  const Net::Scope scope = net.enter(module);
  for (std::int64_t i = 0; i < head.count; ++i) {
    const bool is_last = i + 1 == head.count;
    x = net.linear("layers." + std::to_string(i), x, i == 0 ? head.in : head.inner,
                   is_last ? head.out : head.inner);
    if (!is_last) x = net.op("Relu", {x});
  }
  return x;
}

Value* attend_to_places(Net& net, std::string_view module, const PlacedAttention& a) {
  const Net::Scope scope = net.enter(module);
  const auto placed = [&](Value* x, Value* places) { return places ? net.add(x, places) : x; };
  Value* queries = placed(a.x, a.places);
  const bool is_same = a.x == a.seen && a.places == a.seen_places;
  Value* keys = is_same ? queries : placed(a.seen, a.seen_places);
  Value* seen = net.attention({.query = net.linear("q_proj", queries, a.width, a.width),
                               .key = net.linear("k_proj", keys, a.width, a.width),
                               .value = net.linear("v_proj", a.seen, a.width, a.width),
                               .heads = a.heads,
                               .head_size = a.width / a.heads})
                    .output;
  return net.linear("out_proj", seen, a.width, a.width);
}

Value* widen_and_narrow(Net& net, Value* x, std::int64_t width, std::int64_t inner,
                        std::string_view act, std::string_view act_key) {
  Value* wide = net.activation(act, net.linear("fc1", x, width, inner), act_key);
  return net.linear("fc2", wide, inner, width);
}

Value* places_of_map(Net& net, Value* map, std::int64_t width) {
  return net.transpose(net.reshape(map, {0, width, -1}), {0, 2, 1});
}

Value* places_of_rows_and_columns(Net& net, Value* rows, Value* columns, std::int64_t features,
                                  bool columns_first) {
  Value* height = net.size_of(rows, 0);
  Value* width = net.size_of(columns, 0);
  Value* by_row = net.expand(net.unsqueeze(rows, {1}), net.dims({1, width, 1}));
  Value* by_column = net.expand(net.unsqueeze(columns, {0}), net.dims({height, 1, 1}));
  Value* both =
      columns_first ? net.concat({by_column, by_row}, 2) : net.concat({by_row, by_column}, 2);
  return net.reshape(both, {1, -1, 2 * features});
}

Value* count_along(Net& net, Value* map, std::int64_t axis) {
  return net.to_float(net.count_up(net.size_of(map, axis)));
}

void write_detections(Net& net, Value* logits, Value* boxes, std::int64_t queries,
                      std::int64_t labels) {
  net.output("logits", logits, {"batch_size", queries, labels});
  net.output("pred_boxes", boxes, {"batch_size", queries, 4});
}

}  // namespace hone
