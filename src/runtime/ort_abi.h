#pragma once
// The C interface of ONNX Runtime, as far as we use it. Its function tables only ever grow at the
// end, so a function is its slot number, and an old program works with a new library. We declare by
// slot because no registry ships the headers of the versions we need; `ort_abi_test` compares every
// slot with an official header where there is one.
//
// Enums are plain ints here. A function that the loaded library is too old for is null: `since` is
// the minor version that brought it.

#include <cstddef>
#include <cstdint>

namespace hone::ort {

struct OrtAllocator;
struct OrtArenaCfg;
struct OrtCompileApi;
struct OrtEnv;
struct OrtEpApi;
struct OrtEpAssignedNode;
struct OrtEpAssignedSubgraph;
struct OrtEpDevice;
struct OrtExternalInitializerInfo;
struct OrtGraph;
struct OrtHardwareDevice;
struct OrtIoBinding;
struct OrtKernelContext;
struct OrtKeyValuePairs;
struct OrtLogger;
struct OrtMemoryInfo;
struct OrtModel;
struct OrtModelCompilationOptions;
struct OrtModelEditorApi;
struct OrtNode;
struct OrtOpAttr;
struct OrtRunOptions;
struct OrtSession;
struct OrtSessionOptions;
struct OrtStatus;
struct OrtTensorTypeAndShapeInfo;
struct OrtTypeInfo;
struct OrtValue;
struct OrtValueInfo;

using OrtLoggingFunction = void (*)(void* parameter, int severity, const char* category,
                                    const char* log_id, const char* location, const char* message);
using OrtWriteBufferFunc = OrtStatus* (*)(void* state, const void* buffer, std::size_t size);
using OrtGetInitializerLocationFunc = OrtStatus* (*)(void* state, const char* name,
                                                     const OrtValue* value,
                                                     const OrtExternalInitializerInfo* external,
                                                     OrtExternalInitializerInfo** location);

// A table as the library hands it out.
using Table = const void* const*;

struct ApiBase {
  Table (*GetApi)(std::uint32_t version);
  const char* (*GetVersionString)();
};

struct Api {
#define HONE_ORT(slot, since, name, result, parameters) result(*name) parameters = nullptr;
#include "runtime/ort_api.inc"
#undef HONE_ORT
};

struct CompileApi {
#define HONE_ORT(slot, since, name, result, parameters) result(*name) parameters = nullptr;
#include "runtime/ort_compile_api.inc"
#undef HONE_ORT
};

// Takes the functions a library of that minor version has from its table; the others stay null.
inline Api read_api(Table table, int minor) {
  Api api;
#define HONE_ORT(slot, since, name, result, parameters) \
  if (minor >= since)                                   \
    api.name = reinterpret_cast<decltype(api.name)>(const_cast<void*>(table[slot]));
#include "runtime/ort_api.inc"
#undef HONE_ORT
  return api;
}

inline CompileApi read_compile_api(Table table, int minor) {
  CompileApi api;
#define HONE_ORT(slot, since, name, result, parameters) \
  if (minor >= since)                                   \
    api.name = reinterpret_cast<decltype(api.name)>(const_cast<void*>(table[slot]));
#include "runtime/ort_compile_api.inc"
#undef HONE_ORT
  return api;
}

// The numbers of the enums we use.
enum ErrorCode {
  ok = 0,
  fail_code = 1,
  invalid_argument = 2,
  no_such_file = 3,
  no_model = 4,
  engine_error = 5,
  runtime_exception = 6,
  invalid_protobuf = 7,
  model_loaded = 8,
  not_implemented = 9,
  invalid_graph = 10,
  ep_fail = 11,
  load_canceled = 12,
  requires_compilation = 13,
  not_found = 14
};
enum Severity { verbose = 0, info = 1, warning = 2, error = 3, fatal = 4 };
enum DeviceType { device_cpu = 0, device_gpu = 1, device_npu = 2 };
enum OnnxType {
  type_unknown = 0,
  type_tensor = 1,
  type_sequence = 2,
  type_map = 3,
  type_opaque = 4,
  type_sparse = 5,
  type_optional = 6
};
enum OptimizationLevel {
  optimize_none = 0,
  optimize_basic = 1,
  optimize_extended = 2,
  optimize_layout = 3,
  optimize_all = 99
};

}  // namespace hone::ort
