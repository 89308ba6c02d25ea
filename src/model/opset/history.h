#pragma once
// The life of every operator of the default domain: in which opset it came, and what each later
// version changed. history.inc holds the rows; an opset step of a node is looked up here and
// carried out by step.cpp, with an adapter where plain facts do not say enough.

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "model/graph.h"

namespace hone::opset {

// The newest opset of which we know every operator, and the oldest we convert to.
constexpr int newest_opset = 25;
constexpr int oldest_opset = 9;
// The oldest that we convert from: before it, operators broadcast in another way.
constexpr int oldest_source = 7;

class Converter;

// Rewrites one node across one version of its operator, or says why that cannot be.
using Adapter = Status (*)(Converter&, Node&);

// A set of element types, and of kinds of values.
using Types = std::uint64_t;
constexpr Types one(ElementType type) { return Types{1} << static_cast<int>(type); }
constexpr Types sequences = Types{1} << 40;
constexpr Types optionals = Types{1} << 41;
Types type_of(const Type& type, ElementType element);

// An attribute that a version brought. Its neutral value makes the op do what it did before.
struct AllOnes {};
struct Anything {};  // the attribute never mattered where the older version can be used at all
struct NewAttribute {
  std::string_view name;
  std::variant<std::int64_t, std::string_view, AllOnes, Anything> neutral;
};

// How an attribute is written once it has become an input.
enum class Form {
  ints,           // 1-D int64
  one_int,        // 1-D int64 of one element
  int_scalar,     // 0-D int64
  float_scalar,   // 0-D float
  element_scalar  // 0-D, of the element type of the node's first input
};
struct MovedAttribute {
  std::string_view name;
  std::size_t input;
  Form form;
  bool required = false;  // the older version cannot be without it
};

struct Step {
  int version = 0;
  Types added = 0;                      // types it began to accept
  std::vector<NewAttribute> brought{};  // attributes it began to have
  std::vector<MovedAttribute> moved{};  // attributes that became inputs
  std::string_view negative{};  // the axis attribute that may count from the back from here on
  Adapter up = nullptr;         // from the version before to this one
  Adapter down = nullptr;       // from this one to the version before
};

struct OpHistory {
  std::string_view op;
  int since = 0;  // the first opset that has it
  Adapter expand =
      nullptr;  // says it in ops of the opset before `since`, for those that can be said
  std::vector<Step> steps{};  // ascending; versions up to the oldest source are left out
  int until = 0;              // the first opset that no longer has it; 0: still there
};

// Null for an op that no opset has.
const OpHistory* find_history(std::string_view op);
std::span<const OpHistory> all_histories();

}  // namespace hone::opset
