#pragma once
// ONNX Runtime, loaded at run time: the library, its environment, the EPs and devices it offers.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "record/target.h"
#include "runtime/ort_abi.h"

namespace hone {

// An ORT object and the function that frees it.
template <class T>
using Owned = std::unique_ptr<T, void (*)(T*)>;

// What depends on the version of the library.
struct Features {
  bool assignment_info = false;  // 1.24: which node went to which EP
  bool run_profiling = false;    // 1.25: one profile per run
  bool allocator_stats = false;  // 1.23
};

struct EpDevice {
  Device facts;
  const ort::OrtEpDevice* handle = nullptr;
};

class Runtime : public std::enable_shared_from_this<Runtime> {
 public:
  // Tries the candidates in order (paths, or names for the system's loader); the error lists every
  // one of them with its reason. Telemetry is switched off before the library is loaded.
  static Result<std::shared_ptr<Runtime>> load(const std::vector<std::string>& candidates);
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  ~Runtime();

  const ort::Api& api() const { return api_; }
  const ort::CompileApi& compile_api() const { return compile_api_; }
  ort::OrtEnv* env() const { return env_; }
  const std::string& version() const { return version_; }
  const Path& path() const { return path_; }
  Features features() const;

  // Registers a plugin library under a name of the caller's choice. A library that crashes takes
  // this process with it: probe it in a worker first (runtime/survey.h).
  Status register_library(const std::string& name, const Path& path);
  std::vector<EpDevice> devices() const;
  // What was compiled in, by the EPs' own names; being listed does not mean that it works.
  std::vector<std::string> built_in_eps() const;

  // Turns an ORT status into ours and frees it. `what` says what we could not do.
  Status check(ort::OrtStatus* status, const std::string& what) const;

  // Warnings and errors the library has logged since the last call.
  std::vector<std::string> take_logs();
  // Hears every line of any severity, from any thread, until it is set to nothing again.
  using LogListener = std::function<void(std::string_view message)>;
  void listen(LogListener listener);

 private:
  Runtime() = default;
  Status start(const std::string& candidate);
  static void on_log(void* self, int severity, const char* category, const char* log_id,
                     const char* location, const char* message);

  ort::Api api_;
  ort::CompileApi compile_api_;
  ort::OrtEnv* env_ = nullptr;
  std::string version_;
  int minor_ = 0;
  Path path_;
  std::vector<std::string> registered_;
  struct Log;
  std::shared_ptr<Log> log_;
};

}  // namespace hone
