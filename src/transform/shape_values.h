#pragma once
// What is known, before a model runs, of the small integer tensors that it computes shapes with.

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/model.h"

namespace hone {

// One element: a number, or a dimension that two tensors may share, or nothing known of it.
struct ShapeExtent {
  std::optional<std::int64_t> number{};
  std::string symbol{};
  bool operator==(const ShapeExtent&) const = default;
};

// A scalar or a vector of extents.
struct ShapeValue {
  std::vector<ShapeExtent> elements{};
  bool is_scalar = false;
  ElementType type = ElementType::int64;

  bool is_constant() const;  // every element is a number
};

class ShapeValues {
 public:
  // Follows shapes through the model. REQUIRES that its nodes are in topological order.
  explicit ShapeValues(const Model& model);

  // Null when nothing is known of the value.
  const ShapeValue* find(const Value* value) const;

 private:
  void walk(const Graph& graph);
  std::unordered_map<const Value*, ShapeValue> found_;
};

// The dimensions of a value; nothing when its rank is not known. A dimension without number and
// name is one of its own.
std::optional<std::vector<ShapeExtent>> extents_of(const Value& value);

}  // namespace hone
