#include "runtime/stepping.h"

#include <algorithm>
#include <cstring>

#include "base/denormals.h"

namespace hone {

Stepping::Stepping(const Session& session, Owned<ort::OrtIoBinding> binding,
                   Owned<ort::OrtRunOptions> run_options)
    : session_(&session),
      binding_(std::move(binding)),
      run_options_(std::move(run_options)),
      host_(nullptr, session.runtime_->api().ReleaseMemoryInfo) {}

Result<Stepping> Stepping::open(const Session& session, const std::vector<std::string>& on_host) {
  const Runtime& runtime = *session.runtime_;
  const ort::Api& api = runtime.api();
  ort::OrtIoBinding* binding = nullptr;
  HONE_TRY_DO(runtime.check(api.CreateIoBinding(session.handle(), &binding), "cannot bind inputs"));
  Owned<ort::OrtIoBinding> owned_binding(binding, api.ReleaseIoBinding);
  ort::OrtRunOptions* run = nullptr;
  HONE_TRY_DO(runtime.check(api.CreateRunOptions(&run), "cannot make run options"));
  Stepping made(session, std::move(owned_binding),
                Owned<ort::OrtRunOptions>(run, api.ReleaseRunOptions));
  // A captured graph knows its memory, and here each run has other memory.
  if (session.captures_graphs()) {
    HONE_TRY_DO(runtime.check(api.AddRunConfigEntry(run, "gpu_graph_id", "-1"),
                              "cannot say that nothing is to be captured"));
  }
  HONE_TRY_DO(made.find_places(on_host));
  return made;
}

Status Stepping::find_places(const std::vector<std::string>& on_host) {
  const Runtime& runtime = *session_->runtime_;
  const ort::Api& api = runtime.api();
  ort::OrtMemoryInfo* host = nullptr;
  HONE_TRY_DO(runtime.check(api.CreateCpuMemoryInfo(0, 0, &host), "cannot describe CPU memory"));
  host_.reset(host);
  const std::vector<Port>& outputs = session_->outputs();
  places_.assign(outputs.size(), host);
  if (api.SessionGetMemoryInfoForOutputs == nullptr) return done();
  HONE_TRY_DO(runtime.check(
      api.SessionGetMemoryInfoForOutputs(session_->handle(), places_.data(), places_.size()),
      "cannot find out where outputs are made"));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const bool is_read = std::ranges::find(on_host, outputs[i].name) != on_host.end();
    if (is_read || places_[i] == nullptr) places_[i] = host;
  }
  return done();
}

Status Stepping::take(const std::string& input, const ort::OrtValue& value) {
  const Runtime& runtime = *session_->runtime_;
  return runtime.check(runtime.api().BindInput(binding_.get(), input.c_str(), &value),
                       "the model does not take the input '" + input + "' as given");
}

Status Stepping::run() {
  const Runtime& runtime = *session_->runtime_;
  const ort::Api& api = runtime.api();
  const std::vector<Port>& outputs = session_->outputs();
  // Bound anew: what the last run made would be written to again, and it is of another length.
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    HONE_TRY_DO(
        runtime.check(api.BindOutputToDevice(binding_.get(), outputs[i].name.c_str(), places_[i]),
                      "cannot bind the output '" + outputs[i].name + "'"));
  }
  {
    const DenormalScope denormals(session_->zeroes_denormals_);
    HONE_TRY_DO(
        runtime.check(api.RunWithBinding(session_->handle(), run_options_.get(), binding_.get()),
                      "the model failed while running"));
  }
  return collect();
}

Status Stepping::collect() {
  const Runtime& runtime = *session_->runtime_;
  const ort::Api& api = runtime.api();
  ort::OrtAllocator* allocator = nullptr;
  ort::OrtValue** values = nullptr;
  std::size_t count = 0;
  HONE_TRY_DO(runtime.check(api.GetAllocatorWithDefaultOptions(&allocator), "cannot read outputs"));
  HONE_TRY_DO(runtime.check(api.GetBoundOutputValues(binding_.get(), allocator, &values, &count),
                            "cannot read outputs"));
  made_.clear();
  for (std::size_t i = 0; i < count; ++i) made_.emplace_back(values[i], api.ReleaseValue);
  if (ort::OrtStatus* freed = api.AllocatorFree(allocator, values)) api.ReleaseStatus(freed);
  return done();
}

Result<Owned<ort::OrtValue>> pick_rows(const Runtime& runtime, const ort::OrtValue& value,
                                       std::span<const std::size_t> rows) {
  const ort::Api& api = runtime.api();
  HONE_TRY(const Tensor from, borrow_from_ort(runtime, "a cache", &value));
  HONE_TRY(const std::string_view bytes, from.bytes());
  HONE_CHECK(!from.dims.empty() && from.dims[0] > 0);
  const std::size_t row_bytes = bytes.size() / static_cast<std::size_t>(from.dims[0]);
  std::vector<std::int64_t> dims = from.dims;
  dims[0] = static_cast<std::int64_t>(rows.size());
  ort::OrtAllocator* allocator = nullptr;
  ort::OrtValue* made = nullptr;
  void* memory = nullptr;
  HONE_TRY_DO(runtime.check(api.GetAllocatorWithDefaultOptions(&allocator), "cannot copy a cache"));
  HONE_TRY_DO(runtime.check(api.CreateTensorAsOrtValue(allocator, dims.data(), dims.size(),
                                                       static_cast<int>(from.type), &made),
                            "cannot copy a cache"));
  Owned<ort::OrtValue> picked(made, api.ReleaseValue);
  HONE_TRY_DO(runtime.check(api.GetTensorMutableData(made, &memory), "cannot copy a cache"));
  for (std::size_t i = 0; i < rows.size() && row_bytes > 0; ++i) {
    std::memcpy(static_cast<char*>(memory) + i * row_bytes, bytes.data() + rows[i] * row_bytes,
                row_bytes);
  }
  return picked;
}

}  // namespace hone
