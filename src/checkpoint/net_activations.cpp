// Of Net: the functions that transformers knows by name (its ACT2FN), as ONNX says them.

#include <array>
#include <cmath>
#include <numbers>

#include "base/text.h"
#include "checkpoint/net.h"

namespace hone {
namespace {

// Formulas of which two names stand for the same one are listed twice, as transformers does.
Value* tanh_gelu(Net& net, Value* x) {
  if (net.options().opset >= 20) {
    return net.op("Gelu", {x}, {{"approximate", "tanh"}});
  }
  Value* cubic = net.mul(net.mul(net.mul(x, x), x), 0.044715);
  Value* inner = net.mul(net.add(x, cubic), std::sqrt(2.0 / std::numbers::pi));
  return net.mul(net.mul(x, net.add(net.op("Tanh", {inner}), 1.0)), 0.5);
}

Value* clipped_gelu(Net& net, Value* x) {
  return net.op("Clip", {net.gelu(x), net.real(-10), net.real(10)});
}

Value* laplace(Net& net, Value* x) {
  Value* scaled = net.div(net.add(x, -0.707107), 0.282095 * std::numbers::sqrt2);
  return net.mul(net.add(net.op("Erf", {scaled}), 1.0), 0.5);
}

Value* squared_relu(Net& net, Value* x) {
  Value* relu = net.op("Relu", {x});
  return net.mul(relu, relu);
}

Value* mish(Net& net, Value* x) { return net.mul(x, net.op("Tanh", {net.op("Softplus", {x})})); }

struct Named {
  std::string_view name;
  Value* (*of)(Net&, Value*);
};

constexpr auto exact_gelu = [](Net& net, Value* x) { return net.gelu(x); };
constexpr auto silu = [](Net& net, Value* x) { return net.mul(x, net.sigmoid(x)); };
constexpr auto quick_gelu = [](Net& net, Value* x) {
  return net.mul(x, net.sigmoid(net.mul(x, 1.702)));
};
constexpr auto leaky_relu = [](Net& net, Value* x) {
  return net.op("LeakyRelu", {x}, {{"alpha", 0.01F}});
};
constexpr auto relu6 = [](Net& net, Value* x) {
  return net.op("Clip", {x, net.real(0), net.real(6)});
};
constexpr auto relu = [](Net& net, Value* x) { return net.op("Relu", {x}); };
constexpr auto tanh_of = [](Net& net, Value* x) { return net.op("Tanh", {x}); };
constexpr auto sigmoid_of = [](Net& net, Value* x) { return net.sigmoid(x); };
constexpr auto hard_swish = [](Net& net, Value* x) { return net.op("HardSwish", {x}); };
constexpr auto itself = [](Net&, Value* x) { return x; };

const std::array activations = {
    Named{"gelu", exact_gelu},
    Named{"gelu_python", exact_gelu},
    Named{"gelu_10", clipped_gelu},
    Named{"gelu_fast", tanh_gelu},
    Named{"gelu_new", tanh_gelu},
    Named{"gelu_pytorch_tanh", tanh_gelu},
    Named{"gelu_python_tanh", tanh_gelu},
    Named{"gelu_accurate", tanh_gelu},
    Named{"hardswish", hard_swish},
    Named{"laplace", laplace},
    Named{"leaky_relu", leaky_relu},
    Named{"linear", itself},
    Named{"mish", mish},
    Named{"quick_gelu", quick_gelu},
    Named{"relu", relu},
    Named{"relu2", squared_relu},
    Named{"relu6", relu6},
    Named{"sigmoid", sigmoid_of},
    Named{"silu", silu},
    Named{"swish", silu},
    Named{"tanh", tanh_of},
};

}  // namespace

Value* Net::gelu(Value* x) {
  if (options_.form == GraphForm::contrib) return op("Gelu", {x}, {}, "com.microsoft");
  if (options_.opset >= 20) return op("Gelu", {x});
  Value* erf = op("Erf", {div(x, std::numbers::sqrt2)});
  return mul(mul(x, add(erf, 1.0)), 0.5);
}

Value* Net::activation(std::string_view name, Value* x, std::string_view key) {
  std::vector<std::string> known;
  for (const Named& row : activations) {
    if (row.name == name) return row.of(*this, x);
    known.emplace_back(row.name);
  }
  problems_.add("config.json: " + std::string(key) + " is '" + printable(name) + "': known are " +
                join(known, ", "));
  return x;
}

}  // namespace hone
