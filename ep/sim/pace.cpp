#include "ep/sim/pace.h"

#include <random>

#include "base/random.h"

namespace hone::ep::sim {
namespace {

std::uint64_t fresh_seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

}  // namespace

Pace::Pace(const Profile& profile, std::optional<std::uint64_t> seed)
    : factor_(profile.effect), latency_(profile.latency_us) {
  if (profile.session_jitter > 0) {
    Random random(seed ? *seed : fresh_seed());
    factor_ *= 1 + profile.session_jitter * random.uniform();
  }
}

void Pace::wait(Clock::time_point start) const {
  const std::chrono::duration<double, std::micro> worked = Clock::now() - start;
  const auto end = start + std::chrono::duration_cast<Clock::duration>(worked * factor_ + latency_);
  while (Clock::now() < end) {
  }
}

}  // namespace hone::ep::sim
