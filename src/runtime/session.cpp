#include "runtime/session.h"

#include "base/denormals.h"
#include "base/misuse.h"
#include "base/text.h"
#include "kinds/ep.h"
#include "runtime/ep_names.h"
#include "runtime/light_model.h"
#include "runtime/placement.h"
#include "runtime/target.h"

namespace hone {
namespace {

constexpr auto record_placement_key = "session.record_ep_graph_assignment_info";

Status add_config(const Runtime& runtime, ort::OrtSessionOptions* options, const char* key,
                  const char* value) {
  return runtime.check(runtime.api().AddSessionConfigEntry(options, key, value),
                       std::string("cannot set the session option '") + key + "'");
}

// Hands weights over; what is returned must outlive the session.
Result<std::vector<OrtTensor>> add_weights(const Runtime& runtime, ort::OrtSessionOptions* options,
                                           const std::vector<TensorPtr>& weights) {
  std::vector<OrtTensor> tensors;
  for (const TensorPtr& weight : weights) {
    HONE_TRY(OrtTensor tensor, view_as_ort(runtime, weight));
    HONE_TRY_DO(runtime.check(
        runtime.api().AddInitializer(options, weight->name.c_str(), tensor.value.get()),
        "cannot hand over the weight '" + weight->name + "'"));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

using NameOf = ort::OrtStatus* (*)(const ort::OrtSession*, std::size_t, ort::OrtAllocator*, char**);
using TypeOf = ort::OrtStatus* (*)(const ort::OrtSession*, std::size_t, ort::OrtTypeInfo**);

Result<Port> read_port(const Runtime& runtime, const ort::OrtSession* session, std::size_t index,
                       NameOf name_of_port, TypeOf type_of_port) {
  const ort::Api& api = runtime.api();
  ort::OrtAllocator* allocator = nullptr;
  char* name = nullptr;
  ort::OrtTypeInfo* type = nullptr;
  HONE_TRY_DO(runtime.check(api.GetAllocatorWithDefaultOptions(&allocator), "cannot read a port"));
  HONE_TRY_DO(runtime.check(name_of_port(session, index, allocator, &name),
                            "cannot read the name of a port"));
  Port port;
  port.name = name;
  if (ort::OrtStatus* status = api.AllocatorFree(allocator, name)) api.ReleaseStatus(status);
  HONE_TRY_DO(runtime.check(type_of_port(session, index, &type),
                            "cannot read the type of '" + port.name + "'"));
  port.type = read_type_info(api, type);
  api.ReleaseTypeInfo(type);
  return port;
}

std::string hint_for(const Error& error, const Target& target) {
  if (ep_short_name(target.ep) == "cpu" || error.cause.empty()) return error.hint;
  return "`hone doctor " + target.ep +
         "` says what is missing; --ep cpu runs it without the accelerator";
}

constexpr auto graph_run_option = "gpu_graph_id";

bool asks_for_graphs(const Target& target) {
  const Ep* ep = find_ep(target.ep);
  if (ep == nullptr || ep->graph_option.empty()) return false;
  const auto said = target.options.find(std::string(ep->graph_option));
  return said != target.options.end() && (said->second == "1" || lowercase(said->second) == "true");
}

bool zeroes_denormals(const SessionSettings& settings) {
  const auto said = settings.options.find("session.set_denormal_as_zero");
  return said != settings.options.end() && said->second == "1";
}

}  // namespace

Result<Owned<ort::OrtSessionOptions>> make_session_options(const Runtime& runtime,
                                                           const SessionSettings& settings) {
  const ort::Api& api = runtime.api();
  ort::OrtSessionOptions* made = nullptr;
  HONE_TRY_DO(runtime.check(api.CreateSessionOptions(&made), "cannot make session options"));
  Owned<ort::OrtSessionOptions> options(made, api.ReleaseSessionOptions);
  if (runtime.features().assignment_info)
    HONE_TRY_DO(add_config(runtime, made, record_placement_key, "1"));
  // A recipe of somebody else's says how many, too; a million take minutes to start.
  constexpr std::int64_t most_threads = 1024;
  if (settings.threads < 0 || settings.threads > most_threads)
    return misuse(std::to_string(settings.threads) + " threads cannot be started",
                  "0 to 1024 of them can; 0 leaves it to ONNX Runtime");
  if (settings.threads > 0) {
    HONE_TRY_DO(runtime.check(api.SetIntraOpNumThreads(made, static_cast<int>(settings.threads)),
                              "cannot set the number of threads"));
  }
  if (!settings.profile_prefix.empty()) {
    HONE_TRY_DO(runtime.check(api.EnableProfiling(made, settings.profile_prefix.c_str()),
                              "cannot start the profiler"));
  }
  if (!settings.optimized_model.empty()) {
    HONE_TRY_DO(runtime.check(api.SetOptimizedModelFilePath(made, settings.optimized_model.c_str()),
                              "cannot ask for the optimized model"));
  }
  HONE_TRY_DO(check_session_options(settings.options));
  HONE_TRY_DO(apply_session_options(runtime, made, settings.options));
  HONE_TRY_DO(append_target(runtime, made, settings.target));
  return options;
}

Result<Session> Session::open(std::shared_ptr<Runtime> runtime, const Path& model,
                              const SessionSettings& settings) {
  HONE_TRY(const Owned<ort::OrtSessionOptions> options, make_session_options(*runtime, settings));
  HONE_TRY(std::vector<OrtTensor> weights, add_weights(*runtime, options.get(), settings.weights));
  const DenormalScope denormals(zeroes_denormals(settings));
  ort::OrtSession* made = nullptr;
  Status opened = runtime->check(
      runtime->api().CreateSession(runtime->env(), model.c_str(), options.get(), &made),
      "cannot open '" + model.string() + "' on " + describe(settings.target));
  if (!opened) {
    Error error = std::move(opened).error();
    error.hint = hint_for(error, settings.target);
    return fail(std::move(error));
  }
  Owned<ort::OrtSession> session(made, runtime->api().ReleaseSession);
  HONE_TRY(Session finished, finish(std::move(runtime), std::move(session), settings));
  finished.weights_ = std::move(weights);
  return finished;
}

Result<Session> Session::open_bytes(std::shared_ptr<Runtime> runtime, std::string_view model_bytes,
                                    const SessionSettings& settings) {
  HONE_TRY(const Owned<ort::OrtSessionOptions> options, make_session_options(*runtime, settings));
  const DenormalScope denormals(zeroes_denormals(settings));
  ort::OrtSession* made = nullptr;
  HONE_TRY_DO(runtime->check(
      runtime->api().CreateSessionFromArray(runtime->env(), model_bytes.data(), model_bytes.size(),
                                            options.get(), &made),
      "cannot open the model on " + describe(settings.target)));
  Owned<ort::OrtSession> session(made, runtime->api().ReleaseSession);
  return finish(std::move(runtime), std::move(session), settings);
}

Result<Session> Session::open_model(std::shared_ptr<Runtime> runtime, const Model& model,
                                    SessionSettings settings) {
  HONE_TRY(const TemporaryFolder folder, TemporaryFolder::create("session"));
  const Path file = folder.path() / "model.onnx";
  const auto level = settings.options.find("graph_optimization_level");
  if (level != settings.options.end() && level->second == "disable") {
    HONE_TRY(settings.weights, write_light_model(model, file));
  } else {
    HONE_TRY_DO(save_model(model, file));
  }
  return open(std::move(runtime), file, settings);
}

Result<Session> Session::finish(std::shared_ptr<Runtime> runtime, Owned<ort::OrtSession> session,
                                const SessionSettings& settings) {
  Session made(std::move(runtime), std::move(session));
  made.zeroes_denormals_ = zeroes_denormals(settings);
  made.captures_graphs_ = asks_for_graphs(settings.target);
  HONE_TRY_DO(made.read_ports());
  made.placement_ =
      read_placement(*made.runtime_, made.session_.get(), ep_short_name(settings.target.ep));
  return made;
}

Status Session::read_ports() {
  const ort::Api& api = runtime_->api();
  std::size_t count = 0;
  HONE_TRY_DO(
      runtime_->check(api.SessionGetInputCount(session_.get(), &count), "cannot count inputs"));
  for (std::size_t i = 0; i < count; ++i) {
    HONE_TRY(Port port, read_port(*runtime_, session_.get(), i, api.SessionGetInputName,
                                  api.SessionGetInputTypeInfo));
    inputs_.push_back(std::move(port));
  }
  HONE_TRY_DO(
      runtime_->check(api.SessionGetOutputCount(session_.get(), &count), "cannot count outputs"));
  for (std::size_t i = 0; i < count; ++i) {
    HONE_TRY(Port port, read_port(*runtime_, session_.get(), i, api.SessionGetOutputName,
                                  api.SessionGetOutputTypeInfo));
    outputs_.push_back(std::move(port));
  }
  return done();
}

Status check_kinds(const std::vector<Port>& ports, const NamedTensors& inputs) {
  for (const Port& port : ports) {
    const bool is_other =
        port.type.kind == Type::Kind::sequence || port.type.kind == Type::Kind::map;
    if (!is_other || !inputs.contains(port.name)) continue;
    return fail(Fault::unsupported,
                "the input '" + port.name + "' is a sequence or a map, which cannot be handed in");
  }
  return done();
}

Result<Binding> Session::bind(const NamedTensors& inputs, const BindingPlan& plan) const {
  const ort::Api& api = runtime_->api();
  ort::OrtIoBinding* made = nullptr;
  HONE_TRY_DO(runtime_->check(api.CreateIoBinding(session_.get(), &made), "cannot bind inputs"));
  Owned<ort::OrtIoBinding> io(made, api.ReleaseIoBinding);
  ort::OrtRunOptions* run = nullptr;
  HONE_TRY_DO(runtime_->check(api.CreateRunOptions(&run), "cannot make run options"));
  Binding binding(runtime_, session_.get(), zeroes_denormals_, std::move(io),
                  Owned<ort::OrtRunOptions>(run, api.ReleaseRunOptions));
  binding.io_ = plan.io;
  if (captures_graphs_) {
    HONE_TRY_DO(runtime_->check(
        api.AddRunConfigEntry(run, graph_run_option, std::to_string(plan.graph).c_str()),
        "cannot say which graph to capture"));
  }
  HONE_TRY_DO(check_kinds(inputs_, inputs));
  for (const auto& [name, tensor] : inputs) {
    HONE_TRY(OrtTensor value, to_ort(*runtime_, *tensor));
    HONE_TRY_DO(runtime_->check(api.BindInput(made, name.c_str(), value.value.get()),
                                "the model does not take the input '" + name + "' as given"));
    binding.inputs_.push_back(std::move(value));
    binding.input_names_.push_back(name);
  }
  for (const Port& output : outputs_) binding.output_names_.push_back(output.name);
  HONE_TRY_DO(binding.bind_outputs());
  return binding;
}

Result<NamedTensors> Session::run(const NamedTensors& inputs) const {
  HONE_TRY(const Binding binding, bind(inputs));
  HONE_TRY_DO(binding.run());
  return binding.outputs();
}

Result<std::uint64_t> Session::profile_start_ns() const {
  std::uint64_t start = 0;
  HONE_TRY_DO(
      runtime_->check(runtime_->api().SessionGetProfilingStartTimeNs(session_.get(), &start),
                      "cannot tell when the profile began"));
  return start;
}

Result<Path> Session::end_profiling() {
  const ort::Api& api = runtime_->api();
  ort::OrtAllocator* allocator = nullptr;
  char* file = nullptr;
  HONE_TRY_DO(
      runtime_->check(api.GetAllocatorWithDefaultOptions(&allocator), "cannot end the profile"));
  HONE_TRY_DO(runtime_->check(api.SessionEndProfiling(session_.get(), allocator, &file),
                              "cannot end the profile"));
  Path path(file);
  if (ort::OrtStatus* status = api.AllocatorFree(allocator, file)) api.ReleaseStatus(status);
  return path;
}

// Where the EP makes them: the runtime knows of each output which memory that is.
Status Binding::bind_outputs_on_device() const {
  const ort::Api& api = runtime_->api();
  if (api.SessionGetMemoryInfoForOutputs == nullptr)
    return fail(Fault::unsupported, "outputs cannot stay on the device",
                "ONNX Runtime " + runtime_->version() + " does not tell where they are made",
                "it takes ONNX Runtime 1.23 or newer, or --io-binding auto");
  std::vector<const ort::OrtMemoryInfo*> places(output_names_.size());
  HONE_TRY_DO(
      runtime_->check(api.SessionGetMemoryInfoForOutputs(session_, places.data(), places.size()),
                      "cannot find out where outputs are made"));
  for (std::size_t i = 0; i < places.size(); ++i) {
    HONE_TRY_DO(
        runtime_->check(api.BindOutputToDevice(binding_.get(), output_names_[i].c_str(), places[i]),
                        "cannot bind the output '" + output_names_[i] + "' on its device"));
  }
  return done();
}

Status Binding::bind_outputs() const {
  if (io_ == IoBinding::device) return bind_outputs_on_device();
  const ort::Api& api = runtime_->api();
  ort::OrtMemoryInfo* memory = nullptr;
  HONE_TRY_DO(
      runtime_->check(api.CreateCpuMemoryInfo(0, 0, &memory), "cannot describe CPU memory"));
  const Owned<ort::OrtMemoryInfo> owned_memory(memory, api.ReleaseMemoryInfo);
  for (const std::string& name : output_names_) {
    HONE_TRY_DO(runtime_->check(api.BindOutputToDevice(binding_.get(), name.c_str(), memory),
                                "cannot bind the output '" + name + "'"));
  }
  return done();
}

Status Binding::run() const {
  HONE_TRY_DO(prepare());
  return run_prepared();
}

Status Binding::prepare() const {
  if (io_ == IoBinding::none) return unbound_outputs_.clear(), done();
  if (!makes_outputs_anew_ || !has_outputs_) return done();
  has_outputs_ = false;
  runtime_->api().ClearBoundOutputs(binding_.get());
  return bind_outputs();
}

Status Binding::run_once() const {
  ort::OrtStatus* status =
      runtime_->api().RunWithBinding(session_, run_options_.get(), binding_.get());
  return status == nullptr ? done() : runtime_->check(status, "the model failed while running");
}

// With values of the host, as a program does that binds nothing.
Status Binding::run_unbound() const {
  const ort::Api& api = runtime_->api();
  std::vector<const char*> names;
  std::vector<const ort::OrtValue*> values;
  std::vector<const char*> output_names;
  for (const std::string& name : input_names_) names.push_back(name.c_str());
  for (const OrtTensor& input : inputs_) values.push_back(input.value.get());
  for (const std::string& name : output_names_) output_names.push_back(name.c_str());
  std::vector<ort::OrtValue*> outputs(output_names.size());
  ort::OrtStatus* status =
      api.Run(session_, run_options_.get(), names.data(), values.data(), values.size(),
              output_names.data(), output_names.size(), outputs.data());
  for (ort::OrtValue* output : outputs) unbound_outputs_.emplace_back(output, api.ReleaseValue);
  return status == nullptr ? done() : runtime_->check(status, "the model failed while running");
}

Status Binding::run_prepared() const {
  const DenormalScope denormals(zeroes_denormals_);
  if (io_ == IoBinding::none) return run_unbound();
  Status first = run_once();
  // ONNX Runtime holds outputs it is handed, those of the run before, to what the model declares,
  // and what it makes itself to nothing.
  const bool may_be_outputs = !first && has_outputs_ && !makes_outputs_anew_;
  if (!may_be_outputs) {
    has_outputs_ = has_outputs_ || first;
    return first;
  }
  makes_outputs_anew_ = true;
  HONE_TRY_DO(prepare());
  const Status again = run_once();
  has_outputs_ = again.has_value();
  return again ? done() : std::move(first);
}

Status Binding::visit_values(
    const std::function<Status(const std::string& name, const ort::OrtValue& value)>& visit) const {
  for (std::size_t i = 0; i < unbound_outputs_.size(); ++i)
    HONE_TRY_DO(visit(output_names_[i], *unbound_outputs_[i]));
  if (io_ == IoBinding::none) return done();
  const ort::Api& api = runtime_->api();
  ort::OrtAllocator* allocator = nullptr;
  ort::OrtValue** values = nullptr;
  std::size_t count = 0;
  HONE_TRY_DO(
      runtime_->check(api.GetAllocatorWithDefaultOptions(&allocator), "cannot read outputs"));
  HONE_TRY_DO(runtime_->check(api.GetBoundOutputValues(binding_.get(), allocator, &values, &count),
                              "cannot read outputs"));
  Status status = done();
  for (std::size_t i = 0; i < count; ++i) {
    const Owned<ort::OrtValue> value(values[i], api.ReleaseValue);
    if (status) status = visit(output_names_[i], *value);
  }
  if (ort::OrtStatus* freed = api.AllocatorFree(allocator, values)) api.ReleaseStatus(freed);
  return status;
}

Status Binding::visit_outputs(const std::function<Status(const Tensor& output)>& visit) const {
  return visit_values([&](const std::string& name, const ort::OrtValue& value) -> Status {
    HONE_TRY(const Tensor tensor, borrow_from_ort(*runtime_, name, &value));
    return visit(tensor);
  });
}

Result<NamedTensors> Binding::outputs() const {
  NamedTensors outputs;
  HONE_TRY_DO(visit_values([&](const std::string& name, const ort::OrtValue& value) -> Status {
    HONE_TRY(TensorPtr output, from_ort(*runtime_, name, &value));
    outputs.emplace(name, std::move(output));
    return done();
  }));
  return outputs;
}

}  // namespace hone
