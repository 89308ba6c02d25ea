#include "inspect/analyze/qdq.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "inspect/quantized_ops.h"
#include "transform/match/motif.h"
#include "transform/patterns.h"

namespace hone {
namespace {

// Operators that hand integers on as they are.
constexpr std::array movers = {
    std::string_view("Reshape"),      std::string_view("Transpose"),   std::string_view("Squeeze"),
    std::string_view("Unsqueeze"),    std::string_view("Flatten"),     std::string_view("Identity"),
    std::string_view("Slice"),        std::string_view("Split"),       std::string_view("Concat"),
    std::string_view("Gather"),       std::string_view("Pad"),         std::string_view("MaxPool"),
    std::string_view("Resize"),       std::string_view("Expand"),      std::string_view("Cast"),
    std::string_view("DepthToSpace"), std::string_view("SpaceToDepth")};

bool reads_integers(const Node& node) {
  if (std::ranges::any_of(movers, [&](auto op) { return node.is(op); })) return true;
  return quantized_op(node) != nullptr && !is_quantize(&node);
}

// One converter and the problems it has.
class Check {
 public:
  Check(const Node& node, std::vector<QdqProblem>& problems) : node_(node), problems_(problems) {}

  void run() {
    if (node_.input(0) == nullptr || node_.output(0) == nullptr) return say("it lacks an operand");
    check_scale();
    check_zero_point();
    check_length();
    if (is_quantize(&node_)) {
      check_quantized();
    } else {
      check_dequantized();
    }
  }

 private:
  void say(std::string what) {
    const Value* named = is_quantize(&node_) ? node_.input(0) : node_.output(0);
    problems_.push_back({node_.name.empty() ? node_.op_type : node_.name,
                         named != nullptr ? named->name() : "", std::move(what)});
  }

  void check_scale() {
    const TensorPtr scale = weight_behind(node_.input(1));
    if (!scale || !is_float(scale->type)) return;
    const auto numbers = to_doubles(*scale);
    if (!numbers) return;
    if (!std::ranges::all_of(*numbers, [](double one) { return std::isfinite(one); })) {
      return say("its scale is not finite");
    }
    if (!std::ranges::all_of(*numbers, [](double one) { return one > 0; })) {
      say("its scale is not above 0");
    }
  }

  // The integer side says which type: that of what is dequantized, else of what others declare.
  ElementType integer_type() const {
    const Value* integer = is_quantize(&node_) ? node_.output(0) : node_.input(0);
    if (const TensorPtr stored = weight_behind(integer)) return stored->type;
    const Node* quantizer = integer->producer();
    if (!is_quantize(&node_) && is_quantize(quantizer)) return quantized_type(*quantizer);
    return integer->type.element;
  }

  void check_zero_point() {
    const TensorPtr zero_point = weight_behind(node_.input(2));
    if (!zero_point) return;
    if (is_float(zero_point->type) && bits_of(zero_point->type) > 8) {
      return say("its zero point is a " + name_of(zero_point->type));
    }
    const ElementType type = integer_type();
    if (type != ElementType::undefined && type != zero_point->type) {
      say("its zero point is a " + name_of(zero_point->type) + " and its integers are " +
          name_of(type));
    }
    const auto numbers = to_ints(*zero_point);
    const bool is_bias = zero_point->type == ElementType::int32;
    if (is_bias && numbers && std::ranges::any_of(*numbers, [](auto one) { return one != 0; })) {
      say("its zero point is not 0, as that of a 32-bit integer must be");
    }
  }

  // One scale for all, or one for each element of the axis; blocks have their own rule.
  void check_length() {
    const TensorPtr scale = weight_behind(node_.input(1));
    const TensorPtr zero_point = weight_behind(node_.input(2));
    if (scale && zero_point && scale->element_count() != zero_point->element_count()) {
      say("it has " + std::to_string(scale->element_count()) + " scales and " +
          std::to_string(zero_point->element_count()) + " zero points");
    }
    const bool is_for_all = !scale || scale->dims.empty() || scale->element_count() == 1;
    const auto shape = known_shape(node_.input(0));
    if (is_for_all || !shape || node_.int_or("block_size", 0) > 0) return;
    const std::int64_t axis = node_.int_or("axis", 1);
    const auto place = axis_of(axis, shape->size());
    if (!place) return say("its axis " + std::to_string(axis) + " is out of range");
    const auto extent = (*shape)[*place].value;
    const auto scales = static_cast<std::int64_t>(scale->element_count());
    if (extent && *extent != scales) {
      say("it has " + std::to_string(scales) + " scales for an axis of " + std::to_string(*extent));
    }
  }

  void check_quantized() {
    const Value& integers = *node_.output(0);
    const ElementType type = node_.input(0)->type.element;
    if (type != ElementType::undefined && !is_float(type) && type != ElementType::int32) {
      say("it quantizes " + name_of(type));
    }
    if (!integers.is_used()) return say("nobody uses what it makes");
    const bool has_reader =
        integers.is_graph_output() || std::ranges::any_of(integers.uses(), [](const Use& use) {
          return reads_integers(*use.node);
        });
    if (!has_reader) say("no DequantizeLinear and no integer operator reads what it makes");
    for (const Use& use : integers.uses()) {
      if (is_dequantize(use.node)) check_pair(*use.node);
    }
  }

  // A pair that does not undo itself changes what it should hand on.
  void check_pair(const Node& dequantizer) {
    const auto same = [&](std::size_t input) {
      const auto one = doubles_of(node_.input(input));
      const auto other = doubles_of(dequantizer.input(input));
      return !one || !other || one == other;
    };
    if (!same(1)) say("its scale is not that of the DequantizeLinear behind it");
    if (!same(2)) say("its zero point is not that of the DequantizeLinear behind it");
  }

  void check_dequantized() {
    const ElementType type = integer_type();
    if (is_float(type) && bits_of(type) > 8) say("it dequantizes " + name_of(type));
    if (!node_.output(0)->is_used()) say("nobody uses what it makes");
  }

  const Node& node_;
  std::vector<QdqProblem>& problems_;
};

}  // namespace

std::vector<QdqProblem> check_qdq(const Model& model) {
  std::vector<QdqProblem> problems;
  for_each_graph(model, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      if (is_quantize(&node) || is_dequantize(&node)) Check(node, problems).run();
    }
  });
  return problems;
}

}  // namespace hone
