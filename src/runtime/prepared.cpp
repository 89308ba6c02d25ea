#include "runtime/prepared.h"

#include <algorithm>

#include "base/text.h"

namespace hone {
namespace {

// Whether a tensor of this shape is one of the type; what is open fits anything. ONNX Runtime tells
// a shape that nobody declared as one without dimensions, like that of a single number.
bool fits(const Type& declared, const std::vector<std::int64_t>& dims) {
  if (!declared.shape || declared.shape->empty()) return true;
  if (declared.shape->size() != dims.size()) return false;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const auto& dim = (*declared.shape)[i];
    if (dim.value.value_or(dims[i]) != dims[i]) return false;
  }
  return true;
}

// A time is of one branch: two of them in turn would be two times. Says which it is.
std::vector<std::string> choose_branches(const InputFacts& facts, ShapeRules& rules) {
  std::vector<std::string> notes;
  for (const std::string& name : facts.branches) {
    if (rules.values.contains(name) || rules.symbols.contains(name)) continue;
    rules.values[name] = 0;
    notes.push_back(printable(name) + " is false in every run; --shape-config '" + printable(name) +
                    ":=1' takes the other branch");
  }
  return notes;
}

}  // namespace

Result<std::shared_ptr<Runtime>> start_runtime(const RunPlan& plan) {
  HONE_TRY(std::shared_ptr<Runtime> runtime, Runtime::load(plan.ort));
  for (const auto& [name, path] : plan.ep_libraries)
    HONE_TRY_DO(runtime->register_library(name, path));
  return runtime;
}

SessionSettings settings_of(const RunPlan& plan) {
  SessionSettings settings;
  settings.target = plan.target;
  settings.threads = plan.threads;
  settings.options = plan.session_options;
  settings.profile_prefix = plan.profile_prefix;
  return settings;
}

Result<PreparedRun> PreparedRun::open(std::shared_ptr<Runtime> runtime, const RunPlan& plan) {
  PreparedRun prepared;
  HONE_TRY(Session session, Session::open(std::move(runtime), plan.model, settings_of(plan)));
  prepared.session_ = std::make_unique<Session>(std::move(session));
  const std::vector<Port>& inputs = prepared.session_->inputs();
  if (!plan.input_data.empty()) {
    HONE_TRY(LoadedSamples loaded, load_samples(plan.input_data, inputs));
    prepared.samples_ = std::move(loaded.samples);
    prepared.assumptions_ = std::move(loaded.notes);
    const TensorPtr& first =
        inputs.empty() ? nullptr : prepared.samples_.front().at(inputs.front().name);
    if (first && !first->dims.empty()) prepared.batch_ = first->dims.front();
  } else {
    HONE_TRY(const Model model, load_model(plan.model));
    HONE_TRY(ShapeRules rules, parse_shape_rules(plan.shape_config));
    rules.batch = plan.batch_size;
    const InputFacts facts = read_input_facts(model);
    std::vector<std::string> notes = choose_branches(facts, rules);
    HONE_TRY(GeneratedSamples generated, generate_samples(inputs, rules, facts, plan.seed,
                                                          static_cast<std::size_t>(plan.samples)));
    prepared.samples_ = std::move(generated.samples);
    prepared.batch_ = generated.batch;
    prepared.assumptions_ = std::move(generated.assumptions);
    prepared.assumptions_.insert(prepared.assumptions_.end(), notes.begin(), notes.end());
  }
  for (const Sample& sample : prepared.samples_) {
    const BindingPlan how{.io = plan.io_binding,
                          .graph = static_cast<int>(prepared.bindings_.size())};
    HONE_TRY(Binding binding, prepared.session_->bind(sample, how));
    prepared.bindings_.push_back(std::move(binding));
  }
  return prepared;
}

Status PreparedRun::capture_graphs() const {
  if (!session_->captures_graphs()) return done();
  for (const Binding& binding : bindings_) HONE_TRY_DO(binding.run());
  return done();
}

Result<NamedTensors> PreparedRun::run_for_outputs(std::size_t index) const {
  const Binding& binding = bindings_[index % bindings_.size()];
  if (!binding.has_host_outputs()) return session_->run(samples_[index % samples_.size()]);
  HONE_TRY_DO(binding.run());
  return binding.outputs();
}

std::vector<std::string> PreparedRun::wrong_outputs() const {
  std::vector<std::string> notes;
  const std::vector<Port>& ports = session_->outputs();
  const auto look = [&](const Tensor& output) {
    const auto port = std::ranges::find(ports, output.name, &Port::name);
    if (port == ports.end() || fits(port->type, output.dims)) return done();
    Type made = port->type;
    made.shape.emplace(output.dims.size());
    for (std::size_t i = 0; i < output.dims.size(); ++i) (*made.shape)[i].value = output.dims[i];
    notes.push_back("the output '" + output.name + "' is declared as " + to_string(port->type) +
                    " and comes as " + to_string(made) +
                    ": its memory is made anew for each run, outside of the time");
    return done();
  };
  // A sequence or a map has no shape to be wrong about. Of one on a device only the shape is read.
  (void)bindings_.front().visit_outputs(look);
  return notes;
}

Result<std::vector<std::uint64_t>> PreparedRun::time_runs(std::size_t first,
                                                          std::int64_t iterations,
                                                          std::chrono::nanoseconds limit) const {
  using Clock = std::chrono::steady_clock;
  // Room for what may well come, so that the loop allocates nothing; a longer block grows it.
  constexpr std::int64_t room = 1 << 16;
  std::vector<std::uint64_t> times;
  times.reserve(static_cast<std::size_t>(std::clamp<std::int64_t>(iterations, 0, room)));
  const auto began = Clock::now();
  for (std::int64_t i = 0; i < iterations; ++i) {
    const Binding& binding = bindings_[(first + static_cast<std::size_t>(i)) % bindings_.size()];
    HONE_TRY_DO(binding.prepare());
    const auto start = Clock::now();
    const Status status = binding.run_prepared();
    const auto end = Clock::now();
    if (!status) return fail(status.error());
    times.push_back(static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(end - start).count()));
    if (end - began >= limit) break;
  }
  return times;
}

}  // namespace hone
