#include "checkpoint/residual.h"

namespace hone {

Value* Residual::sum() {
  if (pending_) sum_ = net_.add(pending_, sum_);
  pending_ = nullptr;
  return sum_;
}

void Residual::add(Value* part) {
  sum();
  pending_ = part;
}

Value* Residual::norm(std::string_view module) {
  if (!pending_) return net_.layer_norm(module, sum_, width_, epsilon_);
  Value* part = pending_;
  pending_ = nullptr;
  return net_.add_layer_norm(module, part, sum_, width_, epsilon_, &sum_);
}

}  // namespace hone
