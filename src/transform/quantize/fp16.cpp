#include "transform/quantize/fp16.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "base/text.h"
#include "model/edit.h"
#include "transform/quantize/fp16_ops.h"

namespace hone {
namespace {

constexpr auto float32 = ElementType::float32;
constexpr auto float16 = ElementType::float16;

TensorPtr tensor_of(const Value& value) {
  return value.initializer() ? value.initializer() : value.constant();
}

// Of a tensor; undefined for everything else.
ElementType element_of(const Value& value) {
  if (const TensorPtr tensor = tensor_of(value)) return tensor->type;
  return value.type.is_tensor() ? value.type.element : ElementType::undefined;
}

bool is_float_tensor(const Value& value) { return element_of(value) == float32; }

// Floats in what no Cast converts: sequences, optionals, maps, sparse tensors.
bool holds_floats_apart(const Type& type) {
  if (type.kind == Type::Kind::sparse_tensor) return type.element == float32;
  for (const Type* inner = type.inner.get(); inner != nullptr; inner = inner->inner.get()) {
    if (inner->element == float32) return true;
  }
  return false;
}

void for_each_inner_graph(Graph& graph, const std::function<void(Graph&, const Node*)>& visit,
                          const Node* holder = nullptr) {
  visit(graph, holder);
  for (Node& node : graph.nodes()) {
    for (Graph* inner : node.subgraphs()) for_each_inner_graph(*inner, visit, &node);
  }
}

// Constants written as numbers in attributes become tensors, so that all are alike.
void as_tensor(Node& constant) {
  const Attribute* single = constant.attribute("value_float");
  const Attribute* several = constant.attribute("value_floats");
  TensorPtr tensor;
  if (single != nullptr && single->as_float()) {
    tensor = make_float_tensor("", std::span(single->as_float(), 1), true);
  } else if (several != nullptr && several->as_floats()) {
    tensor = make_float_tensor("", *several->as_floats());
  }
  if (!tensor) return;
  constant.attributes.clear();
  constant.set_attribute(make_attribute("value", std::move(tensor)));
}

// The scale of a QuantizeLinear or DequantizeLinear; below 6.1e-5 float16 loses digits, and with
// them what is scaled.
bool has_small_scale(const Node& node) {
  if (node.op_type != "QuantizeLinear" && node.op_type != "DequantizeLinear") return false;
  const TensorPtr scale = node.input(1) != nullptr ? tensor_of(*node.input(1)) : nullptr;
  if (!scale || scale->type != float32) return false;
  const auto scales = to_doubles(*scale);
  constexpr double smallest_normal = 0x1p-14;
  return scales && std::ranges::any_of(*scales, [](double number) {
           return number != 0 && std::abs(number) < smallest_normal;
         });
}

// A Cast of a model that computes in float16 already, at least in part.
bool is_border(const Node& node) {
  if (!node.is("Cast") || node.input(0) == nullptr) return false;
  return node.int_or("to", 0) == static_cast<std::int64_t>(float16) ||
         element_of(*node.input(0)) == float16;
}

class Fp16Converter {
 public:
  Fp16Converter(Model& model, const Fp16Options& options)
      : model_(model), options_(options), opset_(model.opset()) {
    for (const Function& function : model.functions) {
      functions_.insert(function.domain + "." + function.name);
    }
  }

  Result<Fp16Report> run() {
    collect_floats();
    decide(*model_.graph, {});
    for (Value* value : floats_) HONE_TRY_DO(convert_constant(*value));
    for (Node* node : converted_) HONE_TRY_DO(convert_node(*node));
    for (Value* value : floats_) {
      if (!tensor_of(*value)) retype(*value);
    }
    for (Value* value : floats_) cast_where_wanted(*value);
    for_each_inner_graph(*model_.graph, [this](Graph& graph, const Node* holder) {
      cast_outputs(graph, interface_of(holder));
    });
    HONE_TRY_DO(sort_topologically(*model_.graph));
    return std::move(report_);
  }

 private:
  void collect_floats() {
    for_each_inner_graph(*model_.graph, [&](Graph& graph, const Node*) {
      for (Node& node : graph.nodes()) {
        if (node.is("Constant")) as_tensor(node);
      }
      for (Value* value : graph.values()) {
        if (is_float_tensor(*value)) floats_.push_back(value);
      }
    });
  }

