// One node of a model as a model of its own.

#include "inspect/coverage/condition.h"
#include "inspect/coverage/probe_ops.h"
#include "inspect/quantized_ops.h"
#include "model/text/text.h"

namespace hone {
namespace {

class Cutter {
 public:
  explicit Cutter(const Model& source) {
    cut_.ir_version = source.ir_version;
    cut_.opsets = source.opsets;
    cut_.producer_name = "hone";
  }

  // `with_sources`: DequantizeLinear nodes before it come along.
  Status add(const Node& node, bool with_sources) {
    std::vector<Value*> inputs;
    for (const Value* value : node.inputs()) {
      if (value == nullptr) {
        inputs.push_back(nullptr);
        continue;
      }
      if (with_sources && !twins_.contains(value) && is_dequantize(value->producer()))
        HONE_TRY_DO(add(*value->producer(), false));
      HONE_TRY(Value * twin, twin_of(*value));
      inputs.push_back(twin);
    }
    std::vector<Value*> outputs;
    for (const Value* value : node.outputs()) outputs.push_back(make_output(value));
    Node& copy = cut_.graph->add_node(node.op_type, std::move(inputs), std::move(outputs));
    copy.domain = node.domain;
    copy.overload = node.overload;
    for (const Attribute& attribute : node.attributes) copy.attributes.push_back(copied(attribute));
    last_ = &copy;
    return done();
  }

  // What the last node makes is what the model makes.
  Model finish() {
    for (Value* output : last_->outputs()) {
      if (output != nullptr) cut_.graph->add_output(*output);
    }
    return std::move(cut_);
  }

 private:
  Result<Value*> twin_of(const Value& value) {
    if (const auto known = twins_.find(&value); known != twins_.end()) return known->second;
    Value* twin = nullptr;
    if (const TensorPtr constant = value.constant()) {
      auto copy = std::make_shared<Tensor>(*constant);
      copy->name = "c" + std::to_string(twins_.size());
      twin = &cut_.graph->add_initializer(std::move(copy));
    } else if (value.type.is_known()) {
      twin = &cut_.graph->add_value("x" + std::to_string(twins_.size()), value.type);
      cut_.graph->add_input(*twin);
    } else {
      return fail(Fault::unsupported, "the type of '" + value.name() + "' is not known");
    }
    twins_[&value] = twin;
    return twin;
  }

  Value* make_output(const Value* value) {
    if (value == nullptr) return nullptr;
    Value& output = cut_.graph->add_value("y" + std::to_string(twins_.size()), value->type);
    twins_[value] = &output;
    return &output;
  }

  // REQUIRES: no graphs inside.
  static Attribute copied(const Attribute& attribute) {
    Attribute copy;
    copy.name = attribute.name;
    copy.declared = attribute.declared;
    std::visit(
        [&](const auto& held) {
          if constexpr (std::is_copy_constructible_v<std::decay_t<decltype(held)>> &&
                        !std::is_same_v<std::decay_t<decltype(held)>,
                                        std::vector<std::unique_ptr<Graph>>>)
            copy.held = held;
        },
        attribute.held);
    return copy;
  }

  Model cut_;
  Node* last_ = nullptr;
  std::map<const Value*, Value*> twins_;
};

// The QuantizeLinear that alone takes what the node makes.
const Node* quantizer_of(const Node& node) {
  const Value* output = node.output(0);
  if (output == nullptr || output->uses().size() != 1 || output->is_graph_output()) return nullptr;
  const Node* user = output->uses().front().node;
  return is_quantize(user) ? user : nullptr;
}

}  // namespace

Result<Model> cut_out(const Model& model, const Node& node) {
  if (!node.subgraphs().empty()) return fail(Fault::unsupported, "it holds other nodes");
  const auto calls = [&](const Function& function) {
    return function.name == node.op_type && function.domain == node.domain;
  };
  if (std::ranges::any_of(model.functions, calls))
    return fail(Fault::unsupported, "it is a function of the model");
  Cutter cutter(model);
  const bool quantized = is_quantized(node);
  HONE_TRY_DO(cutter.add(node, quantized));
  if (const Node* quantizer = quantized ? quantizer_of(node) : nullptr)
    HONE_TRY_DO(cutter.add(*quantizer, false));
  return cutter.finish();
}

}  // namespace hone
