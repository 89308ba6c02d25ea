#include "checkpoint/net.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "checkpoint/settled.h"
#include "model/edit.h"
#include "model/elements.h"
#include "model/opset/convert.h"

namespace hone {
namespace {

bool is_index(std::string_view part) {
  return !part.empty() && std::all_of(part.begin(), part.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
}

// "bert.encoder.layer.0" as "/bert/encoder/layer.0": how torch's exporters name what is in modules.
std::string node_path(std::string_view path) {
  std::string named;
  for (const std::string& part : split(path, '.')) {
    if (!part.empty()) named += (is_index(part) ? "." : "/") + part;
  }
  return named;
}

std::string said(const std::vector<std::int64_t>& dims) {
  std::vector<std::string> words;
  for (const std::int64_t dim : dims) words.push_back(std::to_string(dim));
  return "[" + join(words, ", ") + "]";
}

// "1_m2_3": numbers as a part of a name.
std::string named(const std::vector<std::int64_t>& numbers) {
  std::vector<std::string> words;
  for (const std::int64_t number : numbers) {
    words.push_back(number < 0 ? "m" + std::to_string(number).substr(1) : std::to_string(number));
  }
  return join(words, "_");
}

bool is_plain_float(ElementType type) {
  return type == ElementType::float32 || type == ElementType::float16 ||
         type == ElementType::bfloat16 || type == ElementType::float64;
}

Shape shape_from(const std::vector<NetDim>& dims) {
  Shape shape;
  for (const NetDim& dim : dims) {
    if (const auto* size = std::get_if<std::int64_t>(&dim)) {
      shape.push_back({.value = *size});
    } else {
      shape.push_back({.symbol = std::get<std::string>(dim)});
    }
  }
  return shape;
}

TensorPtr float_tensor(ElementType type, std::string name, const std::vector<double>& numbers,
                       std::vector<std::int64_t> dims) {
  std::string bytes(numbers.size() * static_cast<std::size_t>(bits_of(type)) / 8, '\0');
  encode_elements(type, numbers, bytes.data());
  return make_tensor(std::move(name), type, std::move(dims), Blob::own(std::move(bytes)));
}

}  // namespace

Net::Net(NetOptions options, Weights& weights, Problems& problems)
    : options_(options), weights_(weights), problems_(problems) {
  model_.set_opset("", options_.opset);
  model_.ir_version = ir_version_of_opset(static_cast<int>(options_.opset));
  model_.producer_name = "hone";
}

Model Net::finish(std::string name) {
  model_.graph->name = std::move(name);
  remove_dead_nodes(*model_.graph);
  remove_unused_initializers(*model_.graph);
  settle_order(*model_.graph);
  return std::move(model_);
}

// --- modules

Net::Scope::Scope(Net& net, std::string path) : net_(net), before_(std::move(net.path_)) {
  net_.path_ = std::move(path);
}

Net::Scope::~Scope() { net_.path_ = std::move(before_); }

std::string Net::full(std::string_view name) const {
  return path_.empty() || name.empty() ? path_ + std::string(name)
                                       : path_ + "." + std::string(name);
}

Net::Scope Net::enter(std::string_view module) { return {*this, full(module)}; }

Net::Scope Net::enter(std::string_view list, std::int64_t index) {
  return {*this, full(std::string(list) + "." + std::to_string(index))};
}

Net::Scope Net::enter_base(std::string_view module) {
  return {*this, weights_.has_module(full(module)) ? full(module) : path_};
}

Net::Scope Net::enter_root() { return {*this, ""}; }

// --- inputs and outputs

Value* Net::input(std::string_view name, ElementType type, const std::vector<NetDim>& dims) {
  Value& value = model_.graph->add_value(name, Type::tensor(type, shape_from(dims)));
  model_.graph->add_input(value);
  return &value;
}

Value* Net::find_input(std::string_view name) {
  Value* value = model_.graph->find(name);
  return value && value->is_graph_input() ? value : nullptr;
}

void Net::output(std::string_view name, Value* value, const std::vector<NetDim>& dims) {
  output(name, value, options_.type, dims);
}

void Net::output(std::string_view name, Value* value, ElementType type,
                 const std::vector<NetDim>& dims) {
  // An output has a name of its own: what is an input, a weight or an output already gets a node.
  if (!value->producer() || value->is_graph_output()) {
    const Scope root = enter_root();
    value = op("Identity", {value});
  }
  model_.graph->rename(*value, name);
  value->type = Type::tensor(type, shape_from(dims));
  model_.graph->add_output(*value);
}

// --- constants

Value* Net::add_constant(const std::string& key, const TensorPtr& tensor) {
  Value*& made = constants_[key];
  if (!made) made = &model_.graph->add_initializer(tensor);
  return made;
}

Value* Net::real(double number) { return reals({number}, {}); }

Value* Net::reals(const std::vector<double>& numbers, std::vector<std::int64_t> dims) {
  const TensorPtr tensor = float_tensor(options_.type, "real", numbers, dims);
  return add_constant("reals" + said(dims) + std::string(tensor->dense.view()), tensor);
}

Value* Net::whole(std::int64_t number) {
  const std::string name = "whole_" + named({number});
  return add_constant(name, make_int64_tensor(name, std::vector{number}, true));
}

Value* Net::wholes(const std::vector<std::int64_t>& numbers) {
  const std::string name = "wholes_" + named(numbers);
  return add_constant(name, make_int64_tensor(name, numbers));
}

Value* Net::constant(const TensorPtr& tensor) { return &model_.graph->add_initializer(tensor); }

double Net::lowest() const {
  switch (options_.type) {
    case ElementType::float16:
      return -65504.0;
    case ElementType::bfloat16:
      return -0x1.FEp127;
    default:
      return -0x1.FFFFFEp127;
  }
}

// --- weights

Value* Net::made_up() { return &model_.graph->add_value("missing"); }

TensorPtr Net::take(std::string_view name, const std::vector<std::int64_t>& dims) {
  const std::string whole = full(name);
  const TensorPtr tensor = weights_.find(whole);
  if (!tensor) {
    // Looking for it takes a while, and a wrong configuration can miss thousands.
    constexpr std::size_t most = 20;
    const std::string near = problems_.said().size() < most ? weights_.nearest_to(whole) : "";
    problems_.add("tensor '" + whole + "' " + said(dims) + " is missing" +
                  (near.empty() ? "" : "; there is '" + printable(near) + "'"));
    return nullptr;
  }
  weights_.take(*tensor);
  if (tensor->dims != dims) {
    problems_.add("tensor '" + printable(tensor->name) + "' is " + said(tensor->dims) +
                  " and has to be " + said(dims));
    return nullptr;
  }
  if (!is_plain_float(tensor->type)) {
    problems_.add("tensor '" + printable(tensor->name) + "' is of " + name_of(tensor->type) +
                  " and has to be of floats");
    return nullptr;
  }
  return tensor;
}

Value* Net::raw_weight(std::string_view name, const std::vector<std::int64_t>& dims) {
  const TensorPtr tensor = take(name, dims);
  if (!tensor) return made_up();
  Value*& made = used_weights_[tensor->name];
  if (!made) made = &model_.graph->add_initializer(tensor);
  return made;
}

Value* Net::weight(std::string_view name, const std::vector<std::int64_t>& dims) {
  Value* raw = raw_weight(name, dims);
  if (!raw->initializer() || raw->initializer()->type == options_.type) return raw;
  Value*& made = used_weights_[raw->name() + " as computed with"];
  if (!made) made = cast(raw, options_.type);
  return made;
}

bool Net::has(std::string_view name) const { return weights_.has(full(name)); }

bool Net::has_module(std::string_view name) const { return weights_.has_module(full(name)); }

std::vector<double> Net::numbers(std::string_view name, const std::vector<std::int64_t>& dims) {
  const TensorPtr tensor = take(name, dims);
  if (!tensor) return {};
  auto read = to_doubles(*tensor);
  if (read) return std::move(*read);
  problems_.add("tensor '" + printable(tensor->name) + "': " + read.error().what);
  return {};
}

Value* Net::computed_weight(std::string_view name, const std::vector<double>& numbers,
                            std::vector<std::int64_t> dims) {
  return constant(float_tensor(options_.type, full(name), numbers, std::move(dims)));
}

void Net::ignore(std::string_view name) {
  if (const TensorPtr tensor = weights_.find(full(name))) weights_.take(*tensor);
}

std::vector<std::int64_t> Net::dims_of(std::string_view name) const {
  const TensorPtr tensor = weights_.find(full(name));
  return tensor ? tensor->dims : std::vector<std::int64_t>{};
}

// --- nodes

std::string Net::name_node(std::string_view type) {
  std::string name = node_path(path_) + "/" + std::string(type);
  const int before = node_names_[name]++;
  return before == 0 ? name : name + "_" + std::to_string(before);
}

std::vector<Value*> Net::ops(std::string_view type, const std::vector<Value*>& inputs,
                             std::size_t outputs, const Attributes& attributes,
                             std::string_view domain) {
  const std::string name = name_node(type);
  std::vector<Value*> made;
  for (std::size_t i = 0; i < outputs; ++i) {
    made.push_back(&model_.graph->add_value(name + "_output_" + std::to_string(i)));
  }
  Node& node = model_.graph->add_node(std::string(type), inputs, made);
  node.name = name;
  node.domain = domain;
  for (const NetAttribute& attribute : attributes) {
    std::visit([&](const auto& held) { node.set_attribute(make_attribute(attribute.name, held)); },
               attribute.held);
  }
  if (!domain.empty()) model_.set_opset(domain, 1);
  return made;
}

Value* Net::op(std::string_view type, const std::vector<Value*>& inputs,
               const Attributes& attributes, std::string_view domain) {
  return ops(type, inputs, 1, attributes, domain).front();
}

}  // namespace hone
