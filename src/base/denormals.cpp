#include "base/denormals.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace hone {
namespace {

#if defined(__x86_64__)
constexpr std::uint64_t as_zero_bits = 0x8040;  // results, and operands
std::uint64_t read_control() { return _mm_getcsr(); }
void write_control(std::uint64_t bits) { _mm_setcsr(static_cast<unsigned>(bits)); }
#elif defined(__aarch64__)
constexpr std::uint64_t as_zero_bits = 1U << 24;
std::uint64_t read_control() {
  std::uint64_t bits = 0;
  asm volatile("mrs %0, fpcr" : "=r"(bits));
  return bits;
}
void write_control(std::uint64_t bits) { asm volatile("msr fpcr, %0" : : "r"(bits)); }
#else
#error "how this processor takes denormals as zero is not known"
#endif

}  // namespace

DenormalScope::DenormalScope(bool as_zero) : before_(read_control()) {
  write_control(as_zero ? before_ | as_zero_bits : before_ & ~as_zero_bits);
}

DenormalScope::~DenormalScope() { write_control(before_); }

}  // namespace hone
