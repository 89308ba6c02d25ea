#pragma once
// The tensors of a checkpoint by name, and which of them a graph has taken.

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/tensor.h"

namespace hone {

class Weights {
 public:
  explicit Weights(std::vector<TensorPtr> tensors);

  bool has(std::string_view name) const { return find(name) != nullptr; }
  // Whether any tensor is below that module: "bert" has "bert.pooler.dense.weight".
  bool has_module(std::string_view path) const;
  // Null where there is none. Old checkpoints call the weight and bias of a normalization gamma and
  // beta: those are found by the new names.
  TensorPtr find(std::string_view name) const;
  void take(const Tensor& tensor) { taken_.insert(tensor.name); }
  // In the order of their names.
  std::vector<std::string> not_taken() const;
  // Names near a missing one, for messages; empty when there is none.
  std::string nearest_to(std::string_view name) const;

 private:
  std::map<std::string, TensorPtr, std::less<>> tensors_;
  std::set<std::string, std::less<>> taken_;
};

}  // namespace hone
