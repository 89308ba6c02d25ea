#include "inspect/debug/half.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "inspect/debug/half_types.h"
#include "inspect/quantized_ops.h"
#include "model/edit.h"
#include "model/elements.h"
#include "transform/quantize/fp16_ops.h"

namespace hone {
namespace {

constexpr auto float32 = ElementType::float32;

// What they make are numbers they were given, or such of another sign.
constexpr auto moving_ops = std::to_array<std::string_view>({"Abs",
                                                             "Clip",
                                                             "Compress",
                                                             "Concat",
                                                             "ConstantOfShape",
                                                             "DepthToSpace",
                                                             "Dropout",
                                                             "Expand",
                                                             "Flatten",
                                                             "Gather",
                                                             "GatherElements",
                                                             "GatherND",
                                                             "GlobalMaxPool",
                                                             "Identity",
                                                             "Max",
                                                             "MaxPool",
                                                             "Min",
                                                             "Neg",
                                                             "Pad",
                                                             "ReduceMax",
                                                             "ReduceMin",
                                                             "Relu",
                                                             "Reshape",
                                                             "ScatterElements",
                                                             "ScatterND",
                                                             "Slice",
                                                             "SpaceToDepth",
                                                             "Split",
                                                             "Squeeze",
                                                             "Tile",
                                                             "TopK",
                                                             "Transpose",
                                                             "Trilu",
                                                             "Unsqueeze",
                                                             "Where"});

static_assert(std::ranges::is_sorted(moving_ops));

bool casts_to(const Node* node, bool (*is_wanted)(ElementType)) {
  return node != nullptr && node->is("Cast") &&
         is_wanted(static_cast<ElementType>(node->int_or("to", 0)));
}
bool is_single(ElementType type) { return type == float32; }

Type widened(Type type) {
  if (is_half(type.element)) type.element = float32;
  if (type.inner) type.inner = std::make_shared<const Type>(widened(*type.inner));
  return type;
}

Result<TensorPtr> widened(const Tensor& tensor) {
  HONE_TRY(const std::string_view bytes, tensor.bytes());
  std::vector<double> numbers(tensor.element_count());
  decode_elements(tensor.type, bytes, numbers);
  const std::vector<float> floats(numbers.begin(), numbers.end());
  auto made = std::make_shared<Tensor>();
  made->name = tensor.name;
  made->type = float32;
  made->dims = tensor.dims;
  made->dense = Blob::own(
      std::string(reinterpret_cast<const char*>(floats.data()), floats.size() * sizeof(float)));
  return TensorPtr(std::move(made));
}

class Rounder {
 public:
  explicit Rounder(Model& model) : model_(model) {}

  Result<Halves> run() {
    halves_.types = half_values(model_);
    keep_weights();
    HONE_TRY_DO(widen_tensors());
    for_each_graph(model_, [](Graph& graph) {
      for (Value* value : graph.values()) value->type = widened(std::move(value->type));
    });
    for (Value* input : std::vector(model_.graph->inputs())) round_input(*input);
    for_each_graph(model_, [this](Graph& graph) {
      for (Node* node : graph.node_list()) convert(graph, *node);
    });
    HONE_TRY_DO(sort_topologically(*model_.graph));
    return std::move(halves_);
  }

 private:
  ElementType half_type(const Value* value) const {
    const auto found = halves_.types.find(value);
    return found == halves_.types.end() ? ElementType::undefined : found->second;
  }

  void keep_weights() {
    for_each_graph(model_, [this](Graph& graph) {
      for (Value* value : graph.values()) {
        const TensorPtr stored = weight_behind(value);
        if (!stored || !is_half(stored->type) || value->uses().empty()) continue;
        halves_.weights.push_back({value, nullptr, nullptr, stored, stored->type});
      }
    });
  }

  Status widen_tensors() {
    Status status = done();
    map_tensors(model_, [&](const TensorPtr& tensor, const Node*) -> TensorPtr {
      if (!is_half(tensor->type) || !status) return tensor;
      auto wide = widened(*tensor);
      if (wide) return std::move(*wide);
      status = fail(wide.error());
      return tensor;
    });
    return status;
  }

  // Types of values may be unknown: a half one is declared, another is float.
  static Node& insert_cast(Graph& graph, const Node& position, Value& from, Value& to) {
    Node& cast = graph.insert_before(position, "Cast", {&from}, {&to});
    const ElementType type = is_half(to.type.element) ? to.type.element : float32;
    cast.set_attribute(make_attribute("to", static_cast<std::int64_t>(type)));
    return cast;
  }

  static Value& half_of(Value& value, ElementType type) {
    Type half = value.type.is_tensor() ? value.type : Type::tensor(type);
    half.element = type;
    return value.graph().add_value(value.name() + "_rounded_to_" + name_of(type), std::move(half));
  }

  // What callers hand in is float, and its readers get what is left of it.
  void round_input(Value& input) {
    const ElementType type = half_type(&input);
    if (type == ElementType::undefined || input.initializer() || input.uses().empty()) return;
    Graph& graph = *model_.graph;
    Value& left = graph.add_value(input.name() + "_rounded", input.type);
    const std::vector<Use> uses = input.uses();
    for (const Use& use : uses) use.node->set_input(use.index, &left);
    Value& half = half_of(input, type);
    const Node& first = graph.nodes().front();
    Node& down = insert_cast(graph, first, input, half);
    insert_cast(graph, first, half, left);
    halves_.types.emplace(&left, type);
    halves_.tensors.push_back({&input, &left, &down, type, std::nullopt, nullptr});
  }

