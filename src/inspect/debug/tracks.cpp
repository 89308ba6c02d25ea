#include "inspect/debug/tracks.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "inspect/debug/half.h"
#include "inspect/debug/lift.h"
#include "inspect/quantized_ops.h"
#include "model/edit.h"

namespace hone {
namespace {

// Each value once, however many tensors it counts for.
class Lifter {
 public:
  Lifter(Model& model, bool is_on) : model_(model), is_on_(is_on) {}

  const Value* operator()(const Value* value) {
    if (value == nullptr || &value->graph() == model_.graph.get()) return value;
    if (!is_on_) return nullptr;
    const auto known = lifted_.find(value);
    if (known != lifted_.end()) return known->second;
    return lifted_[value] = lift(model_, const_cast<Value&>(*value));
  }

 private:
  Model& model_;
  bool is_on_;
  std::unordered_map<const Value*, const Value*> lifted_;
};

std::unordered_map<const Node*, std::size_t> positions(Model& model) {
  std::unordered_map<const Node*, std::size_t> found;
  const auto order = topological_order(*model.graph);
  if (!order) return found;
  for (const Node* node : *order) found.emplace(node, found.size());
  return found;
}

std::size_t position_of(const Value* value,
                        const std::unordered_map<const Node*, std::size_t>& positions) {
  const auto found = positions.find(value->producer());
  return found == positions.end() ? 0 : found->second;
}

// Nobody knows a node that rounds by its name.
bool rounds(const Node* node) {
  return is_quantize(node) || is_dequantize(node) || is_rounding(node);
}

void add_outputs(const Model& float_model, const Model& quantized_model, Tracks& tracks,
                 std::vector<UnmatchedTensor>& unmatched) {
  for (const Value* output : float_model.graph->outputs()) {
    const Value* same = quantized_model.graph->find(output->name());
    if (same == nullptr || !same->is_graph_output()) {
      unmatched.push_back({output->name(), "output", "the quantized model has no such output"});
      same = nullptr;
    }
    tracks.outputs.push_back({.original = output, .quantized = same});
  }
}

}  // namespace

Tracks make_tracks(Model& float_model, Model& quantized_model, const Quantization& quantization,
                   const Counterparts& counterparts, bool with_subgraphs,
                   std::vector<UnmatchedTensor>& unmatched) {
  Tracks tracks;
  Lifter lift_float(float_model, with_subgraphs);
  Lifter lift_quantized(quantized_model, with_subgraphs);
  // Lifting adds outputs to nodes inside: the model's own are listed first.
  add_outputs(float_model, quantized_model, tracks, unmatched);
  std::set<std::string> taken;
  for (const RoundedTensor& rounded : quantization.tensors) {
    const Counterpart counterpart = counterparts.of(*rounded.before, *rounded.after);
    Track track;
    track.rounded = rounded;
    track.original = counterpart.value;
    track.absorbed = counterpart.absorbed;
    if (track.absorbed != nullptr) track.bounds = bounds_of(*track.absorbed);
    track.name = track.original ? track.original->name() : without_suffix(rounded.before->name());
    if (!taken.insert(track.name).second) track.name = rounded.after->name();
    track.before_at = lift_quantized(rounded.before);
    track.after_at = lift_quantized(rounded.after);
    track.original_at = lift_float(track.original);
    if (track.before_at == nullptr || track.after_at == nullptr) {
      unmatched.push_back({rounded.before->name(), "activation",
                           "it lies in a subgraph that does not show its tensors"});
      continue;
    }
    if (track.original_at == nullptr) {
      unmatched.push_back(
          {rounded.before->name(), "activation", "the float model has no counterpart of it"});
    }
    tracks.tensors.push_back(std::move(track));
  }
  const auto order = positions(quantized_model);
  std::ranges::stable_sort(tracks.tensors, {},
                           [&](const Track& track) { return position_of(track.after_at, order); });
  return tracks;
}

std::vector<std::vector<std::size_t>> inputs_of(const std::vector<Track>& tracks) {
  std::unordered_map<const Value*, std::size_t> by_after;
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    // Every DequantizeLinear of the same integers ends the same tensor.
    for (const Use& use : tracks[i].rounded.quantize->output(0)->uses()) {
      if (rounds(use.node) && use.node->output(0) != nullptr)
        by_after.emplace(use.node->output(0), i);
    }
  }
  std::vector<std::vector<std::size_t>> inputs(tracks.size());
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    std::set<const Value*> seen;
    std::vector<const Value*> left = {tracks[i].rounded.before};
    while (!left.empty()) {
      const Value* value = left.back();
      left.pop_back();
      if (value == nullptr || !seen.insert(value).second) continue;
      if (const auto found = by_after.find(value); found != by_after.end()) {
        inputs[i].push_back(found->second);
      } else if (value->producer() != nullptr) {
        const std::vector<Value*>& more = value->producer()->inputs();
        left.insert(left.end(), more.begin(), more.end());
      }
    }
  }
  return inputs;
}

const Node* node_of(const Value& value) {
  const Node* node = value.producer();
  while (rounds(node)) {
    const Value* source = node->input(0);
    node = source != nullptr ? source->producer() : nullptr;
  }
  if (node != nullptr && !node->is("Constant")) return node;
  std::vector<const Value*> left = {&value};
  while (!left.empty()) {
    const Value* next = left.back();
    left.pop_back();
    for (const Use& use : next->uses()) {
      if (!rounds(use.node)) return use.node;
      if (use.index == 0 && use.node->output(0) != nullptr) left.push_back(use.node->output(0));
    }
  }
  return nullptr;
}

}  // namespace hone
