#pragma once
// The few functions and records of NVIDIA's CUPTI that we use, declared by ourselves: the library
// comes with every CUDA toolkit (11 to 13), its header does not come with us. The beginnings of the
// records, which is what we read, have not changed since CUDA 9; later versions only append.

#include <cstddef>
#include <cstdint>

namespace hone::cupti {

enum Kind : std::uint32_t {
  copy = 1,
  fill = 2,
  driver_call = 4,
  runtime_call = 5,
  kernel = 10,  // CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
};

struct Kernel {
  std::uint32_t kind;
  std::uint8_t cache_config;
  std::uint8_t shared_memory_config;
  std::uint16_t registers;
  std::uint32_t partitioned_cache_requested;
  std::uint32_t partitioned_cache_executed;
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t completed;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::int32_t grid[3];
  std::int32_t block[3];
  std::int32_t static_shared_memory;
  std::int32_t dynamic_shared_memory;
  std::uint32_t local_memory_per_thread;
  std::uint32_t local_memory_total;
  std::uint32_t correlation;
  std::int64_t grid_id;
  const char* name;
};
static_assert(offsetof(Kernel, start) == 16 && offsetof(Kernel, correlation) == 92 &&
              offsetof(Kernel, name) == 104);

struct Copy {
  std::uint32_t kind;
  std::uint8_t copy_kind;  // 1: host to device, 2: device to host
  std::uint8_t source_kind;
  std::uint8_t target_kind;
  std::uint8_t flags;
  std::uint64_t bytes;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t correlation;
};

struct Fill {
  std::uint32_t kind;
  std::uint32_t value;
  std::uint64_t bytes;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t correlation;
};

// A call of the driver or the runtime, on the host.
struct Call {
  std::uint32_t kind;
  std::uint32_t function;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t process;
  std::uint32_t thread;
  std::uint32_t correlation;
  std::uint32_t result;
};

using Result = int;  // 0 is success
using BufferRequested = void (*)(std::uint8_t** buffer, std::size_t* size, std::size_t* records);
using BufferCompleted = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer,
                                 std::size_t size, std::size_t valid_size);

struct Functions {
  Result (*version)(std::uint32_t*) = nullptr;
  Result (*timestamp)(std::uint64_t*) = nullptr;
  Result (*error_string)(Result, const char**) = nullptr;
  Result (*register_callbacks)(BufferRequested, BufferCompleted) = nullptr;
  Result (*enable)(std::uint32_t kind) = nullptr;
  Result (*disable)(std::uint32_t kind) = nullptr;
  Result (*flush)(std::uint32_t flag) = nullptr;
  Result (*next_record)(std::uint8_t* buffer, std::size_t valid, std::uint8_t** record) = nullptr;
  Result (*dropped)(void* context, std::uint32_t stream, std::size_t* count) = nullptr;
};

}  // namespace hone::cupti
