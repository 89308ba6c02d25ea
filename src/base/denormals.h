#pragma once
// What the processor does with numbers below the normal range, for the thread that asks.

#include <cstdint>

namespace hone {

// As zero or as they are while it lives, then as before.
class DenormalScope {
 public:
  explicit DenormalScope(bool as_zero);
  ~DenormalScope();
  DenormalScope(const DenormalScope&) = delete;
  DenormalScope& operator=(const DenormalScope&) = delete;

 private:
  std::uint64_t before_ = 0;
};

}  // namespace hone
