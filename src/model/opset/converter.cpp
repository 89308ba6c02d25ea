#include "model/opset/converter.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/text.h"

namespace hone::opset {
namespace {

// What new values are named after.
std::string stem_of(const Node& node) {
  if (!node.name.empty()) return node.name;
  for (const Value* output : node.outputs()) {
    if (output != nullptr) return output->name();
  }
  return node.op_type;
}

std::uint16_t half_from(double value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  if (std::isnan(value)) return 0x7E00;
  if (magnitude == 0) return sign;
  if (magnitude >= 65520) return static_cast<std::uint16_t>(sign | 0x7C00);
  // Below 2^-14 the spacing is that of the smallest subnormal, 2^-24; above, eleven bits of
  // precision.
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int lowest_bit = std::max(exponent - 11, -24);
  const double steps = std::nearbyint(std::ldexp(magnitude, -lowest_bit));
  if (lowest_bit == -24) return static_cast<std::uint16_t>(sign + static_cast<int>(steps));
  const int bits = ((lowest_bit + 24) << 10) + static_cast<int>(steps);
  return static_cast<std::uint16_t>(sign + bits);
}

std::uint16_t bfloat_from(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (std::isnan(value)) return 0x7FC0;
  return static_cast<std::uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

template <class T>
std::string bytes_of_value(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

std::string scalar_bytes(double value, ElementType type) {
  switch (type) {
    case ElementType::float32:
      return bytes_of_value(static_cast<float>(value));
    case ElementType::float64:
      return bytes_of_value(value);
    case ElementType::float16:
      return bytes_of_value(half_from(value));
    case ElementType::bfloat16:
      return bytes_of_value(bfloat_from(value));
    case ElementType::int64:
      return bytes_of_value(static_cast<std::int64_t>(value));
    case ElementType::int32:
      return bytes_of_value(static_cast<std::int32_t>(value));
    case ElementType::int16:
      return bytes_of_value(static_cast<std::int16_t>(value));
    case ElementType::int8:
      return bytes_of_value(static_cast<std::int8_t>(value));
    case ElementType::uint64:
      return bytes_of_value(static_cast<std::uint64_t>(value));
    case ElementType::uint32:
      return bytes_of_value(static_cast<std::uint32_t>(value));
    case ElementType::uint16:
      return bytes_of_value(static_cast<std::uint16_t>(value));
    case ElementType::uint8:
      return bytes_of_value(static_cast<std::uint8_t>(value));
    default:
      return {};
  }
}

}  // namespace

bool can_hold_scalar(ElementType type) { return !scalar_bytes(0, type).empty(); }

TensorPtr make_scalar(double value, ElementType type) {
  return make_tensor("", type, {}, Blob::own(scalar_bytes(value, type)));
}

Failure Converter::refuse(const Node& node, const std::string& reason, std::string hint) const {
  if (hint.empty() && opset_ != 0) {
    hint = upwards_ ? "opset " + std::to_string(opset_ - 1) + " is the newest the model can have"
                    : "opset " + std::to_string(opset_ + 1) + " is the oldest the model can have";
  }
  return fail(Fault::unsupported, describe(node) + ": " + reason, {}, std::move(hint));
}

void Converter::changed(const Node& node, const std::string& what) {
  if (inserted_.contains(&node)) return;
  changed_nodes_.insert(&node);
  ++changes_[{node.op_type, what}];
}

void Converter::note(const Node& node, const std::string& text) {
  notes_.push_back(describe(node) + ": " + text);
}

void Converter::fill(ConversionReport& report) const {
  report.changed_nodes = changed_nodes_.size();
  report.notes = notes_;
  for (const auto& [key, nodes] : changes_)
    report.changes.push_back({key.first, key.second, nodes});
  std::stable_sort(report.changes.begin(), report.changes.end(),
                   [](const OpsetChange& a, const OpsetChange& b) { return a.nodes > b.nodes; });
}

Result<TensorPtr> Converter::constant(const Node& node, std::size_t input,
                                      std::string_view what) const {
  const Value* value = node.input(input);
  if (TensorPtr tensor = constant_of(value)) return tensor;
  const std::string need = "opset " + std::to_string(opset_) + " needs it fixed in the node";
  const std::string its = "its input '" + std::string(what) + "'";
  if (value != nullptr && value->initializer()) {
    return refuse(node, its + " can be overridden by the caller, and " + need,
                  "remove '" + printable(value->name()) + "' from the graph inputs");
  }
  return refuse(node, its + " is computed at run time, and " + need,
                upwards_ ? "fold constants first"
                         : "fold constants first, or stay at opset " + std::to_string(opset_ + 1));
}

Result<std::vector<std::int64_t>> Converter::ints(const Node& node, std::size_t input,
                                                  std::string_view what) const {
  HONE_TRY(const TensorPtr tensor, constant(node, input, what));
  Result<std::vector<std::int64_t>> values = to_ints(*tensor);
  if (values) return values;
  Failure failure =
      refuse(node, "its input '" + std::string(what) + "' cannot be read", values.error().hint);
  failure.error.cause = values.error().what;
  return failure;
}

Value& Converter::add_constant(Node& user, std::string_view role, const TensorPtr& tensor) {
  auto named = std::make_shared<Tensor>(*tensor);
  named->name = stem_of(user) + "_" + std::string(role);
  if (!in_function_) return user.graph().add_initializer(std::move(named));
  const Fact fact{named->type, named->dims};
  return insert(user, role,
                {"Constant", {}, attributes(make_attribute("value", TensorPtr(named))), fact});
}

Value& Converter::add_ints(Node& user, std::string_view role, std::span<const std::int64_t> values,
                           bool scalar) {
  return add_constant(user, role, make_int64_tensor("", values, scalar));
}

Value& Converter::add_scalar(Node& user, std::string_view role, double value, ElementType type) {
  return add_constant(user, role, make_scalar(value, type));
}

void Converter::drop_input(Node& node, std::size_t input) {
  Value* dropped = node.input(input);
  if (input >= node.inputs().size()) return;
  std::vector<Value*> inputs = node.inputs();
  inputs[input] = nullptr;
  while (!inputs.empty() && inputs.back() == nullptr) inputs.pop_back();
  node.set_inputs(std::move(inputs));
  release(dropped);
}

void Converter::trim_inputs(Node& node, std::size_t allowed) {
  std::vector<Value*> inputs = node.inputs();
  while (inputs.size() > allowed && inputs.back() == nullptr) inputs.pop_back();
  if (inputs.size() != node.inputs().size()) node.set_inputs(std::move(inputs));
}

void Converter::release(Value* value) {
  while (value != nullptr && !value->is_used() && !value->is_graph_input()) {
    Node* producer = value->producer();
    if (producer == nullptr && value->initializer()) value->graph().remove_value(*value);
    if (producer == nullptr || (!producer->is("Constant") && !producer->is("Identity"))) return;
    value = producer->input(0);
    producer->graph().remove_node(*producer);
  }
}

Value& Converter::insert(const Node& position, std::string_view role, NewNode made) {
  Graph& graph = position.graph();
  Value& output = graph.add_value(stem_of(position) + "_" + std::string(role));
  Node& node = graph.insert_before(position, std::move(made.op), std::move(made.inputs), {&output});
  node.attributes = std::move(made.attributes);
  node.domain = position.domain;
  if (!position.name.empty()) node.name = output.name();
  facts.set(output, std::move(made.fact));
  inserted_.insert(&node);
  return output;
}

void Converter::become(Node& node, std::string op, std::vector<Value*> inputs,
                       std::vector<Attribute> attributes) {
  node.op_type = std::move(op);
  node.attributes = std::move(attributes);
  node.set_inputs(std::move(inputs));
}

}  // namespace hone::opset
