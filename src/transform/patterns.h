#pragma once
// What patterns are made of: small questions about nodes, values and constants. A null value is
// nobody's: each of these says no to it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/model.h"

namespace hone {

// The node of this op (default domain) that makes the value.
Node* producer_of(const Value* value, std::string_view op);
// The only node that uses the value, when it is one input of one node of the same graph and no
// graph output. That node makes something: its first output is there.
Node* only_consumer(const Value& value);
// For an op of two operands in either order: the other operand of `value`'s node.
Value* other_operand(const Node& node, const Value& value);
// The operand that is a constant, and the one that is not; nothing unless it is exactly so.
struct ConstantOperand {
  Value* variable = nullptr;
  Value* constant = nullptr;
  std::size_t constant_index = 0;
};
std::optional<ConstantOperand> constant_operand(const Node& node);

// --- Constants

// The constant as one number, when all its elements are that number.
std::optional<double> scalar_of(const Value* value);
bool is_scalar(const Value* value, double expected, double relative_tolerance = 1e-4);
// The elements of a constant of floats or integers.
std::optional<std::vector<double>> doubles_of(const Value* value);
std::optional<std::vector<std::int64_t>> ints_of(const Value* value);
// The integers of an attribute, or of the input that took its place in a later opset.
std::optional<std::vector<std::int64_t>> ints_from(const Node& node, std::string_view attribute,
                                                   std::size_t input);
// Whether either of them is there at all.
bool has_ints(const Node& node, std::string_view attribute, std::size_t input);
// A tensor of a 16-, 32- or 64-bit float type; null when a number is beyond its range. REQUIRES
// that many numbers as the shape asks for.
TensorPtr encode(std::string name, ElementType type, std::vector<std::int64_t> dims,
                 const std::vector<double>& numbers);
// The numbers of a tensor of shape `from`, written out over the shape `to`. REQUIRES that `from`
// can be broadcast to it.
std::vector<double> broadcast(const std::vector<double>& numbers,
                              const std::vector<std::int64_t>& from,
                              const std::vector<std::int64_t>& to);
bool can_broadcast(const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to);

// --- Shapes

// All dimensions, when each is a number.
std::optional<std::vector<std::int64_t>> static_shape(const Value* value);
std::optional<std::size_t> rank_of(const Value* value);
// One dimension, when it is a number.
std::optional<std::int64_t> extent_of(const Value* value, std::size_t axis);
// An axis counted from the front; nothing when the rank has no such axis.
std::optional<std::size_t> axis_of(std::int64_t axis, std::size_t rank);
// The order of a Transpose; nothing when it is no permutation of that many axes.
std::optional<std::vector<std::int64_t>> perm_of(const Node& transpose, std::size_t rank);

}  // namespace hone
