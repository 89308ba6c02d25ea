#include "inspect/debug/side_by_side.h"

#include <algorithm>
#include <ranges>

#include "base/hash.h"
#include "base/text.h"
#include "inspect/debug/half.h"
#include "inspect/debug/share_out.h"
#include "model/edit.h"
#include "runtime/ep_names.h"

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

std::string digest_of(const Tensor& tensor) { return sha256(tensor.dense.view()).hex(); }

// As the model declares it, where it does. A first dimension that is left open is the batch.
std::optional<std::uint64_t> declared_elements(const Value* value, std::int64_t batch) {
  if (value == nullptr || !value->type.is_tensor() || !value->type.shape) return std::nullopt;
  std::vector<std::int64_t> dims;
  for (const Dim& dim : *value->type.shape)
    dims.push_back(dim.value.value_or(dims.empty() ? batch : -1));
  return count_elements(dims);
}

std::int64_t batch_of(const Sample& sample) {
  for (const auto& [name, tensor] : sample) {
    if (!tensor->dims.empty()) return tensor->dims.front();
  }
  return 1;
}

// A copy with an output for each tensor of unknown size that tells it.
Model with_sizes(const Model& model, std::vector<Track>& tracks,
                 std::map<std::string, Track*>& by_output) {
  Model sized = clone(model);
  Graph& graph = *sized.graph;
  // The last first: ONNX Runtime works its way back from the last node, and a tensor lives until
  // its size was taken.
  for (Track& track : tracks | std::views::reverse) {
    if (track.elements > 0) continue;
    Value* value = graph.find(track.after_at->name());
    Value& size =
        graph.add_value(value->name() + "_Size", Type::tensor(ElementType::int64, Shape()));
    graph.add_node("Size", {value}, {&size});
    graph.add_output(size);
    by_output.emplace(size.name(), &track);
  }
  return sized;
}

// Whether all are known now. The lesser half may be undeclared, and is taken for as large as the
// largest.
bool take_declared_sizes(std::vector<Track>& tracks, std::int64_t batch) {
  std::uint64_t largest = 0;
  std::size_t unknown = 0;
  for (Track& track : tracks) {
    for (const Value* same : {track.after_at, track.before_at, track.original_at}) {
      if (const auto declared = declared_elements(same, batch)) track.elements = *declared;
    }
    largest = std::max(largest, track.elements);
    unknown += track.elements == 0 ? 1 : 0;
  }
  if (unknown * 2 > tracks.size()) return false;
  for (Track& track : tracks) track.elements = track.elements == 0 ? largest : track.elements;
  return true;
}

bool same_placement(const Placement& a, const Placement& b) {
  return a.known == b.known && to_json(a.shares).dump(-1) == to_json(b.shares).dump(-1);
}

Status add(ErrorSums& sums, const Tensor* x, const Tensor* y, Bounds bounds = {}) {
  if (x == nullptr || y == nullptr) return done();
  return sums.add(*x, *y, bounds);
}

std::unordered_map<const Node*, std::size_t> places_in(const std::vector<Node*>& order) {
  std::unordered_map<const Node*, std::size_t> places;
  for (const Node* node : order) places.emplace(node, places.size());
  return places;
}

// How many nodes have run once the value is there.
std::size_t end_of(const Value* value, const std::unordered_map<const Node*, std::size_t>& places) {
  const auto found = value == nullptr ? places.end() : places.find(value->producer());
  return found == places.end() ? 0 : found->second + 1;
}

std::vector<const Value*> outputs_of(const Model& model) {
  return {model.graph->outputs().begin(), model.graph->outputs().end()};
}

}  // namespace

bool SideBySide::has_device() const { return ep_short_name(options_.device.target.ep) != "cpu"; }

SessionSettings SideBySide::cpu_settings() const {
  SessionSettings settings;
  settings.threads = options_.threads;
  // The tensors of the models as they are written: where nothing is fused, looking at one changes
  // no other (a test holds ONNX Runtime to it). And each session runs a few samples, so that
  // repacking weights would not pay. An arena would keep what a stretch gives back, and threads
  // that spin would keep the next stretch's waiting.
  settings.options = {{"graph_optimization_level", "disable"},
                      {"session.disable_prepacking", "1"},
                      {"session.intra_op.allow_spinning", "0"},
                      {"enable_cpu_mem_arena", "0"}};
  return settings;
}

// One run for what the models do not declare.
Status SideBySide::measure_sizes(const Sample& first) {
  std::map<std::string, Track*> sizes;
  const Model sized = with_sizes(quantized_model_, tracks_.tensors, sizes);
  HONE_TRY(const Session session, Session::open_model(runtime_, sized, cpu_settings()));
  HONE_TRY(const Binding binding, session.bind(first));
  const auto start = Clock::now();
  HONE_TRY_DO(binding.run());
  sizing_ += Clock::now() - start;
  HONE_TRY(const NamedTensors seen, binding.outputs());
  for (const auto& [output, track] : sizes) {
    HONE_TRY(const std::vector<std::int64_t> size, to_ints(*seen.at(output)));
    track->elements = static_cast<std::uint64_t>(size.front());
  }
  return done();
}

