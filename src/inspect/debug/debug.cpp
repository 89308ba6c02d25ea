#include "inspect/debug/debug.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include "base/text.h"
#include "inspect/debug/judge.h"
#include "inspect/debug/judge_half.h"
#include "inspect/debug/shadows.h"
#include "inspect/debug/side_by_side.h"
#include "inspect/debug/weights.h"
#include "inspect/quantized_ops.h"
#include "runtime/ep_names.h"

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// Where a tensor stands, for people.
template <class Loss>
void place(const Node* node, Loss& loss) {
  if (node == nullptr) return;
  loss.node = node->name;
  loss.op_type = node->op_type;
  loss.layer = layer_of(node->name);
}

ActivationLoss loss_of(const Track& track, bool has_device) {
  ActivationLoss loss;
  loss.tensor_name = track.name;
  loss.type = name_of(track.rounded.type);
  // The node that the quantized range stands for is the one people know the tensor by.
  place(track.absorbed != nullptr ? track.absorbed : node_of(*track.rounded.before), loss);
  if (track.absorbed != nullptr) loss.absorbed = track.absorbed->op_type;
  judge(track.local, track.cumulative, track.rounded.grid, loss);
  if (is_half(track.rounded.type))
    judge_half(track.local, track.cumulative, track.range, track.rounded.type, loss);
  if (!has_device) return loss;
  loss.device_sqnr_db = track.device.sqnr_db();
  loss.device_exact = track.device.is_exact();
  loss.device_cumulative_sqnr_db = track.device_cumulative.sqnr_db();
  return loss;
}

OutputLoss loss_of(const OutputTrack& track) {
  OutputLoss loss;
  loss.output_name = track.original->name();
  loss.cumulative_sqnr_db = track.cumulative.sqnr_db();
  loss.exact = track.cumulative.is_exact();
  loss.cosine = track.cumulative.cosine();
  loss.max_abs_error = track.cumulative.error();
  loss.not_finite = track.cumulative.not_finite;
  if (loss.not_finite > 0) loss.cumulative_sqnr_db.reset();
  loss.device_sqnr_db = track.device.sqnr_db();
  loss.device_exact = track.device.is_exact();
  loss.device_cumulative_sqnr_db = track.device_cumulative.sqnr_db();
  return loss;
}

// The float tensor a weight was made from; what is stored is its own where it is still float.
Result<TensorPtr> original_of(const StoredWeight& weight, const Counterpart& counterpart) {
  const TensorPtr found = weight_behind(counterpart.value);
  if (found && is_float(found->type)) return found;
  if (weight.quantize != nullptr) return weight.stored;
  return fail(Fault::not_found,
              counterpart.value == nullptr
                  ? "the float model has no counterpart of it"
                  : "the float model computes '" + counterpart.value->name() + "'");
}

struct WeightSums {
  ErrorSums error;
  RangeCounts range;  // in half precision
};

Result<WeightSums> compare_sums(const StoredWeight& weight, const Tensor& original) {
  WeightSums sums;
  HONE_TRY(sums.error, compare_weight(weight, original));
  if (is_half(weight.type)) HONE_TRY_DO(sums.range.add(original, weight.type));
  return sums;
}

void add_weight(const StoredWeight& weight, const Counterpart& counterpart,
                const Result<WeightSums>& sums, DebugResult& result) {
  if (!sums) {
    result.unmatched.push_back({weight.after->name(), "weight", sums.error().what});
    return;
  }
  WeightLoss& loss = result.weights.emplace_back();
  loss.weight_name = counterpart.value != nullptr ? counterpart.value->name()
                                                  : without_suffix(weight.after->name());
  loss.weight_sqnr_db = sums->error.sqnr_db();
  loss.exact = sums->error.is_exact();
  loss.max_abs_error = sums->error.error();
  loss.overflow = sums->range.overflow;
  loss.underflow = sums->range.underflow;
  loss.type = name_of(weight.type);
  place(node_of(*weight.after), loss);
}

// Compares weights beside the rest: opening sessions leaves CPUs idle.
class WeightComparison {
 public:
  // REQUIRES: `quantization` outlives this. The counterparts are asked now, and not later.
  WeightComparison(const Quantization& quantization, const Counterparts& counterparts)
      : weights_(quantization.weights), sums_(weights_.size(), WeightSums()) {
    for (const StoredWeight& weight : weights_) {
      counterparts_.push_back(counterparts.of(*weight.after, *weight.after));
      originals_.push_back(original_of(weight, counterparts_.back()));
    }
    thread_ = std::jthread([this] { compare(); });
  }

  void finish(DebugResult& result) {
    thread_.join();
    result.times_ms.weights = milliseconds_;
    for (std::size_t i = 0; i < weights_.size(); ++i)
      add_weight(weights_[i], counterparts_[i], sums_[i], result);
  }

 private:
  void compare() {
    const auto start = Clock::now();
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      sums_[i] = originals_[i] ? compare_sums(weights_[i], **originals_[i])
                               : Result<WeightSums>(fail(originals_[i].error()));
    }
    milliseconds_ = milliseconds_since(start);
  }

  const std::vector<StoredWeight>& weights_;
  std::vector<Counterpart> counterparts_;
  std::vector<Result<TensorPtr>> originals_;
  std::vector<Result<WeightSums>> sums_;
  double milliseconds_ = 0;
  std::jthread thread_;  // the last member: it uses the others
};

