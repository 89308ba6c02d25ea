#pragma once
// The sum that runs through layers which normalize before they compute. It is added up only where
// it is looked at, so that each sum and the norm after it are one node where there is one for both.

#include "checkpoint/net.h"

namespace hone {

class Residual {
 public:
  // REQUIRES: net outlives it.
  Residual(Net& net, Value* x, std::int64_t width, double epsilon)
      : net_(net), sum_(x), width_(width), epsilon_(epsilon) {}

  void add(Value* part);
  // The layer norm of the sum so far, by the name of its module.
  Value* norm(std::string_view module);
  Value* sum();

 private:
  Net& net_;
  Value* sum_;
  Value* pending_ = nullptr;  // not yet part of the sum
  std::int64_t width_;
  double epsilon_;
};

}  // namespace hone