// What the outputs are when no tensor is looked at, and which node is where.
Status SideBySide::look_at_device(const Sample& first) {
  HONE_TRY(const Session session, Session::open_model(runtime_, device_model_, options_.device));
  HONE_TRY(const Sample given, as_declared(first, device_model_));
  HONE_TRY(const NamedTensors seen, session.run(given));
  for (const auto& [name, tensor] : seen) device_outputs_[name] = digest_of(*tensor);
  device_placement_ = session.placement();
  return done();
}

// As many neighbours together as the budget holds: two tensors, and the float model's. (In half
// precision one, the float model's and its shadow.)
void SideBySide::plan_chunks(std::uint64_t budget) {
  chunks_.assign(1, {});
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < tracks_.tensors.size(); ++i) {
    const std::uint64_t own =
        tracks_.tensors[i].elements * sizeof(float) * (tracks_.tensors[i].original_at ? 3 : 2);
    if (!chunks_.back().empty() && bytes + own > budget) {
      chunks_.emplace_back();
      bytes = 0;
    }
    chunks_.back().push_back(i);
    bytes += own;
  }
}

Status SideBySide::plan_steps() {
  HONE_TRY(const std::vector<Node*> float_order, topological_order(*float_model_.graph));
  HONE_TRY(const std::vector<Node*> quantized_order, topological_order(*quantized_model_.graph));
  const auto float_places = places_in(float_order);
  const auto quantized_places = places_in(quantized_order);
  std::vector<Step> float_steps;
  std::vector<Step> quantized_steps;
  std::size_t float_end = 0;
  std::size_t quantized_end = 0;
  for (const Chunk& chunk : chunks_) {
    Step& ours = quantized_steps.emplace_back();
    Step& theirs = float_steps.emplace_back();
    for (const std::size_t index : chunk) {
      const Track& track = tracks_.tensors[index];
      for (const Value* value : {track.before_at, track.after_at}) {
        if (value == track.before_at && track.shadow_at != nullptr) continue;
        ours.wanted.push_back(value);
        quantized_end = std::max(quantized_end, end_of(value, quantized_places));
      }
      for (const Value* value : {track.original_at, track.shadow_at}) {
        if (value == nullptr) continue;
        theirs.wanted.push_back(value);
        float_end = std::max(float_end, end_of(value, float_places));
      }
    }
    ours.end = quantized_end;
    theirs.end = float_end;
  }
  quantized_steps.back().end = quantized_order.size();
  float_steps.back().end = float_order.size();
  for (const OutputTrack& output : tracks_.outputs) {
    if (output.quantized == nullptr) continue;
    quantized_steps.back().wanted.push_back(output.quantized);
    float_steps.back().wanted.push_back(output.original);
  }
  HONE_TRY(SteppedModel theirs,
           SteppedModel::plan(runtime_, float_model_, cpu_settings(), std::move(float_steps)));
  HONE_TRY(SteppedModel ours, SteppedModel::plan(runtime_, quantized_model_, cpu_settings(),
                                                 std::move(quantized_steps)));
  float_steps_.emplace(std::move(theirs));
  quantized_steps_.emplace(std::move(ours));
  return done();
}

// What a device does with a model depends on the whole of it, so it is never cut.
Status SideBySide::plan_device() {
  for (const Chunk& chunk : chunks_) {
    Step all;
    all.end = device_model_.graph->nodes().size();
    all.wanted = outputs_of(device_model_);
    for (const std::size_t index : chunk) {
      const Value* value = device_value(tracks_.tensors[index].after_at);
      if (value != nullptr) all.wanted.push_back(value);
    }
    HONE_TRY(SteppedModel steps,
             SteppedModel::plan(runtime_, device_model_, options_.device, {std::move(all)}));
    device_.push_back(std::move(steps));
  }
  return done();
}

void SideBySide::compare(Track& track) {
  if (!track.problem.empty()) return;
  const Tensor* after = quantized_steps_->find(track.after_at);
  const Tensor* original = float_steps_->find(track.original_at);
  Status added =
      track.shadow_at != nullptr
          ? add(track.local, original, float_steps_->find(track.shadow_at))
          : add(track.local, quantized_steps_->find(track.before_at), after, track.bounds);
  if (added) added = add(track.cumulative, original, after);
  if (added && original != nullptr && is_half(track.rounded.type))
    added = track.range.add(*original, track.rounded.type);
  if (!added) track.problem = added.error().what;
}

void SideBySide::compare_device(Track& track, const SteppedModel& device) {
  if (!track.problem.empty()) return;
  const Tensor* seen = device.find(device_value(track.after_at));
  Status added = add(track.device, quantized_steps_->find(track.after_at), seen);
  if (added && track.original_at != nullptr)
    added = add(track.device_cumulative, float_steps_->find(track.original_at), seen);
  if (!added) track.problem = added.error().what;
}

