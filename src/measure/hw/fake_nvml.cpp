// For tests: a management library with one GPU whose values are known. Built as a library of its
// own and loaded by path.

#include <cstdlib>
#include <cstring>

namespace {

// Whether a test wants values that cannot be.
bool is_hostile() { return std::getenv("HONE_FAKE_NVML_HOSTILE") != nullptr; }

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the names are NVIDIA's.
extern "C" {

struct Utilization {
  unsigned int gpu;
  unsigned int memory;
};
struct Memory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};
struct MemoryV2 {
  unsigned int version;
  unsigned long long total;
  unsigned long long reserved;
  unsigned long long free;
  unsigned long long used;
};

int nvmlInit_v2();
int nvmlShutdown();
const char* nvmlErrorString(int error);
int nvmlDeviceGetCount_v2(unsigned int* count);
int nvmlDeviceGetHandleByIndex_v2(unsigned int index, void** device);
int nvmlDeviceGetName(void* device, char* name, unsigned int length);
int nvmlDeviceGetUtilizationRates(void* device, Utilization* utilization);
int nvmlDeviceGetMemoryInfo(void* device, Memory* memory);
int nvmlDeviceGetMemoryInfo_v2(void* device, MemoryV2* memory);
int nvmlDeviceGetTemperature(void* device, int sensor, unsigned int* celsius);
int nvmlDeviceGetClockInfo(void* device, int type, unsigned int* megahertz);
int nvmlDeviceGetPowerUsage(void* device, unsigned int* milliwatts);
int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoules);
int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* reasons);

int nvmlInit_v2() { return 0; }
int nvmlShutdown() { return 0; }
const char* nvmlErrorString(int /*error*/) { return "Not Supported"; }
int nvmlDeviceGetCount_v2(unsigned int* count) {
  *count = 1;
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned int /*index*/, void** device) {
  static int gpu = 0;
  *device = &gpu;
  return 0;
}
int nvmlDeviceGetName(void* /*device*/, char* name, unsigned int length) {
  std::strncpy(name, "NVIDIA Fake", length);
  return 0;
}
int nvmlDeviceGetUtilizationRates(void* /*device*/, Utilization* utilization) {
  *utilization = {is_hostile() ? 4'000'000'000U : 42U, 7};
  return 0;
}
int nvmlDeviceGetMemoryInfo(void* /*device*/, Memory* memory) {
  *memory = {1000, 400, 600};
  return 0;
}
int nvmlDeviceGetMemoryInfo_v2(void* /*device*/, MemoryV2* memory) {
  if (memory->version != 0x02000028) return 25;  // NVIDIA's number for a structure it does not know
  *memory = {memory->version, 1000, 100, 400, 500};
  return 0;
}
int nvmlDeviceGetTemperature(void* /*device*/, int sensor, unsigned int* celsius) {
  *celsius = is_hostile() ? ~0U : 61;
  return sensor;
}
int nvmlDeviceGetClockInfo(void* /*device*/, int type, unsigned int* megahertz) {
  *megahertz = is_hostile() ? ~0U : 1900;
  return type - 1;
}
int nvmlDeviceGetPowerUsage(void* /*device*/, unsigned int* /*milliwatts*/) { return 3; }
// 300 J more with every reading.
int nvmlDeviceGetTotalEnergyConsumption(void* /*device*/, unsigned long long* millijoules) {
  static unsigned long long counter = 0;
  counter += 300'000;
  *millijoules = counter;
  return 0;
}
// A clock that somebody has set; heat where a test says so.
int nvmlDeviceGetCurrentClocksThrottleReasons(void* /*device*/, unsigned long long* reasons) {
  *reasons = std::getenv("HONE_FAKE_NVML_HEAT") != nullptr ? 0x22 : 0x2;
  return 0;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
