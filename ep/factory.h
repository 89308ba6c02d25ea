#pragma once
// The factory ONNX Runtime asks for devices and providers: one per kind of provider.

#include <vector>

#include "ep/provider.h"

namespace hone::ep {

class Factory : public OrtEpFactory {
 public:
  // `allow_virtual`: offer a GPU and an NPU that no machine has, where the kind does.
  Factory(Ort ort, const ProviderKind& kind, bool allow_virtual);

 private:
  Status offer_devices(const OrtHardwareDevice* const* found, std::size_t found_count,
                       OrtEpDevice** offered, std::size_t room, std::size_t& count);
  Result<OrtEpDevice*> offer(const OrtHardwareDevice* device);
  Status make_virtual_devices();
  Result<std::unique_ptr<Provider>> open(const OrtHardwareDevice* const* devices, std::size_t count,
                                         const OrtSessionOptions* options,
                                         const OrtLogger* logger) const;
  CompiledModelCompatibility judge(const OrtHardwareDevice* const* devices, std::size_t count,
                                   const char* compatibility) const;
  void fill_callbacks();

  Ort ort_;
  const ProviderKind& kind_;
  bool allow_virtual_;
  std::vector<Owned<OrtHardwareDevice>> virtual_devices_;
};

}  // namespace hone::ep