  // Which nodes stay float, `outer` being the reason of the node around the graph.
  void decide(Graph& graph, const std::string& outer) {
    for (Node& node : graph.nodes()) {
      const std::string reason = outer.empty() ? why_stays(node) : outer;
      if (reason.empty()) {
        converted_.push_back(&node);
      } else {
        stays_.insert(&node);
        if (touches_floats(node) && !is_border(node))
          report_.left_alone.push_back({describe(node), reason});
      }
      const std::string inner = reason.empty() ? "" : "the node around it stays float";
      for (Graph* subgraph : node.subgraphs()) decide(*subgraph, inner);
    }
  }

  std::string why_stays(const Node& node) const {
    if (options_.takes && !node.is("Constant") && !options_.takes(node)) {
      return "it was not selected";
    }
    if (functions_.contains(node.domain + "." + node.op_type)) {
      return "it calls a function of the model";
    }
    const auto is_apart = [](const Value* value) {
      return value != nullptr && (value->sparse_initializer() || holds_floats_apart(value->type));
    };
    if (std::ranges::any_of(node.inputs(), is_apart) ||
        std::ranges::any_of(node.outputs(), is_apart)) {
      return "it works on floats that are no plain tensor";
    }
    if (const Value* untyped = untyped_at(node)) {
      return "the type of '" + printable(untyped->name()) + "' is not known";
    }
    if (is_border(node)) return "it leads into float16 or out of it";
    if (has_small_scale(node)) return "float16 has no digits for its scale";
    return why_float(node, opset_);
  }

  // A value of which nobody can tell whether it is float: what makes or takes it stays as it is,
  // and so does a node that hands it in or out of a subgraph.
  static const Value* untyped_at(const Node& node) {
    const auto is_untyped = [](const Value* value) {
      return value != nullptr && !value->type.is_known() && !value->sparse_initializer() &&
             !tensor_of(*value) && value->is_used();
    };
    const auto first = [&](const std::vector<Value*>& values) -> const Value* {
      const auto found = std::ranges::find_if(values, is_untyped);
      return found != values.end() ? *found : nullptr;
    };
    if (const Value* input = first(node.inputs())) return input;
    if (const Value* output = first(node.outputs())) return output;
    for (const Graph* inner : node.subgraphs()) {
      if (const Value* input = first(inner->inputs())) return input;
      if (const Value* output = first(inner->outputs())) return output;
    }
    return nullptr;
  }

  static bool touches_floats(const Node& node) {
    const auto is_it = [](const Value* value) { return value && is_float_tensor(*value); };
    return std::ranges::any_of(node.inputs(), is_it) || std::ranges::any_of(node.outputs(), is_it);
  }

  ElementType wanted_by(const Use& use) const {
    const bool as_float = stays_.contains(use.node) || takes_float(*use.node, use.index, opset_);
    return as_float ? float32 : float16;
  }

  // The type of float inputs and outputs of a graph; `holder` is the node that has it.
  ElementType interface_of(const Node* holder) const {
    if (holder == nullptr) return options_.keep_io_types ? float32 : float16;
    return stays_.contains(holder) ? float32 : float16;
  }

  // A constant becomes what its users want. Where they differ there are two, so that those who
  // compute in float lose nothing.
  Status convert_constant(Value& value) {
    const TensorPtr tensor = tensor_of(value);
    if (!tensor) return done();
    if (value.is_graph_input()) return convert_default(value);
    const std::vector<Use> uses = value.uses();
    const auto wants_half = [&](const Use& use) { return wanted_by(use) == float16; };
    const auto halves = std::ranges::count_if(uses, wants_half);
    if (halves == 0) return done();
    HONE_TRY(TensorPtr half, converted(*tensor, value.name()));
    if (halves == std::ssize(uses)) {
      say(value, float16);
      if (value.initializer()) {
        value.graph().set_initializer(value, std::move(half));
      } else {
        value.producer()->set_attribute(make_attribute("value", std::move(half)));
      }
      return done();
    }
    auto named = std::make_shared<Tensor>(*half);
    named->name = value.name() + "_float16";
    Value& twin = value.graph().add_initializer(std::move(named));
    for (const Use& use : uses) {
      if (wants_half(use)) use.node->set_input(use.index, &twin);
    }
    return done();
  }

  // An initializer that a caller may override is of the type of the input.
  Status convert_default(Value& value) {
    if (interface_of(holder_of(value.graph())) == float32) return done();
    HONE_TRY(TensorPtr half, converted(*value.initializer(), value.name()));
    value.graph().set_initializer(value, std::move(half));
    say(value, float16);
    return done();
  }

