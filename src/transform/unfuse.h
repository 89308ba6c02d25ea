#pragma once
// What the passes share that write a fused operator in its parts.

#include <string>
#include <string_view>
#include <vector>

#include "transform/fuse.h"
#include "transform/pass.h"

namespace hone {

// An operator of ONNX Runtime's own domain.
bool is_microsoft(const Node& node, std::string_view op);

// The nodes of the model that `is_whole` holds of and that make something.
std::vector<Node*> nodes_where(const Rewriter& rewriter, bool (*is_whole)(const Node&));

// Makes the parts of a node, before it. What they make has the type of what the node makes.
class Parts {
 public:
  Parts(Rewriter& rewriter, const Node& whole);

  Value& op(std::string_view op, std::vector<Value*> inputs, std::vector<Attribute> with = {});
  Value& sum(Value& a, Value& b) { return op("Add", {&a, &b}); }
  Value& product(Value& a, Value& b) { return op("Mul", {&a, &b}); }
  // With a number of the type of the node's output.
  Value& sum(Value& a, double number) { return sum(a, constant(number)); }
  Value& product(Value& a, double number) { return product(a, constant(number)); }
  Value& constant(double number);
  // The mean along axes, which stay as 1, and the root of such a mean and a number.
  Value& mean(Value& value, const Attribute::Ints& axes);
  Value& root_of_sum(Value& mean, double number);
  // In the place of the node.
  void become(Value& result) { rewriter_.replace(*whole_.output(0), result); }

  // What parts of another shape have: the numbers, and no shape.
  Type any_shape() const { return Type::tensor(type_.element); }

 private:
  Rewriter& rewriter_;
  const Node& whole_;
  Type type_;
};

// Why the numbers of the node's output cannot be written as constants; empty when they can.
std::string no_numbers(const Node& node);
// Why its sum of squares would not do in its parts: 16-bit floats overflow at 256 squared, which
// the fused kernels compute in float.
std::string no_squares(const Node& node);

// The activation that a fused operator names; without a name it is none.
struct NamedActivation {
  std::string name;
  std::vector<float> parameters;
};
// Why it cannot be written as a node; empty when it can.
std::string no_activation(const NamedActivation& activation, std::int64_t opset);
// On a value. REQUIRES that it can be written.
Value& add_activation(Parts& parts, Value& input, const NamedActivation& activation);

// The axes a normalization is along, from `axis` to the last; empty when the rank is not known.
Attribute::Ints normalized_axes(const Node& norm);

inline constexpr std::string_view unfusing_category = "unfuse";

// A pass of this kind: it is done for those who need it, and when it is asked for.
Pass unfusing(std::string_view name, std::string_view summary, Status (*run)(Rewriter&));

}  // namespace hone