  void convert(Graph& graph, Node& node) {
    if (node.is("Constant") || is_rounding(&node)) return;
    if (node.is("Cast") && node.input(0) != nullptr && node.output(0) != nullptr) {
      convert_cast(graph, node);
      return;
    }
    say_type(node, ElementType::float16, float32);
    say_type(node, ElementType::bfloat16, float32);
    if (only_moves(node) || !node.subgraphs().empty()) return;
    const std::vector<Value*> outputs = node.outputs();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const ElementType type = half_type(outputs[i]);
      if (type != ElementType::undefined) round_output(graph, node, i, type);
    }
  }

  void convert_cast(Graph& graph, Node& cast) {
    const auto to = static_cast<ElementType>(cast.int_or("to", 0));
    const Value& from = *cast.input(0);
    const bool was_half = half_type(&from) != ElementType::undefined;
    const TensorPtr stored = weight_behind(&from);
    const bool is_real = was_half || is_float(stored ? stored->type : from.type.element);
    if (is_half(to)) {
      if (is_real && half_type(&from) != to) {
        round_at(graph, cast, to);
        return;
      }
      cast.set_attribute(make_attribute("to", static_cast<std::int64_t>(float32)));
      if (!was_half) round_output(graph, cast, 0, to);
    } else if (to == float32 && was_half && !cast.output(0)->is_graph_output()) {
      graph.replace_uses(*cast.output(0), *cast.input(0));
      graph.remove_node(cast);
    }
  }

  // A Cast from float: what it makes goes back to float.
  void round_at(Graph& graph, Node& cast, ElementType type) {
    Value& left = *cast.output(0);
    Value& half = half_of(left, type);
    cast.set_outputs({&half});
    Node& up = insert_cast(graph, cast, half, left);
    graph.move_before(cast, up);
    halves_.tensors.push_back({cast.input(0), &left, &cast, type, std::nullopt, nullptr});
  }

  // Readers get what is left, under the name they know.
  void round_output(Graph& graph, Node& node, std::size_t index, ElementType type) {
    Value& left = *node.output(index);
    Value& made = graph.add_value(left.name() + "_unrounded", left.type);
    Value& half = half_of(left, type);
    std::vector<Value*> outputs = node.outputs();
    outputs[index] = &made;
    node.set_outputs(std::move(outputs));
    Node& down = insert_cast(graph, node, made, half);
    insert_cast(graph, node, half, left);
    graph.move_before(node, down);
    halves_.tensors.push_back({&made, &left, &down, type, std::nullopt, &node});
  }

  Model& model_;
  Halves halves_;
};

}  // namespace

bool is_half(ElementType type) {
  return type == ElementType::float16 || type == ElementType::bfloat16;
}

bool has_half(const Model& model) {
  bool found = false;
  for_each_tensor(
      model, [&](const TensorPtr& tensor, const Node*) { found = found || is_half(tensor->type); });
  for_each_graph(model, [&](const Graph& graph) {
    const auto is_it = [](const Value* value) { return is_half(value->type.element); };
    const auto makes_it = [](const Node& node) { return casts_to(&node, is_half); };
    found = found || std::ranges::any_of(graph.values(), is_it) ||
            std::ranges::any_of(graph.nodes(), makes_it);
  });
  return found;
}

HalfLimits half_limits(ElementType type) {
  const bool is_brain = type == ElementType::bfloat16;
  const int digits = is_brain ? 8 : 11;
  const int top = is_brain ? 128 : 16;       // all numbers are below two to this
  const int bottom = is_brain ? -126 : -14;  // the smallest normal one
  HalfLimits limits;
  limits.digits = digits;
  limits.largest = std::ldexp(1 - std::ldexp(1.0, -digits), top);
  limits.overflows_from = std::ldexp(1 - std::ldexp(1.0, -digits - 1), top);
  limits.smallest_normal = std::ldexp(1.0, bottom);
  limits.underflows_to = std::ldexp(1.0, bottom - digits);
  return limits;
}

Result<Halves> round_halves(Model& model) { return Rounder(model).run(); }

bool ends_rounding(const Node* node) {
  return casts_to(node, is_single) && node->input(0) != nullptr &&
         casts_to(node->input(0)->producer(), is_half);
}

bool is_rounding(const Node* node) {
  if (ends_rounding(node)) return true;
  if (!casts_to(node, is_half) || node->output(0) == nullptr) return false;
  return std::ranges::any_of(node->output(0)->uses(),
                             [](const Use& use) { return ends_rounding(use.node); });
}

bool only_moves(const Node& node) {
  return node.is_default_domain() && std::ranges::binary_search(moving_ops, node.op_type);
}

Result<Sample> as_declared(const Sample& sample, const Model& model) {
  Sample given = sample;
  for (auto& [name, tensor] : given) {
    const Value* input = model.graph->find(name);
    const bool is_to_change = input != nullptr && is_half(input->type.element) &&
                              is_float(tensor->type) && tensor->type != input->type.element;
    if (!is_to_change) continue;
    HONE_TRY(const std::vector<double> numbers, to_doubles(*tensor));
    const auto is_odd = [](double number) { return !std::isfinite(number); };
    if (std::ranges::any_of(numbers, is_odd))
      return fail(Fault::unsupported, "the sample's '" + name + "' is not finite");
    std::string bytes(numbers.size() * 2, '\0');
    encode_elements(input->type.element, numbers, bytes.data());
    auto made = std::make_shared<Tensor>(*tensor);
    made->type = input->type.element;
    made->dense = Blob::own(std::move(bytes));
    tensor = std::move(made);
  }
  return given;
}

}  // namespace hone