template <class Loss, class Member>
LossSummary summary_of(const std::vector<Loss>& losses, Member member) {
  std::vector<std::optional<double>> decibels;
  for (const Loss& loss : losses) decibels.push_back(loss.*member);
  return summarize(decibels);
}

void conclude(const Tracks& tracks, bool has_device, DebugResult& result) {
  for (const Track& track : tracks.tensors) {
    if (!track.problem.empty())
      result.unmatched.push_back({track.rounded.before->name(), "activation", track.problem});
    result.activations.push_back(loss_of(track, has_device));
  }
  const auto inputs = inputs_of(tracks.tensors);
  classify(inputs, result.activations);
  blame_weights(inputs, result.weights, result.activations);
  if (result.half) classify_halves(inputs, result.weights, result.activations, *result.half);
  for (const OutputTrack& track : tracks.outputs) {
    if (!track.problem.empty())
      result.unmatched.push_back({track.original->name(), "output", track.problem});
    result.model_outputs.push_back(loss_of(track));
  }
  result.summary.local = summary_of(result.activations, &ActivationLoss::local_sqnr_db);
  result.summary.cumulative = summary_of(result.activations, &ActivationLoss::cumulative_sqnr_db);
  result.summary.weight = summary_of(result.weights, &WeightLoss::weight_sqnr_db);
}

Status check_is_quantized(const Quantization& quantization) {
  if (!quantization.tensors.empty() || !quantization.weights.empty() || !quantization.odd.empty())
    return done();
  return fail(Fault::bad_input, "the quantized model holds nothing quantized",
              "it has no QuantizeLinear, no DequantizeLinear and no half precision",
              "--quant-model takes what hone quantize made; --float-model what it was made from");
}

void add_halves(const Halves& halves, Quantization& quantization, DebugResult& result) {
  if (halves.tensors.empty() && halves.weights.empty()) return;
  const auto append = [](const auto& from, auto& to) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(halves.tensors, quantization.tensors);
  append(halves.weights, quantization.weights);
  std::set<std::string> types;
  for (const auto& [value, type] : halves.types) types.insert(name_of(type));
  result.half = HalfSummary{};
  result.half->type = join(std::vector<std::string>(types.begin(), types.end()), ", ");
}

struct Attempt {
  const std::shared_ptr<Runtime>& runtime;
  const Model& float_model;
  const Model& quantized_model;
  SampleStream& samples;
  const DebugOptions& options;
  const DebugProgress& progress;
};

Result<DebugResult> debug_once(const Attempt& attempt, bool with_subgraphs) {
  const auto start = Clock::now();
  Model float_model = clone(attempt.float_model);
  Model quantized_model = clone(attempt.quantized_model);
  DebugResult result;
  Model as_it_is = clone(attempt.quantized_model);
  Halves halves;
  if (has_half(quantized_model)) {
    HONE_TRY(halves, round_halves(quantized_model));
  }
  Quantization quantization = find_quantization(quantized_model);
  add_halves(halves, quantization, result);
  HONE_TRY_DO(check_is_quantized(quantization));
  result.float_model = attempt.float_model.source.string();
  result.quant_model = attempt.quantized_model.source.string();
  result.ep = ep_short_name(attempt.options.device.target.ep);
  result.unmatched = quantization.odd;
  const Counterparts counterparts(float_model, quantized_model);
  WeightComparison weights(quantization, counterparts);
  Tracks tracks = make_tracks(float_model, quantized_model, quantization, counterparts,
                              with_subgraphs, result.unmatched);
  if (result.half) HONE_TRY_DO(add_shadows(float_model, halves, counterparts, tracks));
  Model& on_device = result.half ? as_it_is : quantized_model;
  SideBySide side_by_side(attempt.runtime, {float_model, quantized_model, on_device}, tracks,
                          attempt.options, attempt.progress);
  HONE_TRY_DO(side_by_side.run(attempt.samples, result));
  weights.finish(result);
  conclude(tracks, result.ep != "cpu", result);
  result.times_ms.total = milliseconds_since(start);
  return result;
}

bool has_subgraphs(const Model& model) {
  return std::ranges::any_of(model.graph->nodes(),
                             [](const Node& node) { return !node.subgraphs().empty(); });
}

}  // namespace

Result<DebugResult> debug_models(const std::shared_ptr<Runtime>& runtime, const Model& float_model,
                                 const Model& quantized_model, SampleStream& samples,
                                 const DebugOptions& options, const DebugProgress& progress) {
  const Attempt attempt{runtime, float_model, quantized_model, samples, options, progress};
  Result<DebugResult> result = debug_once(attempt, true);
  if (result || !has_subgraphs(quantized_model)) return result;
  // The turns of a loop may differ in shape, and then cannot be stacked.
  Result<DebugResult> without = debug_once(attempt, false);
  if (without) {
    without->notes.push_back("tensors in subgraphs are left out: " + result.error().what + " (" +
                             result.error().cause + ")");
  }
  return without;
}

}  // namespace hone
