// NVIDIA's management library, loaded where it is installed. The few functions we call are declared
// here: their names carry a version and their layouts have not changed since driver 390.

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "base/library.h"
#include "measure/hw/probe.h"

namespace hone {
namespace {

using NvmlDevice = void*;
using NvmlReturn = int;  // 0 is success

struct NvmlUtilization {
  unsigned int gpu;  // percent of the last sampling period in which a kernel ran
  unsigned int memory;
};

struct NvmlMemory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;  // with what the driver keeps for itself: 600 MiB on an idle H200
};

// Since driver 510; `used` is what programs hold.
struct NvmlMemoryV2 {
  unsigned int version;
  unsigned long long total;
  unsigned long long reserved;
  unsigned long long free;
  unsigned long long used;
};
constexpr unsigned int version_of_memory_v2 = sizeof(NvmlMemoryV2) | (2U << 24);

constexpr int sensor_of_the_gpu = 0;
constexpr int clock_of_the_processors = 1;
constexpr unsigned int room_for_a_name = 96;

struct NvmlFunctions {
  NvmlReturn (*init)() = nullptr;
  NvmlReturn (*shutdown)() = nullptr;
  const char* (*error_string)(NvmlReturn) = nullptr;
  NvmlReturn (*count)(unsigned int*) = nullptr;
  NvmlReturn (*handle)(unsigned int, NvmlDevice*) = nullptr;
  NvmlReturn (*name)(NvmlDevice, char*, unsigned int) = nullptr;
  NvmlReturn (*utilization)(NvmlDevice, NvmlUtilization*) = nullptr;
  NvmlReturn (*memory)(NvmlDevice, NvmlMemory*) = nullptr;
  NvmlReturn (*memory_v2)(NvmlDevice, NvmlMemoryV2*) = nullptr;  // null in older drivers
  NvmlReturn (*temperature)(NvmlDevice, int, unsigned int*) = nullptr;
  NvmlReturn (*clock)(NvmlDevice, int, unsigned int*) = nullptr;
  NvmlReturn (*power)(NvmlDevice, unsigned int*) = nullptr;
  // Null in older drivers, and for GPUs before Volta.
  NvmlReturn (*energy)(NvmlDevice, unsigned long long*) = nullptr;
  NvmlReturn (*throttling)(NvmlDevice, unsigned long long*) = nullptr;
};

template <class Function>
Status bind(const Library& library, const char* name, Function& function) {
  HONE_TRY(void* const symbol, library.symbol(name));
  function = reinterpret_cast<Function>(symbol);
  return done();
}

Result<NvmlFunctions> bind_all(const Library& library) {
  NvmlFunctions nvml;
  HONE_TRY_DO(bind(library, "nvmlInit_v2", nvml.init));
  HONE_TRY_DO(bind(library, "nvmlShutdown", nvml.shutdown));
  HONE_TRY_DO(bind(library, "nvmlErrorString", nvml.error_string));
  HONE_TRY_DO(bind(library, "nvmlDeviceGetCount_v2", nvml.count));
  HONE_TRY_DO(bind(library, "nvmlDeviceGetHandleByIndex_v2", nvml.handle));
  HONE_TRY_DO(bind(library, "nvmlDeviceGetName", nvml.name));
  HONE_TRY_DO(bind(library, "nvmlDeviceGetUtilizationRates", nvml.utilization));
  HONE_TRY_DO(bind(library, "nvmlDeviceGetMemoryInfo", nvml.memory));
  if (const auto newer = library.symbol("nvmlDeviceGetMemoryInfo_v2")) {
    nvml.memory_v2 = reinterpret_cast<decltype(nvml.memory_v2)>(*newer);
  }
  HONE_TRY_DO(bind(library, "nvmlDeviceGetTemperature", nvml.temperature));
  HONE_TRY_DO(bind(library, "nvmlDeviceGetClockInfo", nvml.clock));
  HONE_TRY_DO(bind(library, "nvmlDeviceGetPowerUsage", nvml.power));
  if (const auto counter = library.symbol("nvmlDeviceGetTotalEnergyConsumption"))
    nvml.energy = reinterpret_cast<decltype(nvml.energy)>(*counter);
  if (const auto reasons = library.symbol("nvmlDeviceGetCurrentClocksThrottleReasons"))
    nvml.throttling = reinterpret_cast<decltype(nvml.throttling)>(*reasons);
  return nvml;
}

// Initialised as long as any probe lives.
class Nvml {
 public:
  static Result<std::shared_ptr<const Nvml>> open(const std::string& library_name) {
    HONE_TRY(const Library library, Library::load(library_name));
    HONE_TRY(const NvmlFunctions functions, bind_all(library));
    const NvmlReturn failed = functions.init();
    if (failed != 0) {
      return fail(Fault::unsupported, "cannot start " + library_name,
                  functions.error_string(failed));
    }
    return std::shared_ptr<const Nvml>(new Nvml(functions));
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml() { functions_.shutdown(); }

  const NvmlFunctions* operator->() const { return &functions_; }

 private:
  explicit Nvml(const NvmlFunctions& functions) : functions_(functions) {}
  NvmlFunctions functions_;
};

using SharedNvml = std::shared_ptr<const Nvml>;
using Read = std::optional<double> (*)(const Nvml&, NvmlDevice);

std::optional<double> read_utilization(const Nvml& nvml, NvmlDevice device) {
  NvmlUtilization utilization{};
  if (nvml->utilization(device, &utilization) != 0) return std::nullopt;
  return utilization.gpu;
}

std::optional<double> read_memory(const Nvml& nvml, NvmlDevice device) {
  NvmlMemoryV2 newer{};
  newer.version = version_of_memory_v2;
  if (nvml->memory_v2 != nullptr && nvml->memory_v2(device, &newer) == 0) {
    return static_cast<double>(newer.used);
  }
  NvmlMemory memory{};
  if (nvml->memory(device, &memory) != 0) return std::nullopt;
  return static_cast<double>(memory.used);
}

std::optional<double> read_clock(const Nvml& nvml, NvmlDevice device) {
  unsigned int megahertz = 0;
  if (nvml->clock(device, clock_of_the_processors, &megahertz) != 0) return std::nullopt;
  return megahertz;
}

std::optional<double> read_temperature(const Nvml& nvml, NvmlDevice device) {
  unsigned int celsius = 0;
  if (nvml->temperature(device, sensor_of_the_gpu, &celsius) != 0) return std::nullopt;
  return celsius;
}

std::optional<double> read_power(const Nvml& nvml, NvmlDevice device) {
  unsigned int milliwatts = 0;
  if (nvml->power(device, &milliwatts) != 0) return std::nullopt;
  return milliwatts / 1000.0;
}

// In joules, since the driver was loaded.
std::optional<double> read_energy(const Nvml& nvml, NvmlDevice device) {
  unsigned long long millijoules = 0;
  if (nvml->energy == nullptr || nvml->energy(device, &millijoules) != 0) return std::nullopt;
  return static_cast<double>(millijoules) / 1000;
}

// 100 while power or heat holds clocks down; being idle, or what a user has set, does not.
std::optional<double> read_throttling(const Nvml& nvml, NvmlDevice device) {
  // SW power cap, HW slowdown, sync boost, SW thermal, HW thermal, HW power brake.
  constexpr unsigned long long held_down = 0x4 | 0x8 | 0x10 | 0x20 | 0x40 | 0x80;
  unsigned long long reasons = 0;
  if (nvml->throttling == nullptr || nvml->throttling(device, &reasons) != 0) return std::nullopt;
  return (reasons & held_down) != 0 ? 100 : 0;
}

struct NvmlChannel {
  const char* name;
  const char* unit;
  const char* what;
  Read read;
  double most;  // what is above is no reading
  bool is_counter = false;
};

constexpr auto nvml_channels = std::to_array<NvmlChannel>({
    {"utilization", "%", "time in which a kernel ran", read_utilization, 100},
    {"memory", "bytes", "memory in use, by anybody", read_memory, 1e15},
    {"clock", "MHz", "clock of the processors", read_clock, 1e5},
    {"temperature", "C", "temperature", read_temperature, 1000},
    {"power", "W", "power", read_power, 1e5},
    {energy_channel.data(), "W", "power by its energy counter", read_energy, 1e15, true},
    {"throttled", "%", "time in which power or heat held clocks down", read_throttling, 100},
});

// A reading that can be one.
std::optional<double> read_channel(const NvmlChannel& channel, const Nvml& nvml,
                                   NvmlDevice device) {
  const std::optional<double> value = channel.read(nvml, device);
  return value && *value >= 0 && *value <= channel.most ? value : std::nullopt;
}

std::string name_of_device(const Nvml& nvml, NvmlDevice device) {
  std::array<char, room_for_a_name> name{};
  if (nvml->name(device, name.data(), room_for_a_name) != 0) return "NVIDIA GPU";
  name.back() = '\0';
  return name.data();
}

void add_device(const SharedNvml& nvml, unsigned int index, std::vector<HwProbe>& probes) {
  NvmlDevice device = nullptr;
  if ((*nvml)->handle(index, &device) != 0) return;
  const std::string gpu = name_of_device(*nvml, device);
  for (const NvmlChannel& channel : nvml_channels) {
    HwChannel facts{.name = "nvidia" + std::to_string(index) + "/" + channel.name,
                    .unit = channel.unit,
                    .description = gpu + ": " + channel.what};
    if (!read_channel(channel, *nvml, device)) {
      probes.push_back(absent(std::move(facts), gpu + " does not tell"));
      continue;
    }
    const auto read = [nvml, device, &channel] { return read_channel(channel, *nvml, device); };
    if (channel.is_counter) {
      constexpr double per_second = 1e9;
      probes.push_back(rate_probe(std::move(facts), per_second, read));
    } else {
      probes.push_back({std::move(facts), [read](Nanoseconds) { return read(); }});
    }
  }
}

}  // namespace

std::vector<HwProbe> nvml_probes(const HwSettings& settings) {
  const HwChannel none{.name = "nvidia", .unit = "", .description = "NVIDIA GPUs"};
  const Result<SharedNvml> nvml = Nvml::open(settings.nvml_library);
  if (!nvml) {
    const Error& error = nvml.error();
    return {absent(none, error.cause.empty() ? error.what : error.cause)};
  }
  unsigned int count = 0;
  std::vector<HwProbe> probes;
  if ((**nvml)->count(&count) == 0) {
    for (unsigned int index = 0; index < count; ++index) add_device(*nvml, index, probes);
  }
  if (probes.empty()) probes.push_back(absent(none, "the driver lists no GPU"));
  return probes;
}

std::optional<double> highest_gpu_mhz(const HwSettings& settings) {
  static std::mutex mutex;
  static std::map<std::string, std::vector<HwProbe>> opened;
  const std::scoped_lock lock(mutex);
  const auto [place, is_new] = opened.try_emplace(settings.nvml_library);
  if (is_new) place->second = nvml_probes(settings);
  std::optional<double> highest;
  for (const HwProbe& probe : place->second) {
    if (!probe.read || !probe.channel.name.ends_with("/clock")) continue;
    const std::optional<double> clock = probe.read(Nanoseconds{0});
    if (clock && *clock > highest.value_or(0)) highest = clock;
  }
  return highest;
}

}  // namespace hone
