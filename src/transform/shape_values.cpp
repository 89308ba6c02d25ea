#include "transform/shape_values.h"

#include <algorithm>
#include <array>

#include "transform/axes.h"
#include "transform/patterns.h"

namespace hone {
namespace {

// Shapes are short. A longer vector of integers is data.
constexpr std::size_t most_elements = 64;

bool is_integer(ElementType type) {
  using enum ElementType;
  return type == int64 || type == int32 || type == boolean;
}

using Found = std::optional<ShapeValue>;

// The operands of a node as far as they are known, constants among them.
class Operands {
 public:
  Operands(const Node& node, const ShapeValues& values) : node_(node), values_(values) {}

  Found at(std::size_t index) const {
    const Value* value = node_.input(index);
    if (const ShapeValue* known = values_.find(value)) return *known;
    const TensorPtr tensor = value != nullptr ? value->constant() : nullptr;
    if (!tensor || !is_integer(tensor->type) || tensor->dims.size() > 1 ||
        tensor->element_count() > most_elements)
      return {};
    const auto numbers = ints_of(value);
    if (!numbers) return {};
    ShapeValue constant{.is_scalar = tensor->dims.empty(), .type = tensor->type};
    for (const std::int64_t number : *numbers) constant.elements.push_back({number});
    return constant;
  }
  std::size_t count() const { return node_.inputs().size(); }
  const Node& node() const { return node_; }

