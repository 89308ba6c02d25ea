#pragma once
// How much of the CPU others used while we worked. What is ours is this process and all it has
// started, ended ones included; steal time is what the hypervisor gave to other machines.

#include <cstdint>
#include <optional>

#include "base/system_files.h"

namespace hone {

// Shares of the CPUs this process may run on, 0 to 1.
struct LoadShares {
  double others = 0;
  double stolen = 0;
};

class LoadMeter {
 public:
  explicit LoadMeter(SystemRoots roots = {});

  // Counts from here on; a new meter has started.
  void start();
  // Since the start. Nothing where the kernel does not tell, or too little time has passed for its
  // ticks of 10 ms.
  std::optional<LoadShares> so_far() const;

 private:
  struct Ticks {
    std::uint64_t total = 0;
    std::uint64_t busy = 0;
    std::uint64_t stolen = 0;
    std::uint64_t own = 0;
  };
  static std::optional<Ticks> read(const SystemRoots& roots);

  SystemRoots roots_;
  std::optional<Ticks> start_;
};

}  // namespace hone
