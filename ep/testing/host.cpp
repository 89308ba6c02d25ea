#include "ep/testing/host.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <mutex>

#include "model/text/text.h"

namespace hone::ep::testing {
namespace {

std::mutex log_mutex;
std::string log_lines;

void on_log(void*, int, const char*, const char*, const char*, const char* message) {
  const std::lock_guard lock(log_mutex);
  log_lines += std::string(message) + "\n";
}

Path library_path() {
  const char* chosen = std::getenv("HONE_ORT");
  if (chosen && *chosen) return chosen;
  return Path(HONE_EP_LIBRARY).parent_path() / "libonnxruntime.so.1";
}

template <class T>
Tensor tensor_of(std::vector<std::int64_t> dims, int element, const std::vector<T>& values) {
  Tensor tensor{std::move(dims), element, std::string(values.size() * sizeof(T), '\0')};
  if (!values.empty()) std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return tensor;
}

Result<Owned<OrtValue>> to_value(const Ort& ort, const Tensor& tensor) {
  HONE_TRY(const auto memory,
           make<OrtMemoryInfo>(ort, ort.api.ReleaseMemoryInfo, ort.api.CreateCpuMemoryInfo, 0, 0));
  return make<OrtValue>(ort, ort.api.ReleaseValue, ort.api.CreateTensorWithDataAsOrtValue,
                        memory.get(), static_cast<void*>(const_cast<char*>(tensor.bytes.data())),
                        tensor.bytes.size(), tensor.dims.data(), tensor.dims.size(),
                        tensor.element);
}

Result<Tensor> from_value(const Ort& ort, const OrtValue* value) {
  Tensor tensor;
  HONE_TRY(const auto type,
           make<OrtTensorTypeAndShapeInfo>(ort, ort.api.ReleaseTensorTypeAndShapeInfo,
                                           ort.api.GetTensorTypeAndShape, value));
  HONE_TRY(tensor.element, ask<int>(ort, ort.api.GetTensorElementType, type.get()));
  HONE_TRY(const auto rank, ask<std::size_t>(ort, ort.api.GetDimensionsCount, type.get()));
  tensor.dims.resize(rank);
  HONE_TRY_DO(check(ort, ort.api.GetDimensions(type.get(), tensor.dims.data(), rank)));
  HONE_TRY(const auto bytes, ask<std::size_t>(ort, ort.api.GetTensorSizeInBytes, value));
  HONE_TRY(const void* elements, ask<const void*>(ort, ort.api.GetTensorData, value));
  tensor.bytes.assign(static_cast<const char*>(elements), bytes);
  return tensor;
}

Result<std::vector<std::string>> output_names(const Ort& ort, const OrtSession* session) {
  HONE_TRY(OrtAllocator * allocator,
           ask<OrtAllocator*>(ort, ort.api.GetAllocatorWithDefaultOptions));
  HONE_TRY(const auto count, ask<std::size_t>(ort, ort.api.SessionGetOutputCount, session));
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    HONE_TRY(char* name, ask<char*>(ort, ort.api.SessionGetOutputName, session, i, allocator));
    names.emplace_back(name);
    HONE_TRY_DO(check(ort, ort.api.AllocatorFree(allocator, name)));
  }
  return names;
}

}  // namespace

Tensor floats(std::vector<std::int64_t> dims) {
  std::size_t count = 1;
  for (const auto dim : dims) count *= static_cast<std::size_t>(dim);
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i % 17) * 0.25f - 1.5f;
  return tensor_of(std::move(dims), 1, values);
}

Tensor ints(std::vector<std::int64_t> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  return tensor_of({count}, 7, values);
}

Tensor boolean(bool value) { return {{}, 9, std::string(1, value ? '\1' : '\0')}; }

Host& Host::get() {
  static auto* const host = new Host;
  return *host;
}

Host::Host() {
  const Status status = load();
  if (!status) why_not_ = status.error().what;
}

