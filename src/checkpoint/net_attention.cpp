// Of Net: attention in its three forms, and the biases that are masks.

#include <cmath>

#include "checkpoint/net.h"

namespace hone {
namespace {

std::int64_t kv_heads_of(const Attention& a) { return a.kv_heads == 0 ? a.heads : a.kv_heads; }
std::int64_t value_size_of(const Attention& a) {
  return a.value_size == 0 ? a.head_size : a.value_size;
}
double scale_of(const Attention& a) {
  return a.scale ? *a.scale : 1.0 / std::sqrt(static_cast<double>(a.head_size));
}

}  // namespace

Value* Net::split_heads(Value* x, std::int64_t heads, std::int64_t size) {
  return transpose(reshape(x, {0, 0, heads, size}), {0, 2, 1, 3});
}

Value* Net::join_heads(Value* x, std::int64_t heads, std::int64_t size) {
  return reshape(transpose(x, {0, 2, 1, 3}), {0, 0, heads * size});
}

// Each of the kv_heads as often as there are heads that share it.
Value* Net::repeat_heads(Value* x, const Attention& a) {
  const std::int64_t shared = a.heads / kv_heads_of(a);
  if (shared <= 1) return x;
  Value* repeated = expand(unsqueeze(x, {2}), wholes({1, 1, shared, 1, 1}));
  const std::int64_t size = -1;
  return reshape(repeated, dims({0, a.heads, size_of(x, 2), size}));
}

// The fused operators take a bias of as many rows as there are queries.
Value* Net::full_bias(const Attention& a) {
  if (!a.bias) return nullptr;
  return expand(a.bias, dims({1, 1, size_of(a.query, a.query_is_split ? 2 : 1), 1}));
}

Attended Net::attend_standard(const Attention& a) {
  const std::int64_t kv_heads = kv_heads_of(a);
  const std::int64_t value_size = value_size_of(a);
  Value* query = a.query_is_split ? a.query : split_heads(a.query, a.heads, a.head_size);
  Value* key = a.keys_are_split ? a.key : split_heads(a.key, kv_heads, a.head_size);
  Value* value = a.keys_are_split ? a.value : split_heads(a.value, kv_heads, value_size);
  if (a.past_key) key = concat({a.past_key, key}, 2);
  if (a.past_value) value = concat({a.past_value, value}, 2);

  Value* scores = matmul(query, transpose(repeat_heads(key, a), {0, 1, 3, 2}));
  if (scale_of(a) != 1.0) scores = mul(scores, scale_of(a));
  if (a.softcap != 0) scores = mul(op("Tanh", {div(scores, a.softcap)}), a.softcap);
  if (a.bias) scores = add(scores, a.bias);
  Value* seen = matmul(softmax(scores), repeat_heads(value, a));
  return {join_heads(seen, a.heads, value_size), key, value};
}

Attended Net::attend_contrib(const Attention& a) {
  const bool keeps = a.keeps_present || a.past_key;
  const std::vector<Value*> made =
      ops("MultiHeadAttention",
          {a.query, a.key, a.value, nullptr, nullptr, full_bias(a), a.past_key, a.past_value},
          keeps ? 3 : 1, {{"num_heads", a.heads}, {"scale", scale_of(a)}}, "com.microsoft");
  if (!keeps) return {made[0], nullptr, nullptr};
  return {made[0], made[1], made[2]};
}

Attended Net::attend_onnx(const Attention& a) {
  const bool keeps = a.keeps_present || a.past_key;
  const bool is_split = a.query_is_split || a.keys_are_split;
  Attributes attributes = {{"scale", scale_of(a)}};
  std::vector<Value*> inputs = {a.query, a.key, a.value, full_bias(a), a.past_key, a.past_value};
  if (!is_split) {
    attributes.emplace_back("q_num_heads", a.heads);
    attributes.emplace_back("kv_num_heads", kv_heads_of(a));
  } else {
    if (!a.query_is_split) inputs[0] = split_heads(a.query, a.heads, a.head_size);
    if (!a.keys_are_split) inputs[1] = split_heads(a.key, kv_heads_of(a), a.head_size);
    if (!a.keys_are_split) inputs[2] = split_heads(a.value, kv_heads_of(a), value_size_of(a));
  }
  const std::vector<Value*> made = ops("Attention", inputs, keeps ? 3 : 1, attributes);
  Value* output = is_split ? join_heads(made[0], a.heads, value_size_of(a)) : made[0];
  if (!keeps) return {output, nullptr, nullptr};
  return {output, made[1], made[2]};
}

Attended Net::attention(const Attention& a) {
  // ONNX's Attention caps scores after the bias: what is masked would be seen again.
  if (options_.form == GraphForm::onnx_attention && a.softcap == 0) return attend_onnx(a);
  // MultiHeadAttention has one number of heads, no softcap, and splits the query itself.
  const bool is_plain = kv_heads_of(a) == a.heads && a.softcap == 0 && !a.query_is_split;
  if (options_.form == GraphForm::contrib && is_plain) return attend_contrib(a);
  return attend_standard(a);
}

Value* Net::padding_bias(Value* mask) {
  Value* is_padding = sub(1.0, to_float(mask));
  return unsqueeze(mul(is_padding, lowest()), {1, 2});
}

Value* Net::causal_bias(Value* queries, Value* past, std::int64_t window) {
  Value* begin = past ? squeeze(past, {0}) : whole(0);
  Value* end = op("Add", {begin, squeeze(queries, {0})});
  Value* query_at = unsqueeze(range(begin, end), {1});
  Value* key_at = unsqueeze(range(whole(0), end), {0});
  Value* sees = op("LessOrEqual", {key_at, query_at});
  if (window > 0) {
    Value* is_near = op("Greater", {key_at, op("Sub", {query_at, whole(window)})});
    sees = op("And", {sees, is_near});
  }
  return unsqueeze(where(sees, real(0), real(lowest())), {0, 1});
}

Value* Net::join_biases(Value* a, Value* b) {
  if (!a || !b) return a ? a : b;
  // Two times the lowest number is minus infinity, and a row of nothing else no softmax.
  return op("Max", {add(a, b), real(lowest())});
}

}  // namespace hone