const Value* SideBySide::device_value(const Value* value) const {
  return value == nullptr ? nullptr : device_model_.graph->find(value->name());
}

void SideBySide::compare_outputs(const SteppedModel* device) {
  for (OutputTrack& output : tracks_.outputs) {
    if (output.quantized == nullptr || !output.problem.empty()) continue;
    const Tensor* original = float_steps_->find(output.original);
    const Tensor* quantized = quantized_steps_->find(output.quantized);
    Status added = add(output.cumulative, original, quantized);
    if (added && device != nullptr) {
      const Tensor* seen = device->find(device_value(output.quantized));
      added = add(output.device, quantized, seen);
      if (added) added = add(output.device_cumulative, original, seen);
    }
    if (!added) output.problem = added.error().what;
  }
}

void SideBySide::check_outputs(const SteppedModel& device, DebugResult& result) const {
  for (const Value* output : outputs_of(device_model_)) {
    const auto unseen = device_outputs_.find(output->name());
    const Tensor* seen = device.find(output);
    if (unseen == device_outputs_.end() || seen == nullptr || unseen->second == digest_of(*seen))
      continue;
    result.perturbed.push_back("the output '" + printable(output->name()) + "' on " +
                               options_.device.target.ep +
                               " is not the same while tensors are looked at");
  }
}

Status SideBySide::run_device(const Sample& sample, std::size_t chunk, DebugResult& result) {
  SteppedModel& device = device_[chunk];
  HONE_TRY(const Sample given, as_declared(sample, device_model_));
  device.start(given);
  HONE_TRY_DO(device.next());
  if (samples_ > 0) return done();
  check_outputs(device, result);
  if (!same_placement(*device.placement(), *device_placement_)) {
    result.perturbed.push_back(
        "nodes are placed otherwise while tensors are looked at: " + describe(*device.placement()) +
        ", and not " + describe(*device_placement_));
  }
  return done();
}

Status SideBySide::run_sample(const Sample& sample, DebugResult& result) {
  float_steps_->start(sample);
  quantized_steps_->start(sample);
  for (std::size_t step = 0; step < chunks_.size(); ++step) {
    HONE_TRY_DO(float_steps_->next());
    HONE_TRY_DO(quantized_steps_->next());
    if (has_device()) HONE_TRY_DO(run_device(sample, step, result));
    const auto start = Clock::now();
    share_out(chunks_[step].size(), [&](std::size_t i) {
      Track& track = tracks_.tensors[chunks_[step][i]];
      compare(track);
      if (has_device()) compare_device(track, device_[step]);
    });
    comparing_ += Clock::now() - start;
    if (progress_) progress_(samples_ * chunks_.size() + step + 1, 0);
  }
  compare_outputs(has_device() ? &device_.back() : nullptr);
  ++samples_;
  return done();
}

Status SideBySide::run_all(SampleStream& samples, DebugResult& result) {
  samples_ = 0;
  device_.clear();
  HONE_TRY_DO(plan_steps());
  if (has_device()) HONE_TRY_DO(plan_device());
  samples.rewind();
  while (true) {
    HONE_TRY(const std::optional<Sample> sample, samples.next());
    if (!sample) break;
    HONE_TRY_DO(run_sample(*sample, result));
  }
  return done();
}

Status SideBySide::run(SampleStream& samples, DebugResult& result) {
  samples.rewind();
  HONE_TRY(const std::optional<Sample> first, samples.next());
  if (!first) return fail(Fault::bad_input, "there is no sample to run the models on");
  if (!take_declared_sizes(tracks_.tensors, batch_of(*first))) HONE_TRY_DO(measure_sizes(*first));
  if (has_device()) HONE_TRY_DO(look_at_device(*first));
  plan_chunks(options_.memory_bytes);
  Status ran = run_all(samples, result);
  if (!ran && ran.error().fault == Fault::unsupported && chunks_.size() > 1) {
    // A sequence or a map cannot be handed from one stretch to the next.
    result.notes.push_back("the models are run in one piece, beyond the memory budget: " +
                           ran.error().what);
    for (Track& track : tracks_.tensors)
      track.local = track.cumulative = track.device = track.device_cumulative = {};
    for (Track& track : tracks_.tensors) track.range = {};
    plan_chunks(std::numeric_limits<std::uint64_t>::max());
    ran = run_all(samples, result);
  }
  HONE_TRY_DO(std::move(ran));
  result.samples = samples_;
  result.stretches = chunks_.size();
  add_times(result);
  return done();
}

void SideBySide::add_times(DebugResult& result) const {
  auto in_run = sizing_ + float_steps_->in_run() + quantized_steps_->in_run();
  auto opening = float_steps_->opening() + quantized_steps_->opening();
  for (const SteppedModel& device : device_) {
    in_run += device.in_run();
    opening += device.opening();
  }
  result.times_ms.in_run = milliseconds(in_run);
  result.times_ms.open = milliseconds(opening);
  result.times_ms.compare = milliseconds(comparing_);
}

}  // namespace hone
