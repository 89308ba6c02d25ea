#include "ep/factory.h"

#include <algorithm>

#include "base/text.h"

namespace hone::ep {
namespace {

constexpr const char* vendor = "hone";
constexpr std::uint32_t vendor_id = 0x686F;  // "ho"; no PCI vendor has it

}  // namespace

Factory::Factory(Ort ort, const ProviderKind& kind, bool allow_virtual)
    : ort_(std::move(ort)),
      kind_(kind),
      // Before 1.24 a provider cannot make a device.
      allow_virtual_(allow_virtual && kind.offers_virtual_devices && ort_.ep.CreateHardwareDevice) {
  fill_callbacks();
}

void Factory::fill_callbacks() {
  GetName = [](const OrtEpFactory* self) { return static_cast<const Factory*>(self)->kind_.name; };
  GetVendor = [](const OrtEpFactory*) { return vendor; };
  GetVendorId = [](const OrtEpFactory*) { return vendor_id; };
  GetVersion = [](const OrtEpFactory*) { return HONE_VERSION; };
  GetSupportedDevices = [](OrtEpFactory* self, const OrtHardwareDevice* const* found,
                           std::size_t found_count, OrtEpDevice** offered, std::size_t room,
                           std::size_t* count) {
    auto& factory = static_cast<Factory&>(*self);
    return answer(factory.ort_,
                  [&] { return factory.offer_devices(found, found_count, offered, room, *count); });
  };
  CreateEp = [](OrtEpFactory* self, const OrtHardwareDevice* const* devices,
                const OrtKeyValuePairs* const*, std::size_t count, const OrtSessionOptions* options,
                const OrtLogger* logger, OrtEp** ep) {
    auto& factory = static_cast<Factory&>(*self);
    return answer(factory.ort_, [&]() -> Status {
      HONE_TRY(auto provider, factory.open(devices, count, options, logger));
      *ep = provider.release();
      return done();
    });
  };
  ReleaseEp = [](OrtEpFactory*, OrtEp* ep) { delete static_cast<Provider*>(ep); };
  ValidateCompiledModelCompatibilityInfo =
      [](OrtEpFactory* self, const OrtHardwareDevice* const* devices, std::size_t count,
         const char* compatibility, int* judgement) -> OrtStatus* {
    *judgement = static_cast<Factory*>(self)->judge(devices, count, compatibility);
    return nullptr;
  };
  // Our memory is the CPU's, so there is nothing to transfer; but the function is called unasked
  // at registration.
  CreateDataTransfer = [](OrtEpFactory*, OrtDataTransferImpl** transfer) -> OrtStatus* {
    *transfer = nullptr;
    return nullptr;
  };
  CreateAllocator = [](OrtEpFactory*, const OrtMemoryInfo*, const OrtKeyValuePairs*,
                       OrtAllocator** allocator) -> OrtStatus* {
    *allocator = nullptr;
    return nullptr;
  };
  ReleaseAllocator = [](OrtEpFactory*, OrtAllocator*) {};
  IsStreamAware = [](const OrtEpFactory*) { return false; };
}

Status Factory::make_virtual_devices() {
  for (const auto& [type, description] :
       {std::pair(device_gpu, "simulated GPU"), std::pair(device_npu, "simulated NPU")}) {
    OrtKeyValuePairs* facts = nullptr;
    ort_.api.CreateKeyValuePairs(&facts);
    const Owned<OrtKeyValuePairs> metadata(facts, ort_.api.ReleaseKeyValuePairs);
    ort_.api.AddKeyValuePair(facts, "is_virtual", "1");
    ort_.api.AddKeyValuePair(facts, "Description", description);
    HONE_TRY(auto device, make<OrtHardwareDevice>(ort_, ort_.ep.ReleaseHardwareDevice,
                                                  ort_.ep.CreateHardwareDevice, int{type},
                                                  vendor_id, std::uint32_t{0}, vendor, facts));
    virtual_devices_.push_back(std::move(device));
  }
  return done();
}

Result<OrtEpDevice*> Factory::offer(const OrtHardwareDevice* device) {
  OrtEpDevice* offered = nullptr;
  HONE_TRY_DO(check(ort_, ort_.ep.CreateEpDevice(this, device, nullptr, nullptr, &offered)));
  return offered;
}

Status Factory::offer_devices(const OrtHardwareDevice* const* found, std::size_t found_count,
                              OrtEpDevice** offered, std::size_t room, std::size_t& count) {
  std::vector<const OrtHardwareDevice*> devices;
  const auto cpu = std::find_if(found, found + found_count, [&](const OrtHardwareDevice* device) {
    return ort_.api.HardwareDevice_Type(device) == device_cpu;
  });
  if (cpu != found + found_count) devices.push_back(*cpu);
  if (allow_virtual_ && virtual_devices_.empty()) HONE_TRY_DO(make_virtual_devices());
  for (const auto& device : virtual_devices_) devices.push_back(device.get());

  count = 0;
  for (const OrtHardwareDevice* device : devices) {
    if (count == room) break;
    HONE_TRY(offered[count], offer(device));
    ++count;
  }
  return done();
}

Result<std::unique_ptr<Provider>> Factory::open(const OrtHardwareDevice* const* devices,
                                                std::size_t count, const OrtSessionOptions* options,
                                                const OrtLogger* logger) const {
  if (count != 1) {
    return fail(Fault::bad_input, std::string(kind_.name) + " runs on one device, not on " +
                                      std::to_string(count) + " at once");
  }
  HONE_TRY(KeyValues config, session_config(ort_, options));
  KeyValues own = below(config, "ep." + lowercase(kind_.name) + ".");
  const auto device = static_cast<DeviceType>(ort_.api.HardwareDevice_Type(devices[0]));
  return kind_.open({ort_, device, std::move(own), std::move(config), logger});
}

CompiledModelCompatibility Factory::judge(const OrtHardwareDevice* const* devices,
                                          std::size_t count, const char* compatibility) const {
  if (!kind_.judge || count == 0 || !compatibility) return compatibility_not_applicable;
  const auto device = static_cast<DeviceType>(ort_.api.HardwareDevice_Type(devices[0]));
  return kind_.judge(device, compatibility);
}

}  // namespace hone::ep