 private:
  const Node& node_;
  const ShapeValues& values_;
};

Found shape(const Operands& in) {
  const Value* value = in.node().input(0);
  auto extents = value != nullptr ? extents_of(*value) : std::nullopt;
  if (!extents) return {};
  const auto rank = static_cast<std::int64_t>(extents->size());
  const SliceBounds bounds{0, in.node().int_or("start", 0), in.node().int_or("end", rank)};
  const Range range = range_of(bounds, rank);
  const auto first = extents->begin() + range.first;
  return ShapeValue{.elements = {first, first + range.count}};
}

Found gather(const Operands& in) {
  const Found data = in.at(0);
  const Found indices = in.at(1);
  if (!data || data->is_scalar || !indices || !indices->is_constant()) return {};
  ShapeValue picked{.is_scalar = indices->is_scalar, .type = data->type};
  for (const ShapeExtent& index : indices->elements) {
    const auto place = axis_of(*index.number, data->elements.size());
    if (!place) return {};
    picked.elements.push_back(data->elements[*place]);
  }
  return picked;
}

Found slice(const Operands& in) {
  const Found data = in.at(0);
  const auto bounds = data && !data->is_scalar ? slice_bounds(in.node(), 1) : std::nullopt;
  if (!bounds) return {};
  const Range range = range_of(*bounds, static_cast<std::int64_t>(data->elements.size()));
  const auto first = data->elements.begin() + range.first;
  return ShapeValue{.elements = {first, first + range.count}, .type = data->type};
}

Found concat(const Operands& in) {
  ShapeValue whole;
  for (std::size_t i = 0; i < in.count(); ++i) {
    const Found part = in.at(i);
    if (!part || part->is_scalar || whole.elements.size() > most_elements) return {};
    whole.type = part->type;
    whole.elements.insert(whole.elements.end(), part->elements.begin(), part->elements.end());
  }
  return whole;
}

// Squeeze, Unsqueeze and Reshape between a scalar and a vector of one element, or to the same.
Found reshape(const Operands& in) {
  Found data = in.at(0);
  if (!data) return {};
  const bool is_one = data->elements.size() == 1;
  const Node& node = in.node();
  if (node.is("Unsqueeze")) {
    if (!data->is_scalar || ints_from(node, "axes", 1).value_or(Attribute::Ints{}).size() != 1) {
      return {};
    }
    data->is_scalar = false;
    return data;
  }
  if (node.is("Squeeze")) {
    if (!is_one || data->is_scalar) return {};
    data->is_scalar = true;
    return data;
  }
  const auto to = ints_of(node.input(1));
  const auto count = static_cast<std::int64_t>(data->elements.size());
  if (!to || to->size() > 1 || (to->empty() && !is_one)) return {};
  if (to->size() == 1 && to->front() != -1 && to->front() != count) return {};
  data->is_scalar = to->empty();
  return data;
}

Found cast(const Operands& in) {
  Found data = in.at(0);
  const auto to = static_cast<ElementType>(in.node().int_or("to", 0));
  // Through floats and back a size stays what it is; as a float it is no constant we could write.
  if (!data || !(to == ElementType::int64 || to == ElementType::int32)) return {};
  data->type = to;
  return data;
}

Found reduce_prod(const Operands& in) {
  const Found data = in.at(0);
  if (!data || data->is_scalar || !is_integer(data->type)) return {};
  const auto axes = ints_from(in.node(), "axes", 1);
  if (has_ints(in.node(), "axes", 1) && !(axes && axes->size() == 1)) return {};
  ShapeExtent product{1};
  for (const ShapeExtent& element : data->elements) {
    if (product.number == 1) {
      product = element;
    } else if (element.number != 1) {
      std::int64_t both = 0;
      const bool is_known = product.number && element.number &&
                            !__builtin_mul_overflow(*product.number, *element.number, &both);
      product = is_known ? ShapeExtent{both} : ShapeExtent{};
    }
  }
  return ShapeValue{
      .elements = {product}, .is_scalar = in.node().int_or("keepdims", 1) == 0, .type = data->type};
}

std::optional<std::int64_t> computed(const Node& node, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (node.is("Equal")) return a == b ? 1 : 0;
  if (node.is("Div")) return a >= 0 && b > 0 ? std::optional(a / b) : std::nullopt;
  const bool overflows = node.is("Add")   ? __builtin_add_overflow(a, b, &result)
                         : node.is("Sub") ? __builtin_sub_overflow(a, b, &result)
                                          : __builtin_mul_overflow(a, b, &result);
  return overflows ? std::nullopt : std::optional(result);
}

ShapeExtent combined(const Node& node, const ShapeExtent& a, const ShapeExtent& b) {
  if (a.number && b.number) {
    const auto number = computed(node, *a.number, *b.number);
    return number ? ShapeExtent{*number} : ShapeExtent{};
  }
  if (node.is("Equal")) {
    if (!a.symbol.empty() && a.symbol == b.symbol) return {1};
    // No dimension is negative.
    const bool is_impossible = (a.number && *a.number < 0 && !b.symbol.empty()) ||
                               (b.number && *b.number < 0 && !a.symbol.empty());
    return is_impossible ? ShapeExtent{0} : ShapeExtent{};
  }
  const bool is_product = node.is("Mul") || node.is("Div");
  const std::int64_t neutral = is_product ? 1 : 0;
  if (b.number == neutral) return a;
  const bool commutes = node.is("Mul") || node.is("Add");
  return commutes && a.number == neutral ? b : ShapeExtent{};
}

Found elementwise(const Operands& in) {
  const Found a = in.at(0);
  const Found b = in.at(1);
  if (!a || !b || !is_integer(a->type)) return {};
  const std::size_t count = std::max(a->elements.size(), b->elements.size());
  if (std::min(a->elements.size(), b->elements.size()) == 0) return {};
  ShapeValue result{.is_scalar = a->is_scalar && b->is_scalar, .type = a->type};
  if (in.node().is("Equal")) result.type = ElementType::boolean;
  for (std::size_t i = 0; i < count; ++i) {
    const auto pick = [&](const ShapeValue& from) -> const ShapeExtent* {
      if (from.elements.size() == 1) return &from.elements.front();
      return from.elements.size() == count ? &from.elements[i] : nullptr;
    };
    if (pick(*a) == nullptr || pick(*b) == nullptr) return {};
    result.elements.push_back(combined(in.node(), *pick(*a), *pick(*b)));
  }
  return result;
}

Found where(const Operands& in) {
  const Found condition = in.at(0);
  const Found yes = in.at(1);
  const Found no = in.at(2);
  if (!condition || !yes || !no || !condition->is_constant()) return {};
  const std::size_t count = condition->elements.size();
  if (yes->elements.size() != count || no->elements.size() != count) return {};
  ShapeValue chosen{.is_scalar = no->is_scalar && yes->is_scalar && condition->is_scalar,
                    .type = no->type};
  for (std::size_t i = 0; i < count; ++i) {
    chosen.elements.push_back(*condition->elements[i].number != 0 ? yes->elements[i]
                                                                  : no->elements[i]);
  }
  return chosen;
}

Found constant_of_shape(const Operands& in) {
  const Found size = in.at(0);
  const bool is_vector = size && size->is_constant() && size->elements.size() == 1;
  if (!is_vector || size->is_scalar) return {};
  const std::int64_t count = *size->elements.front().number;
  const Attribute* fill = in.node().attribute("value");
  const TensorPtr tensor = fill != nullptr ? fill->as_tensor() : nullptr;
  const auto numbers = tensor && is_integer(tensor->type) ? to_ints(*tensor).value_or({})
                                                          : std::vector<std::int64_t>{};
  if (numbers.size() != 1 || count < 0 || count > static_cast<std::int64_t>(most_elements)) {
    return {};
  }
  return ShapeValue{.elements = std::vector<ShapeExtent>(static_cast<std::size_t>(count),
                                                         ShapeExtent{numbers.front()}),
                    .type = tensor->type};
}

struct Rule {
  std::string_view op;
  Found (*evaluate)(const Operands&);
};
constexpr std::array<Rule, 16> rules = {{{"Shape", shape},
                                         {"Gather", gather},
                                         {"Slice", slice},
                                         {"Concat", concat},
                                         {"Squeeze", reshape},
                                         {"Unsqueeze", reshape},
                                         {"Reshape", reshape},
                                         {"Cast", cast},
                                         {"ReduceProd", reduce_prod},
                                         {"Add", elementwise},
                                         {"Sub", elementwise},
                                         {"Mul", elementwise},
                                         {"Div", elementwise},
                                         {"Equal", elementwise},
                                         {"Where", where},
                                         {"ConstantOfShape", constant_of_shape}}};

}  // namespace

bool ShapeValue::is_constant() const {
  return std::ranges::all_of(elements,
                             [](const ShapeExtent& extent) { return extent.number.has_value(); });
}

std::optional<std::vector<ShapeExtent>> extents_of(const Value& value) {
  const auto rank = rank_of(&value);
  if (!rank) return std::nullopt;
  std::vector<ShapeExtent> extents;
  for (std::size_t axis = 0; axis < *rank; ++axis) {
    ShapeExtent extent{extent_of(&value, axis)};
    if (!extent.number) {
      const std::string& symbol = (*value.type.shape)[axis].symbol;
      // In the body of a loop a name may stand for another number each time round.
      const bool is_shared = !symbol.empty() && value.graph().parent() == nullptr;
      extent.symbol = is_shared ? symbol : "#" + std::to_string(axis) + " " + value.name();
    }
    extents.push_back(std::move(extent));
  }
  return extents;
}

ShapeValues::ShapeValues(const Model& model) { walk(*model.graph); }

const ShapeValue* ShapeValues::find(const Value* value) const {
  const auto known = found_.find(value);
  return known != found_.end() ? &known->second : nullptr;
}

void ShapeValues::walk(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    for (const Graph* inner : node.subgraphs()) walk(*inner);
    const auto rule = std::ranges::find_if(rules, [&](const Rule& one) { return node.is(one.op); });
    if (rule == rules.end() || node.output(0) == nullptr) continue;
    if (Found value = rule->evaluate(Operands(node, *this))) {
      found_.emplace(node.output(0), std::move(*value));
    }
  }
}

}  // namespace hone