Status Host::load() {
  const Path path = library_path();
  // From 1.30 on the library would otherwise send events from the moment it is loaded.
  ::setenv("ORT_DISABLE_TELEMETRY", "1", 1);
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return fail(Fault::not_found, "no ONNX Runtime here: " + std::string(::dlerror()));
  const auto get_base = reinterpret_cast<const ApiBase* (*)()>(::dlsym(library, "OrtGetApiBase"));
  if (!get_base || minor_of(get_base()->GetVersionString()) < oldest_minor) {
    return fail(Fault::unsupported, "'" + path.string() + "' is too old for plugins");
  }
  ort_ = read_ort(*get_base());
  compile_ = read_compile_api(reinterpret_cast<Table>(ort_.api.GetCompileApi()), ort_.minor);
  HONE_TRY_DO(
      check(ort_, ort_.api.CreateEnvWithCustomLogger(on_log, nullptr, info, "test", &env_)));
  const char* name = std::getenv("HONE_TEST_REGISTRATION");
  registration_ = name ? name : "hone.virtual";
  return check(ort_, ort_.api.RegisterExecutionProviderLibrary(env_, registration_.c_str(),
                                                               HONE_EP_LIBRARY));
}

Status Host::close() {
  HONE_TRY_DO(
      check(ort_, ort_.api.UnregisterExecutionProviderLibrary(env_, registration_.c_str())));
  ort_.api.ReleaseEnv(env_);
  return done();
}

const OrtEpDevice* Host::device(const std::string& ep, DeviceType type) const {
  const OrtEpDevice* const* devices = nullptr;
  std::size_t count = 0;
  if (!check(ort_, ort_.api.GetEpDevices(env_, &devices, &count))) return nullptr;
  for (std::size_t i = 0; i < count; ++i) {
    const OrtHardwareDevice* hardware = ort_.api.EpDevice_Device(devices[i]);
    if (ep == ort_.api.EpDevice_EpName(devices[i]) &&
        ort_.api.HardwareDevice_Type(hardware) == type) {
      return devices[i];
    }
  }
  return nullptr;
}

Result<Owned<OrtSessionOptions>> Host::make_options(const Opening& opening) {
  const Api& api = ort_.api;
  HONE_TRY(auto options,
           make<OrtSessionOptions>(ort_, api.ReleaseSessionOptions, api.CreateSessionOptions));
  HONE_TRY_DO(check(ort_, api.SetIntraOpNumThreads(options.get(), 1)));
  HONE_TRY_DO(check(ort_, api.SetSessionGraphOptimizationLevel(options.get(), opening.level)));
  HONE_TRY_DO(check(ort_, api.AddSessionConfigEntry(
                              options.get(), "session.record_ep_graph_assignment_info", "1")));
  for (const auto& [key, value] : opening.config) {
    HONE_TRY_DO(check(ort_, api.AddSessionConfigEntry(options.get(), key.c_str(), value.c_str())));
  }
  if (opening.ep.empty()) return options;
  const OrtEpDevice* chosen = device(opening.ep, opening.device);
  if (!chosen) return fail(Fault::not_found, "no such device");
  std::vector<const char*> keys;
  std::vector<const char*> values;
  for (const auto& [key, value] : opening.options) {
    keys.push_back(key.c_str());
    values.push_back(value.c_str());
  }
  HONE_TRY_DO(
      check(ort_, api.SessionOptionsAppendExecutionProvider_V2(
                      options.get(), env_, &chosen, 1, keys.data(), values.data(), keys.size())));
  return options;
}

Result<Session> Host::open(const Opening& opening) {
  const Api& api = ort_.api;
  HONE_TRY(const auto options, make_options(opening));
  auto session = opening.file.empty()
                     ? make<OrtSession>(ort_, api.ReleaseSession, api.CreateSessionFromArray, env_,
                                        static_cast<const void*>(opening.bytes.data()),
                                        opening.bytes.size(), options.get())
                     : make<OrtSession>(ort_, api.ReleaseSession, api.CreateSession, env_,
                                        opening.file.c_str(), options.get());
  if (!session) return fail(std::move(session).error());
  return Session(std::move(session).value());
}

