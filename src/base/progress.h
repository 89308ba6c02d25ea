#pragma once
// How libraries tell how far they have come, without knowing who listens.

#include <cstdint>
#include <functional>

namespace hone {

// Called now and then, by one thread at a time, with the bytes dealt with so far and in all.
using ByteProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

}  // namespace hone
