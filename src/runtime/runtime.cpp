#include "runtime/runtime.h"

#include <charconv>
#include <cstdlib>
#include <mutex>

#include "base/library.h"
#include "base/text.h"
#include "runtime/ort_trouble.h"

namespace hone {
namespace {

// 1.22 is the first with GetEpDevices and the registration of plugin libraries.
constexpr int oldest_minor = 22;
// The newest table we declare functions of. A newer library still hands out this one.
constexpr int newest_minor = 30;
constexpr std::size_t logs_kept = 200;

int minor_of(std::string_view version) {
  const std::size_t dot = version.find('.');
  int minor = 0;
  if (dot != std::string_view::npos) {
    std::from_chars(version.data() + dot + 1, version.data() + version.size(), minor);
  }
  return minor;
}

std::map<std::string, std::string> read_pairs(const ort::Api& api,
                                              const ort::OrtKeyValuePairs* pairs) {
  std::map<std::string, std::string> read;
  if (pairs == nullptr) return read;
  const char* const* keys = nullptr;
  const char* const* values = nullptr;
  std::size_t count = 0;
  api.GetKeyValuePairs(pairs, &keys, &values, &count);
  for (std::size_t i = 0; i < count; ++i) read[to_utf8(keys[i])] = to_utf8(values[i]);
  return read;
}

std::string device_type_name(int type) {
  switch (type) {
    case ort::device_cpu:
      return "cpu";
    case ort::device_gpu:
      return "gpu";
    case ort::device_npu:
      return "npu";
    default:
      return "type " + std::to_string(type);
  }
}

Fault fault_of(int code) {
  switch (code) {
    case ort::invalid_argument:
    case ort::invalid_protobuf:
    case ort::invalid_graph:
      return Fault::bad_input;
    case ort::no_such_file:
    case ort::no_model:
    case ort::not_found:
      return Fault::not_found;
    case ort::not_implemented:
      return Fault::unsupported;
    default:
      return Fault::runtime;
  }
}

}  // namespace

struct Runtime::Log {
  std::mutex mutex;
  std::vector<std::string> lines;
  LogListener listener;
};

Result<std::shared_ptr<Runtime>> Runtime::load(const std::vector<std::string>& candidates) {
  // From 1.30 on, Linux builds queue and send usage events from the moment they are loaded.
  setenv("ORT_DISABLE_TELEMETRY", "1", 1);
  std::string tried;
  for (const std::string& candidate : candidates) {
    std::shared_ptr<Runtime> runtime(new Runtime());
    const Status started = runtime->start(candidate);
    if (started) return runtime;
    if (!tried.empty()) tried += "; ";
    tried += candidate + ": " +
             (started.error().cause.empty() ? started.error().what : started.error().cause);
  }
  return fail(Fault::not_found,
              trouble_in(tried) == Trouble::no_memory ? Trouble::no_memory : Trouble::absent,
              "cannot load ONNX Runtime", tried,
              "set HONE_ORT or --ort to libonnxruntime.so of version 1.22 or newer; `make setup` "
              "fetches one");
}

Status Runtime::start(const std::string& candidate) {
  HONE_TRY(const Library library, Library::load(candidate));
  HONE_TRY(void* entry, library.symbol("OrtGetApiBase"));
  const auto* base = reinterpret_cast<const ort::ApiBase* (*)()>(entry)();
  version_ = base->GetVersionString();
  path_ = library.path();
  minor_ = std::min(minor_of(version_), newest_minor);
  if (minor_ < oldest_minor) {
    return fail(Fault::unsupported,
                "it is ONNX Runtime " + version_ + ", and hone needs 1.22 or newer");
  }
  api_ = ort::read_api(base->GetApi(static_cast<std::uint32_t>(minor_)), minor_);
  if (const auto* compile = api_.GetCompileApi()) {
    compile_api_ = ort::read_compile_api(reinterpret_cast<ort::Table>(compile), minor_);
  }
  log_ = std::make_shared<Log>();
  return check(
      api_.CreateEnvWithCustomLogger(&Runtime::on_log, log_.get(), ort::warning, "hone", &env_),
      "cannot start ONNX Runtime " + version_);
}

Runtime::~Runtime() {
  if (env_ == nullptr) return;
  for (const std::string& name : registered_) {
    if (ort::OrtStatus* status = api_.UnregisterExecutionProviderLibrary(env_, name.c_str())) {
      api_.ReleaseStatus(status);
    }
  }
  api_.ReleaseEnv(env_);
}

Features Runtime::features() const {
  return {.assignment_info = api_.Session_GetEpGraphAssignmentInfo != nullptr,
          .run_profiling = api_.RunOptionsEnableProfiling != nullptr,
          .allocator_stats = api_.AllocatorGetStats != nullptr};
}

void Runtime::on_log(void* self, int severity, const char* category, const char*, const char*,
                     const char* message) {
  Log& log = *static_cast<Log*>(self);
  const std::lock_guard lock(log.mutex);
  if (log.listener) log.listener(message);
  if (severity < ort::warning || log.lines.size() >= logs_kept) return;
  log.lines.push_back(std::string(severity >= ort::error ? "error" : "warning") + " [" + category +
                      "] " + printable(message));
}

std::vector<std::string> Runtime::take_logs() {
  const std::lock_guard lock(log_->mutex);
  return std::exchange(log_->lines, {});
}

void Runtime::listen(LogListener listener) {
  const std::lock_guard lock(log_->mutex);
  log_->listener = std::move(listener);
}

Status Runtime::check(ort::OrtStatus* status, const std::string& what) const {
  if (status == nullptr) return done();
  const int code = api_.GetErrorCode(status);
  std::string cause = "onnxruntime: " + printable(api_.GetErrorMessage(status));
  api_.ReleaseStatus(status);
  const Trouble trouble = trouble_in(cause, code == ort::not_implemented);
  return fail(fault_of(code), trouble, what, std::move(cause));
}

Status Runtime::register_library(const std::string& name, const Path& path) {
  const Status registered =
      check(api_.RegisterExecutionProviderLibrary(env_, name.c_str(), path.c_str()),
            "cannot register the EP library '" + name + "' from '" + path.string() + "'");
  if (!registered) {
    Error error = registered.error();
    if (error.trouble == Trouble::other) error.trouble = Trouble::absent;
    return fail(std::move(error));
  }
  registered_.push_back(name);
  return done();
}

std::vector<EpDevice> Runtime::devices() const {
  const ort::OrtEpDevice* const* handles = nullptr;
  std::size_t count = 0;
  std::vector<EpDevice> found;
  if (!check(api_.GetEpDevices(env_, &handles, &count), "cannot list devices")) return found;
  for (std::size_t i = 0; i < count; ++i) {
    EpDevice& device = found.emplace_back();
    device.handle = handles[i];
    Device& facts = device.facts;
    facts.ep = to_utf8(api_.EpDevice_EpName(handles[i]));
    facts.ep_vendor = to_utf8(api_.EpDevice_EpVendor(handles[i]));
    facts.metadata = read_pairs(api_, api_.EpDevice_EpMetadata(handles[i]));
    facts.ep_options = read_pairs(api_, api_.EpDevice_EpOptions(handles[i]));
    const ort::OrtHardwareDevice* hardware = api_.EpDevice_Device(handles[i]);
    facts.type = device_type_name(api_.HardwareDevice_Type(hardware));
    facts.hardware_vendor = to_utf8(api_.HardwareDevice_Vendor(hardware));
    facts.vendor_id = api_.HardwareDevice_VendorId(hardware);
    facts.device_id = api_.HardwareDevice_DeviceId(hardware);
    facts.metadata.merge(read_pairs(api_, api_.HardwareDevice_Metadata(hardware)));
  }
  return found;
}

std::vector<std::string> Runtime::built_in_eps() const {
  char** names = nullptr;
  int count = 0;
  std::vector<std::string> found;
  if (!check(api_.GetAvailableProviders(&names, &count), "cannot list EPs")) return found;
  for (int i = 0; i < count; ++i) found.emplace_back(names[i]);
  if (ort::OrtStatus* status = api_.ReleaseAvailableProviders(names, count))
    api_.ReleaseStatus(status);
  return found;
}

}  // namespace hone
