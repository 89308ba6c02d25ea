#pragma once
// Follows dimensions through a graph: which are one, which are tied by an operator, and what
// weights and constants say they are. It knows the operators that networks are built of; what comes
// out of another is taken as declared.

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/model.h"
#include "runtime/dim_system.h"

namespace hone {

using DimIds = std::vector<DimSystem::Id>;

// One number of a tensor that is computed from shapes: a dimension, or a number of the model's own
// (which may be negative, as in a Reshape).
struct ShapeNumber {
  DimSystem::Id dim = 0;
  std::optional<std::int64_t> literal{};
};
using ShapeNumbers = std::vector<ShapeNumber>;

class DimTracer {
 public:
  explicit DimTracer(DimSystem& dims) : system(dims) {}

  DimSystem& system;

  // Null: not known. What is returned stays where it is.
  const DimIds* shape(const Value* value);
  const ShapeNumbers* numbers(const Value* value);
  void set_shape(const Value* value, DimIds dims);
  void set_numbers(const Value* value, ShapeNumbers numbers);

  void trace(const Graph& graph);

 private:
  void trace_node(const Node& node);
  void trace_branches(const Node& node);
  void take_declared(const Value& value);
  std::unordered_map<const Value*, DimIds> shapes_;
  std::unordered_map<const Value*, ShapeNumbers> numbers_;
};

using DimRule = void (*)(DimTracer& tracer, const Node& node);
// How an operator ties what goes in to what comes out; null: not known.
DimRule find_dim_rule(const Node& node);
// Those that move dimensions about, and compute with shapes.
DimRule find_layout_rule(std::string_view op);

// Counted from the end when negative; nothing when it is outside.
std::optional<std::size_t> place_of(std::int64_t axis, std::size_t rank);
// An attribute of integers, or the constant that takes its place in later opsets.
std::optional<std::vector<std::int64_t>> ints_of(const Node& node, std::string_view attribute,
                                                 std::size_t input);
// What numpy's broadcasting makes of both; open dimensions of the same rank are taken to be equal.
DimIds broadcast(DimTracer& tracer, const DimIds& a, const DimIds& b);

}  // namespace hone
