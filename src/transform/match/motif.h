#pragma once
// What the matchers of this folder are made of. A matcher looks at a graph and changes nothing: it
// says which nodes together compute one thing (a GELU, an attention), and from what. Passes rewrite
// what it finds; others count it.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "model/graph.h"

namespace hone {

// The nodes of a motif, the one that makes the result last.
using Motif = std::vector<Node*>;

// A value inside that somebody outside needs too, be it only as a graph output; null when all of
// the nodes can go once the result is made in another way.
const Value* used_outside(std::span<Node* const> motif);

// Both ways to read an op of two operands.
struct Operands {
  Value* one = nullptr;
  Value* other = nullptr;
};
std::array<Operands, 2> both_orders(const Node& node);

// The number a constant of one element is, when it leaves the shape of what it is combined with as
// it is: [1,1,1] beside a vector would make a cube of it.
std::optional<double> number_beside(const Value* constant, const Value* other);

// Value times a number, written as Mul or as Div.
struct Scaled {
  Value* value = nullptr;
  double factor = 1;
  ElementType type = ElementType::undefined;  // that the number was written in
};
std::optional<Scaled> match_scaled(const Node& node);
// Whether the number is this one but for rounding: exporters write 1.4142, and 16-bit types cannot
// hold more.
bool is_factor(const Scaled& scaled, double number);

// The base of value * value and of value ** 2, and the node in between.
struct Square {
  Value* base = nullptr;
  Node* node = nullptr;
  bool is_pow = false;
};
std::optional<Square> match_square(const Value* value);

// The axes a ReduceMean works on, when they are kept as dimensions of size one and known.
std::optional<std::vector<std::int64_t>> kept_axes(const Node& reduce);

// Equal whatever the input: the same number or the same symbol.
bool same_dim(const Dim& a, const Dim& b);
bool is_one(const Dim& dim);
// The dimensions of a value or a constant; nothing when not even their number is known.
std::optional<Shape> known_shape(const Value* value);

}  // namespace hone
