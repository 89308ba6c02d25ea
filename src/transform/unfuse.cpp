#include "transform/unfuse.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace hone {

bool is_microsoft(const Node& node, std::string_view op) {
  return node.domain == microsoft && node.op_type == op;
}

std::vector<Node*> nodes_where(const Rewriter& rewriter, bool (*is_whole)(const Node&)) {
  std::vector<Node*> found = rewriter.nodes();
  std::erase_if(found, [&](const Node* node) {
    return node->output(0) == nullptr || node->input(0) == nullptr || !is_whole(*node);
  });
  return found;
}

Parts::Parts(Rewriter& rewriter, const Node& whole)
    : rewriter_(rewriter), whole_(whole), type_(whole.output(0)->type) {
  if (!type_.is_known()) type_ = whole.input(0)->type;
}

Value& Parts::op(std::string_view op, std::vector<Value*> inputs, std::vector<Attribute> with) {
  return rewriter_.add(whole_, {.op = std::string(op),
                                .inputs = std::move(inputs),
                                .attributes = std::move(with),
                                .type = type_});
}

Value& Parts::constant(double number) {
  TensorPtr tensor =
      encode(whole_.output(0)->name() + "_number", type_.element, {}, std::vector{number});
  HONE_CHECK(tensor != nullptr);
  return rewriter_.add_constant(whole_, std::move(tensor));
}

Value& Parts::mean(Value& value, const Attribute::Ints& axes) {
  const Type reduced = any_shape();
  if (rewriter_.opset() < 18) {
    return rewriter_.add(whole_, {.op = "ReduceMean",
                                  .inputs = {&value},
                                  .attributes = attributes(make_attribute("axes", axes)),
                                  .type = reduced});
  }
  Value& along = rewriter_.add_ints(whole_, value.name() + "_axes", axes);
  return rewriter_.add(whole_, {.op = "ReduceMean", .inputs = {&value, &along}, .type = reduced});
}

Value& Parts::root_of_sum(Value& mean, double number) {
  const Type reduced = any_shape();
  Value& sum =
      rewriter_.add(whole_, {.op = "Add", .inputs = {&mean, &constant(number)}, .type = reduced});
  return rewriter_.add(whole_, {.op = "Sqrt", .inputs = {&sum}, .type = reduced});
}

std::string no_numbers(const Node& node) {
  const ElementType type =
      node.output(0)->type.is_known() ? node.output(0)->type.element : node.input(0)->type.element;
  using enum ElementType;
  const bool is_writable =
      type == float32 || type == float64 || type == float16 || type == bfloat16;
  return is_writable ? "" : "the type of its numbers is not known";
}

std::string no_squares(const Node& node) {
  if (std::string why = no_numbers(node); !why.empty()) return why;
  const ElementType type =
      node.output(0)->type.is_known() ? node.output(0)->type.element : node.input(0)->type.element;
  const bool is_wide = type == ElementType::float32 || type == ElementType::float64;
  return is_wide ? "" : "its squares would leave the range of 16-bit floats";
}

namespace {

// How many numbers an activation has beside its input.
struct Activation {
  std::string_view name;
  std::size_t parameters;
};
constexpr auto activations = std::to_array<Activation>({{"Relu", 0},
                                                        {"Sigmoid", 0},
                                                        {"Tanh", 0},
                                                        {"Softplus", 0},
                                                        {"Softsign", 0},
                                                        {"LeakyRelu", 1},
                                                        {"Elu", 1},
                                                        {"ThresholdedRelu", 1},
                                                        {"HardSigmoid", 2},
                                                        {"Clip", 2}});

}  // namespace

std::string no_activation(const NamedActivation& activation, std::int64_t opset) {
  if (activation.name.empty()) return {};
  const auto known = std::ranges::find(activations, activation.name, &Activation::name);
  // The bounds of a Clip are inputs from opset 11 on.
  const bool is_known = known != activations.end() &&
                        known->parameters == activation.parameters.size() &&
                        (activation.name != "Clip" || opset >= 11);
  return is_known ? "" : "its activation '" + activation.name + "' is not known";
}

Value& add_activation(Parts& parts, Value& input, const NamedActivation& activation) {
  const std::vector<float>& given = activation.parameters;
  if (activation.name.empty()) return input;
  if (activation.name == "Clip") {
    return parts.op("Clip", {&input, &parts.constant(static_cast<double>(given[0])),
                             &parts.constant(static_cast<double>(given[1]))});
  }
  std::vector<Attribute> with;
  if (!given.empty()) with.push_back(make_attribute("alpha", given[0]));
  if (given.size() > 1) with.push_back(make_attribute("beta", given[1]));
  return parts.op(activation.name, {&input}, std::move(with));
}

Attribute::Ints normalized_axes(const Node& norm) {
  const std::int64_t axis = norm.int_or("axis", -1);
  if (axis == -1) return {-1};
  const auto rank = rank_of(norm.input(0));
  const auto first = rank ? axis_of(axis, *rank) : std::nullopt;
  if (!first) return {};
  Attribute::Ints axes(*rank - *first);
  std::iota(axes.begin(), axes.end(), static_cast<std::int64_t>(*first));
  return axes;
}

Pass unfusing(std::string_view name, std::string_view summary, Status (*run)(Rewriter&)) {
  return {.name = name,
          .summary = summary,
          .category = unfusing_category,
          .numerics = Numerics::close,
          .run = run};
}

}  // namespace hone