Status Host::compile(const Opening& opening, const Path& output, bool embeds) {
  HONE_TRY(const auto options, make_options(opening));
  HONE_TRY(const auto wish,
           make<OrtModelCompilationOptions>(
               ort_, compile_.ReleaseModelCompilationOptions,
               compile_.CreateModelCompilationOptionsFromSessionOptions, env_, options.get()));
  if (opening.file.empty()) {
    HONE_TRY_DO(check(ort_, compile_.ModelCompilationOptions_SetInputModelFromBuffer(
                                wish.get(), opening.bytes.data(), opening.bytes.size())));
  } else {
    HONE_TRY_DO(check(ort_, compile_.ModelCompilationOptions_SetInputModelPath(
                                wish.get(), opening.file.c_str())));
  }
  HONE_TRY_DO(
      check(ort_, compile_.ModelCompilationOptions_SetOutputModelPath(wish.get(), output.c_str())));
  HONE_TRY_DO(
      check(ort_, compile_.ModelCompilationOptions_SetEpContextEmbedMode(wish.get(), embeds)));
  return check(ort_, compile_.CompileModel(env_, wish.get()));
}

std::string Host::take_log() {
  const std::lock_guard lock(log_mutex);
  return std::exchange(log_lines, {});
}

Result<std::vector<Tensor>> Session::run(const Feeds& feeds) {
  const Ort& ort = Host::get().ort();
  std::vector<const char*> inputs;
  std::vector<Owned<OrtValue>> held;
  std::vector<const OrtValue*> values;
  for (const auto& [name, tensor] : feeds) {
    HONE_TRY(auto value, to_value(ort, tensor));
    inputs.push_back(name.c_str());
    values.push_back(value.get());
    held.push_back(std::move(value));
  }
  HONE_TRY(const auto names, output_names(ort, session_.get()));
  std::vector<const char*> outputs;
  for (const std::string& name : names) outputs.push_back(name.c_str());
  std::vector<OrtValue*> made(outputs.size(), nullptr);
  HONE_TRY_DO(check(ort, ort.api.Run(session_.get(), nullptr, inputs.data(), values.data(),
                                     inputs.size(), outputs.data(), outputs.size(), made.data())));
  std::vector<Tensor> results;
  for (OrtValue* value : made) {
    const Owned<OrtValue> owned(value, ort.api.ReleaseValue);
    HONE_TRY(Tensor tensor, from_value(ort, value));
    results.push_back(std::move(tensor));
  }
  return results;
}

std::vector<AssignedSubgraph> Session::placement() const {
  const Api& api = Host::get().ort().api;
  const OrtEpAssignedSubgraph* const* subgraphs = nullptr;
  std::size_t count = 0;
  std::vector<AssignedSubgraph> placement;
  if (!check(Host::get().ort(),
             api.Session_GetEpGraphAssignmentInfo(session_.get(), &subgraphs, &count))) {
    return placement;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const char* ep = nullptr;
    const OrtEpAssignedNode* const* nodes = nullptr;
    std::size_t node_count = 0;
    api.EpAssignedSubgraph_GetEpName(subgraphs[i], &ep);
    api.EpAssignedSubgraph_GetNodes(subgraphs[i], &nodes, &node_count);
    AssignedSubgraph& entry = placement.emplace_back();
    entry.ep = ep;
    for (std::size_t j = 0; j < node_count; ++j) {
      const char* name = nullptr;
      api.EpAssignedNode_GetName(nodes[j], &name);
      entry.nodes.emplace_back(name);
    }
  }
  return placement;
}

std::vector<std::vector<std::string>> Session::groups_on(const std::string& ep) const {
  std::vector<std::vector<std::string>> groups;
  for (const AssignedSubgraph& subgraph : placement()) {
    if (subgraph.ep == ep) groups.push_back(subgraph.nodes);
  }
  return groups;
}

std::string model_of(std::string_view text) {
  const auto model = parse_text(text);
  if (!model) {
    ADD_FAILURE() << model.error().what;
    return {};
  }
  return serialize(*model).value();
}

ProcessEnd run_child(const std::vector<std::string>& options, ProcessOptions process) {
  if (process.limits.time.count() == 0) process.limits.time = std::chrono::minutes(2);
  std::vector<std::string> arguments = {own_program().value().string(), "--child"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const auto end = run_process(arguments, process);
  EXPECT_TRUE(end) << end.error().what;
  return end ? *end : ProcessEnd{};
}

}  // namespace hone::ep::testing
