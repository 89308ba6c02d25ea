// For tests: stands in for NVIDIA's CUPTI, with a GPU that did three things, and records that make
// no sense. Built as a library of its own and loaded by path.

#include <chrono>
#include <cstdint>
#include <cstring>

#include "runtime/cupti_abi.h"

namespace {

namespace cupti = hone::cupti;

cupti::BufferRequested requested = nullptr;
cupti::BufferCompleted completed = nullptr;
std::uint64_t began = 0;
bool is_done = false;

// A clock of its own: 7 s ahead of the system's.
std::uint64_t now() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::system_clock::now().time_since_epoch())
                                        .count()) +
         7'000'000'000;
}

// Records of one length, for next_record to find them.
constexpr std::size_t slot = 160;

template <class Record>
void put(std::uint8_t* buffer, std::size_t& used, const Record& record) {
  static_assert(sizeof record <= slot);
  std::memset(buffer + used, 0, slot);
  std::memcpy(buffer + used, &record, sizeof record);
  used += slot;
}

cupti::Kernel kernel(const char* name, std::uint64_t start, std::uint64_t end,
                     std::uint32_t correlation) {
  cupti::Kernel made{};
  made.kind = cupti::kernel;
  made.start = start;
  made.end = end;
  made.correlation = correlation;
  made.name = name;
  return made;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the names are NVIDIA's.
extern "C" {

int cuptiGetVersion(std::uint32_t* version);
int cuptiGetTimestamp(std::uint64_t* time);
int cuptiGetResultString(int result, const char** words);
int cuptiActivityRegisterCallbacks(cupti::BufferRequested request, cupti::BufferCompleted complete);
int cuptiActivityEnable(std::uint32_t kind);
int cuptiActivityDisable(std::uint32_t kind);
int cuptiActivityFlushAll(std::uint32_t flag);
int cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid, std::uint8_t** record);
int cuptiActivityGetNumDroppedRecords(void* context, std::uint32_t stream, std::size_t* count);

int cuptiGetVersion(std::uint32_t* version) {
  *version = 26;
  return 0;
}
int cuptiGetTimestamp(std::uint64_t* time) {
  *time = now();
  return 0;
}
int cuptiGetResultString(int /*result*/, const char** words) {
  *words = "CUPTI_ERROR_STAND_IN";
  return 0;
}
int cuptiActivityRegisterCallbacks(cupti::BufferRequested request,
                                   cupti::BufferCompleted complete) {
  requested = request;
  completed = complete;
  return 0;
}
int cuptiActivityEnable(std::uint32_t kind) {
  began = now();
  is_done = false;
  return kind == 0 ? 1 : 0;
}
int cuptiActivityDisable(std::uint32_t /*kind*/) { return 0; }

int cuptiActivityFlushAll(std::uint32_t /*flag*/) {
  if (is_done || requested == nullptr) return 0;
  is_done = true;
  std::uint8_t* buffer = nullptr;
  std::size_t size = 0;
  std::size_t records = 0;
  requested(&buffer, &size, &records);
  std::size_t used = 0;
  put(buffer, used,
      cupti::Call{cupti::runtime_call, 0, began + 10'000, began + 12'000, 0, 0, 1, 0});
  put(buffer, used, cupti::Call{cupti::driver_call, 0, began + 11'000, began + 12'000, 0, 0, 1, 0});
  put(buffer, used, kernel("_Z4gemmPfi", began + 50'000, began + 80'000, 1));
  put(buffer, used, kernel("sm90_xmma", began + 20'000, began + 30'000, 2));
  put(buffer, used,
      cupti::Copy{cupti::copy, 2, 0, 0, 0, 4096, began + 90'000, began + 95'000, 0, 0, 0, 3});
  // What makes no sense: an end before the start, no times, no name, a kind nobody knows.
  put(buffer, used, kernel("backwards", began + 9, began + 8, 4));
  put(buffer, used, kernel("timeless", 0, 0, 5));
  put(buffer, used, kernel(nullptr, began + 100'000, began + 101'000, 6));
  put(buffer, used, std::uint32_t{9999});
  completed(nullptr, 0, buffer, size, used);
  return 0;
}
int cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid, std::uint8_t** record) {
  *record = *record == nullptr ? buffer : *record + slot;
  constexpr int limit_reached = 12;
  return static_cast<std::size_t>(*record - buffer) < valid ? 0 : limit_reached;
}
int cuptiActivityGetNumDroppedRecords(void* /*context*/, std::uint32_t /*stream*/,
                                      std::size_t* count) {
  *count = 2;
  return 0;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