  static void say(Value& value, ElementType element) {
    if (value.type.is_known()) value.type.element = element;
  }

  Result<TensorPtr> converted(const Tensor& tensor, const std::string& name) {
    HONE_TRY(Fp16Tensor half, to_fp16(tensor));
    ++report_.tensors;
    report_.bytes_before += tensor.byte_size();
    report_.bytes_after += half.tensor->byte_size();
    half.note.tensor = name;
    const bool is_worth_a_note =
        half.note.too_large > 0 || half.note.too_small > 0 || half.note.subnormal_only;
    if (is_worth_a_note) report_.ranges.push_back(std::move(half.note));
    return std::move(half.tensor);
  }

  Status convert_node(Node& node) {
    if (node.is("Constant")) return done();
    if (touches_floats(node)) ++report_.nodes;
    if (node.output(0) == nullptr || !is_float_tensor(*node.output(0))) return done();
    if (!node.is("ConstantOfShape")) {
      say_type(node, float32, float16);
      return done();
    }
    const Attribute* attribute = node.attribute("value");
    TensorPtr fill = attribute != nullptr ? attribute->as_tensor() : nullptr;
    if (!fill) fill = make_float_tensor("", std::vector<float>{0});
    HONE_TRY(fill, converted(*fill, node.output(0)->name()));
    node.set_attribute(make_attribute("value", std::move(fill)));
    return done();
  }

  // Says of a value that is computed or comes from outside what it now is.
  void retype(Value& value) {
    const Node* producer = value.producer();
    if (producer != nullptr) {
      const bool as_float =
          stays_.contains(producer) || makes_float(*producer, value.output_index());
      if (!as_float) value.type.element = float16;
    } else if (value.is_graph_input() && interface_of(holder_of(value.graph())) == float16) {
      value.type.element = float16;
    }
  }

  const Node* holder_of(const Graph& graph) {
    if (holders_.empty()) {
      for_each_inner_graph(*model_.graph, [this](Graph& inner, const Node* holder) {
        holders_.emplace(&inner, holder);
      });
    }
    return holders_.at(&graph);
  }

  void cast_where_wanted(Value& value) {
    const std::vector<Use> uses = value.uses();
    for (const Use& use : uses) {
      if (wanted_by(use) != element_of(value)) use.node->set_input(use.index, &cast_of(value));
    }
  }

  // The value in the other of the two types: one Cast for all who want it.
  Value& cast_of(Value& value) {
    if (const auto known = casts_.find(&value); known != casts_.end()) return *known->second;
    const ElementType to = element_of(value) == float32 ? float16 : float32;
    Type type = value.type;
    if (type.is_known()) type.element = to;
    const std::string name = value.name() + "_" + name_of(to);
    Value& cast = value.graph().add_value(name, std::move(type));
    Node& node = value.graph().add_node("Cast", {&value}, {&cast});
    node.name = cast.name() + "_cast";
    node.set_attribute(make_attribute("to", static_cast<std::int64_t>(to)));
    casts_.emplace(&value, &cast);
    ++report_.casts;
    return cast;
  }

  void cast_outputs(Graph& graph, ElementType wanted) {
    for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
      Value& value = *graph.outputs()[i];
      if (!was_float(value) || element_of(value) == wanted) continue;
      Value& cast = cast_of(value);
      const bool is_first = !cast.is_graph_output();
      graph.set_output(i, cast);
      if (!is_first || &graph != model_.graph.get() || value.is_graph_input()) continue;
      // The caller's interface is the name.
      const std::string promised = value.name();
      graph.rename(value, promised + "_" + name_of(element_of(value)));
      graph.rename(cast, promised);
    }
  }

  bool was_float(const Value& value) {
    if (were_floats_.empty()) were_floats_.insert(floats_.begin(), floats_.end());
    return were_floats_.contains(&value);
  }

  Model& model_;
  const Fp16Options& options_;
  std::int64_t opset_;
  Fp16Report report_;
  std::unordered_set<std::string> functions_;
  std::vector<Value*> floats_;  // every float tensor of the model as it came
  std::unordered_set<const Value*> were_floats_;
  std::vector<Node*> converted_;
  std::unordered_set<const Node*> stays_;
  std::unordered_map<const Value*, Value*> casts_;
  std::unordered_map<const Graph*, const Node*> holders_;
};

}  // namespace

Result<Fp16Report> convert_to_fp16(Model& model, const Fp16Options& options) {
  return Fp16Converter(model, options).run();
}

}  // namespace hone
