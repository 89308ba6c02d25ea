#pragma once
// The C interface between ONNX Runtime and an execution provider, as far as we use it: two more
// tables by slot (runtime/ort_abi.h says why), and the structs of callbacks that a provider fills.
// The structs only ever grow at the end as well, and begin with the version whose layout they have:
// ONNX Runtime reads no field that is newer.

#include <cstddef>
#include <cstdint>

#include "runtime/ort_abi.h"

namespace hone::ort {

struct OrtDataTransferImpl;
struct OrtEpGraphSupportInfo;
struct OrtMemoryDevice;
struct OrtNodeComputeContext;
struct OrtSyncStreamImpl;

// The layout below is that of 1.23, the first version in which a plugin can compile.
inline constexpr std::uint32_t ep_abi_version = 23;

struct OrtNodeFusionOptions {
  std::uint32_t ort_version_supported = ep_abi_version;
  bool drop_constant_initializers = false;
};

struct OrtNodeComputeInfo {
  std::uint32_t ort_version_supported = ep_abi_version;
  OrtStatus* (*CreateState)(OrtNodeComputeInfo*, OrtNodeComputeContext*, void**) = nullptr;
  OrtStatus* (*Compute)(OrtNodeComputeInfo*, void*, OrtKernelContext*) = nullptr;
  void (*ReleaseState)(OrtNodeComputeInfo*, void*) = nullptr;
};

struct OrtEp {
  std::uint32_t ort_version_supported = ep_abi_version;
  const char* (*GetName)(const OrtEp*) = nullptr;
  OrtStatus* (*GetCapability)(OrtEp*, const OrtGraph*, OrtEpGraphSupportInfo*) = nullptr;
  OrtStatus* (*Compile)(OrtEp*, const OrtGraph**, const OrtNode**, std::size_t,
                        OrtNodeComputeInfo**, OrtNode**) = nullptr;
  void (*ReleaseNodeComputeInfos)(OrtEp*, OrtNodeComputeInfo**, std::size_t) = nullptr;
  OrtStatus* (*GetPreferredDataLayout)(OrtEp*, int*) = nullptr;
  OrtStatus* (*ShouldConvertDataLayoutForOp)(OrtEp*, const char*, const char*, int, int*) = nullptr;
  OrtStatus* (*SetDynamicOptions)(OrtEp*, const char* const*, const char* const*,
                                  std::size_t) = nullptr;
  OrtStatus* (*OnRunStart)(OrtEp*, const OrtRunOptions*) = nullptr;
  OrtStatus* (*OnRunEnd)(OrtEp*, const OrtRunOptions*, bool) = nullptr;
  OrtStatus* (*CreateAllocator)(OrtEp*, const OrtMemoryInfo*, OrtAllocator**) = nullptr;
  OrtStatus* (*CreateSyncStreamForDevice)(OrtEp*, const OrtMemoryDevice*,
                                          OrtSyncStreamImpl**) = nullptr;
  const char* (*GetCompiledModelCompatibilityInfo)(OrtEp*, const OrtGraph*) = nullptr;
};

struct OrtEpFactory {
  std::uint32_t ort_version_supported = ep_abi_version;
  const char* (*GetName)(const OrtEpFactory*) = nullptr;
  const char* (*GetVendor)(const OrtEpFactory*) = nullptr;
  OrtStatus* (*GetSupportedDevices)(OrtEpFactory*, const OrtHardwareDevice* const*, std::size_t,
                                    OrtEpDevice**, std::size_t, std::size_t*) = nullptr;
  OrtStatus* (*CreateEp)(OrtEpFactory*, const OrtHardwareDevice* const*,
                         const OrtKeyValuePairs* const*, std::size_t, const OrtSessionOptions*,
                         const OrtLogger*, OrtEp**) = nullptr;
  void (*ReleaseEp)(OrtEpFactory*, OrtEp*) = nullptr;
  std::uint32_t (*GetVendorId)(const OrtEpFactory*) = nullptr;
  const char* (*GetVersion)(const OrtEpFactory*) = nullptr;
  OrtStatus* (*ValidateCompiledModelCompatibilityInfo)(OrtEpFactory*,
                                                       const OrtHardwareDevice* const*, std::size_t,
                                                       const char*, int*) = nullptr;
  OrtStatus* (*CreateAllocator)(OrtEpFactory*, const OrtMemoryInfo*, const OrtKeyValuePairs*,
                                OrtAllocator**) = nullptr;
  void (*ReleaseAllocator)(OrtEpFactory*, OrtAllocator*) = nullptr;
  OrtStatus* (*CreateDataTransfer)(OrtEpFactory*, OrtDataTransferImpl**) = nullptr;
  bool (*IsStreamAware)(const OrtEpFactory*) = nullptr;
  OrtStatus* (*CreateSyncStreamForDevice)(OrtEpFactory*, const OrtMemoryDevice*,
                                          const OrtKeyValuePairs*, OrtSyncStreamImpl**) = nullptr;
};

// The last field of each struct stands at the slot the reference gives it.
static_assert(offsetof(OrtNodeComputeInfo, ReleaseState) == 3 * sizeof(void*));
static_assert(offsetof(OrtEp, GetCompiledModelCompatibilityInfo) == 12 * sizeof(void*));
static_assert(offsetof(OrtEpFactory, CreateSyncStreamForDevice) == 13 * sizeof(void*));

struct EpApi {
#define HONE_ORT(slot, since, name, result, parameters) result(*name) parameters = nullptr;
#include "ep/ep_api.inc"
#undef HONE_ORT
};

struct ModelEditorApi {
#define HONE_ORT(slot, since, name, result, parameters) result(*name) parameters = nullptr;
#include "ep/ep_model_editor_api.inc"
#undef HONE_ORT
};

inline EpApi read_ep_api(Table table, int minor) {
  EpApi api;
#define HONE_ORT(slot, since, name, result, parameters) \
  if (minor >= since)                                   \
    api.name = reinterpret_cast<decltype(api.name)>(const_cast<void*>(table[slot]));
#include "ep/ep_api.inc"
#undef HONE_ORT
  return api;
}

inline ModelEditorApi read_model_editor_api(Table table, int minor) {
  ModelEditorApi api;
#define HONE_ORT(slot, since, name, result, parameters) \
  if (minor >= since)                                   \
    api.name = reinterpret_cast<decltype(api.name)>(const_cast<void*>(table[slot]));
#include "ep/ep_model_editor_api.inc"
#undef HONE_ORT
  return api;
}

// The numbers of the enums we use.
enum AttributeKind {
  attribute_int = 1,
  attribute_ints = 2,
  attribute_float = 3,
  attribute_floats = 4,
  attribute_string = 5,
  attribute_strings = 6,
  attribute_graph = 7,
  attribute_tensor = 8,
};
enum CompiledModelCompatibility {
  compatibility_not_applicable = 0,
  compatibility_optimal = 1,
  compatibility_prefer_recompilation = 2,
  compatibility_unsupported = 3,
};

}  // namespace hone::ort
