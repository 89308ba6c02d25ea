#pragma once
// A session: one model opened on one target. This is the only place sessions are made.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/model.h"
#include "record/io_binding.h"
#include "record/target.h"
#include "runtime/runtime.h"
#include "runtime/session_options.h"
#include "runtime/values.h"

namespace hone {

struct Port {
  std::string name;
  Type type;
};

// What is read of a sequence or a map (from_ort) cannot be handed in again.
Status check_kinds(const std::vector<Port>& ports, const NamedTensors& inputs);

struct SessionSettings {
  Target target;
  std::int64_t threads = 0;     // of one operator; 0: ONNX Runtime decides
  OptionMap options;            // check_session_options must hold
  std::string profile_prefix;   // not empty: ORT's profiler writes <prefix>_<time>.json
  std::string optimized_model;  // not empty: where ORT saves the graph as it has optimized it
  // Initializers that the model declares as external: ONNX Runtime reads them where they lie.
  std::vector<TensorPtr> weights;
};

// The settings as ONNX Runtime takes them, with the target's EP appended.
Result<Owned<ort::OrtSessionOptions>> make_session_options(const Runtime& runtime,
                                                           const SessionSettings& settings);

// How inputs are bound.
struct BindingPlan {
  IoBinding io = IoBinding::automatic;
  // Of a session that captures graphs: each binding is captured by itself, for a graph knows the
  // memory it was captured with. Below 0: this one is not.
  int graph = -1;
};

// One set of inputs, bound once and run many times. Outputs are allocated by the session in the
// first run and written to again in those that follow. Where that is refused, because the model
// declares another shape than it makes, they are made anew in each run.
class Binding {
 public:
  // Whether outputs are on the host, where they can be read.
  bool has_host_outputs() const { return io_ != IoBinding::device; }
  Status run() const;
  // Run in two, for who takes the time of the second: what has to happen before, and the run.
  Status prepare() const;
  Status run_prepared() const;
  Result<NamedTensors> outputs() const;
  // Each output where ONNX Runtime made it, until the Binding goes or runs again: as a value of its
  // own, whatever that is, and as a tensor.
  Status visit_values(const std::function<Status(const std::string& name,
                                                 const ort::OrtValue& value)>& visit) const;
  Status visit_outputs(const std::function<Status(const Tensor& output)>& visit) const;

 private:
  friend class Session;
  Status bind_outputs() const;
  Status bind_outputs_on_device() const;
  Status run_once() const;
  Status run_unbound() const;
  Binding(std::shared_ptr<const Runtime> runtime, ort::OrtSession* session, bool zeroes_denormals,
          Owned<ort::OrtIoBinding> binding, Owned<ort::OrtRunOptions> run_options)
      : runtime_(std::move(runtime)),
        session_(session),
        zeroes_denormals_(zeroes_denormals),
        binding_(std::move(binding)),
        run_options_(std::move(run_options)) {}
  std::shared_ptr<const Runtime> runtime_;
  ort::OrtSession* session_;
  bool zeroes_denormals_ = false;
  IoBinding io_ = IoBinding::automatic;
  std::vector<OrtTensor> inputs_;
  std::vector<std::string> input_names_;
  std::vector<std::string> output_names_;
  // Of the last run, where nothing is bound.
  mutable std::vector<Owned<ort::OrtValue>> unbound_outputs_;
  Owned<ort::OrtIoBinding> binding_;
  Owned<ort::OrtRunOptions> run_options_;
  mutable bool has_outputs_ = false;  // of a run before
  mutable bool makes_outputs_anew_ = false;
};

class Session {
 public:
  static Result<Session> open(std::shared_ptr<Runtime> runtime, const Path& model,
                              const SessionSettings& settings);
  // A model in memory; external data is not reachable from there.
  static Result<Session> open_bytes(std::shared_ptr<Runtime> runtime, std::string_view model_bytes,
                                    const SessionSettings& settings);

  const std::vector<Port>& inputs() const { return inputs_; }
  const std::vector<Port>& outputs() const { return outputs_; }
  const Placement& placement() const { return placement_; }
  // Whether the EP captures what a run does on the device, and replays it from then on.
  bool captures_graphs() const { return captures_graphs_; }
  ort::OrtSession* handle() const { return session_.get(); }

  // A model as it stands in memory. Without graph optimizations its large weights are neither
  // written nor copied: ONNX Runtime reads them where they lie, so that a session on a mapped model
  // costs its graph. With them the model is written to a file first: optimizers of ONNX Runtime
  // 1.30 that fold or reorder a weight read the file it refers to, and not what was given in its
  // place.
  static Result<Session> open_model(std::shared_ptr<Runtime> runtime, const Model& model,
                                    SessionSettings settings);

  // REQUIRES that the session outlives the Binding. Inputs the model does not have are refused by
  // name.
  Result<Binding> bind(const NamedTensors& inputs, const BindingPlan& plan = {}) const;
  Result<NamedTensors> run(const NamedTensors& inputs) const;
  // When ORT's profiler began, in nanoseconds by the clock of the system.
  Result<std::uint64_t> profile_start_ns() const;
  // Ends ORT's profiler and returns the file it wrote.
  Result<Path> end_profiling();

 private:
  friend class Stepping;
  Session(std::shared_ptr<Runtime> runtime, Owned<ort::OrtSession> session)
      : runtime_(std::move(runtime)), session_(std::move(session)) {}
  static Result<Session> finish(std::shared_ptr<Runtime> runtime, Owned<ort::OrtSession> session,
                                const SessionSettings& settings);
  Status read_ports();

  std::shared_ptr<Runtime> runtime_;
  std::vector<OrtTensor> weights_;  // before session_: they must go last
  Owned<ort::OrtSession> session_;
  // ONNX Runtime sets the thread that opens the first session of a process to what that session
  // says of denormals, for good: a session beside it would compute as the first one. So threads of
  // ours are set for each run, and the pools of a session are set by ONNX Runtime.
  bool zeroes_denormals_ = false;
  bool captures_graphs_ = false;
  std::vector<Port> inputs_;
  std::vector<Port> outputs_;
  Placement placement_;
};

}  // namespace hone
