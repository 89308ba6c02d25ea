#include "checkpoint/vit_layer.h"

namespace hone {
namespace {

Value* attend(Net& net, const VitLayer& l, Value* x) {
  const Net::Scope scope = net.enter("attention.attention");
  return net
      .attention({.query = net.linear("query", x, l.width, l.width, l.has_bias),
                  .key = net.linear("key", x, l.width, l.width, l.has_bias),
                  .value = net.linear("value", x, l.width, l.width, l.has_bias),
                  .heads = l.heads,
                  .head_size = l.width / l.heads})
      .output;
}

}  // namespace

Value* write_vit_layer(Net& net, const VitLayer& l, Value* x) {
  Value* seen = attend(net, l, net.layer_norm("layernorm_before", x, l.width, l.epsilon));
  seen = net.linear("attention.output.dense", seen, l.width, l.width);
  Value* sum = nullptr;
  Value* normal = net.add_layer_norm("layernorm_after", seen, x, l.width, l.epsilon, &sum);
  Value* inner = net.activation(l.act, net.linear("intermediate.dense", normal, l.width, l.inner));
  return net.add(net.linear("output.dense", inner, l.inner, l.width), sum);
}

}  // namespace hone
