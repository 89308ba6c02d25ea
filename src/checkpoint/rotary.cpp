// Of rotary.h: the tables and the turning, as nodes.

#include "checkpoint/rotary.h"

namespace hone {
namespace {

// Angles are computed in float32 whatever the graph computes with.
Value* floats(Net& net, const std::vector<float>& numbers, bool is_scalar = false) {
  return net.constant(make_float_tensor("frequencies", numbers, is_scalar));
}

Value* scalar(Net& net, double number) { return floats(net, {static_cast<float>(number)}, true); }

// Of a base that grows with the number of positions.
Value* grown(Net& net, const RotaryFrequencies& f, Value* length) {
  Value* positions = scalar(net, static_cast<double>(f.limit));
  Value* stretched =
      net.div(net.mul(net.cast(length, ElementType::float32), scalar(net, f.growth)), positions);
  Value* growth = net.op("Sub", {stretched, scalar(net, f.growth - 1)});
  const auto size = static_cast<double>(f.size);
  Value* raised = net.op("Pow", {growth, scalar(net, f.size > 2 ? size / (size - 2) : 1)});
  std::vector<float> exponents;
  for (std::int64_t i = 0; i < f.size; i += 2) {
    exponents.push_back(static_cast<float>(i) / static_cast<float>(f.size));
  }
  Value* base = net.mul(raised, scalar(net, f.base));
  return net.op("Reciprocal", {net.op("Pow", {base, floats(net, exponents)})});
}

Value* frequencies_of(Net& net, const RotaryFrequencies& f, Value* positions) {
  Value* usual = floats(net, f.usual);
  if (f.beyond.empty() && f.growth == 0) return usual;
  Value* length = net.op("Add", {net.maximum(positions, {0, 1}, false), net.whole(1)});
  Value* beyond = f.growth == 0 ? floats(net, f.beyond) : grown(net, f, length);
  return net.where(net.op("Greater", {length, net.whole(f.limit)}), beyond, usual);
}

Value* scaled(Net& net, const RotaryFrequencies& f, Value* table) {
  if (f.scale != 1) table = net.mul(table, scalar(net, f.scale));
  return net.type() == ElementType::float32 ? table : net.to_float(table);
}

Value* turn_halves(Net& net, const RotaryTables& tables, Value* x, std::int64_t heads,
                   std::int64_t head_size) {
  const std::int64_t half = tables.size / 2;
  const std::int64_t rest = head_size - tables.size;
  std::vector<std::int64_t> sizes = {half, half};
  if (rest > 0) sizes.push_back(rest);
  std::vector<Value*> parts = net.split(net.reshape(x, {0, 0, heads, head_size}), sizes, 3);
  Value* first = parts[0];
  Value* second = parts[1];
  parts[0] = net.op("Sub", {net.mul(first, tables.cos), net.mul(second, tables.sin)});
  parts[1] = net.add(net.mul(second, tables.cos), net.mul(first, tables.sin));
  return net.reshape(net.concat(parts, 3), {0, 0, heads * head_size});
}

}  // namespace

RotaryTables rotary_tables(Net& net, const RotaryFrequencies& f, Value* positions) {
  const Net::Scope scope = net.enter("rotary_emb");
  Value* at = net.unsqueeze(net.cast(positions, ElementType::float32), {2});
  Value* angles = net.mul(at, frequencies_of(net, f, positions));
  RotaryTables tables{.cos = scaled(net, f, net.op("Cos", {angles})),
                      .sin = scaled(net, f, net.op("Sin", {angles})),
                      .size = f.size};
  if (net.form() == GraphForm::standard) {
    tables.cos = net.unsqueeze(tables.cos, {2});
    tables.sin = net.unsqueeze(tables.sin, {2});
  } else if (net.form() == GraphForm::contrib) {
    tables.cos = net.reshape(tables.cos, {-1, f.size / 2});
    tables.sin = net.reshape(tables.sin, {-1, f.size / 2});
    Value* count = net.range(net.whole(0), net.op("Size", {positions}));
    tables.rows = net.reshape(count, net.shape_of(positions));
  }
  return tables;
}

Value* rotate(Net& net, const RotaryTables& tables, Value* x, std::int64_t heads,
              std::int64_t head_size) {
  if (net.form() == GraphForm::standard) return turn_halves(net, tables, x, heads, head_size);
  Attributes attributes = {{"num_heads", heads}};
  if (tables.size != head_size) attributes.emplace_back("rotary_embedding_dim", tables.size);
  if (net.form() == GraphForm::contrib) {
    return net.op("RotaryEmbedding", {x, tables.rows, tables.cos, tables.sin}, attributes,
                  "com.microsoft");
  }
  return net.op("RotaryEmbedding", {x, tables.cos, tables.sin}, attributes);
}

}  // namespace hone
