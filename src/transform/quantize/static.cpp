#include "transform/quantize/static.h"

#include <algorithm>
#include <chrono>

#include "base/counted.h"
#include "base/misuse.h"
#include "base/text.h"
#include "model/opset/convert.h"
#include "runtime/infer.h"
#include "transform/quantize/inner_nodes.h"
#include "transform/quantize/insert.h"
#include "transform/quantize/selection.h"

namespace hone {
namespace {

constexpr auto own_domain = "com.microsoft";

ElementType unsigned_of(ElementType type) {
  if (type == ElementType::int8) return ElementType::uint8;
  return type == ElementType::int16 ? ElementType::uint16 : type;
}

// The user's word, else the precision's as the preset likes it.
Status choose_types(const Precision& precision, QuantizeJob& job) {
  QuantizeSettings& settings = job.settings;
  const bool is_unsigned =
      settings.preset.prefers_unsigned_weights && bits_of(weight_type_of(precision)) == 8;
  settings.weight_type =
      is_unsigned ? unsigned_of(weight_type_of(precision)) : weight_type_of(precision);
  settings.activation_type = activation_type_of(precision);
  if (job.weight_type != ElementType::undefined) settings.weight_type = job.weight_type;
  if (job.activation_type != ElementType::undefined) settings.activation_type = job.activation_type;
  if (settings.activation_type == ElementType::int8 && settings.weight_type == ElementType::uint8) {
    return misuse("int8 activations with uint8 weights run nowhere",
                  "--weight-type int8, or --activation-type uint8");
  }
  return done();
}

bool uses_16_bits(const QuantizeSettings& settings) {
  return bits_of(settings.weight_type) == 16 || bits_of(settings.activation_type) == 16 ||
         std::ranges::any_of(settings.overrides, [](const auto& entry) {
           return entry.second.type && bits_of(*entry.second.type) == 16;
         });
}

// Which definition of QuantizeLinear the model needs, and gets. Returns the domain of its nodes.
Result<std::string> raise_opset(Model& model, QuantizeJob& job) {
  const bool is_wide = uses_16_bits(job.settings);
  if (is_wide && job.settings.preset.keeps_opset && model.opset() < 21)
    return std::string(own_domain);
  // 11 is where ops stop changing their form; axes came with 13, 16 bits with 21.
  int least = 11;
  if (job.settings.per_channel || !job.settings.overrides.empty()) least = 13;
  if (is_wide) least = 21;
  if (model.opset() >= least) return std::string();
  const auto report = convert_opset(model, least);
  if (report) return std::string();
  if (!is_wide) return fail(report.error());
  job.result.notes.push_back("the model stays at opset " + std::to_string(model.opset()) +
                             " and uses ONNX Runtime's own QuantizeLinear: " + report.error().what);
  return std::string(own_domain);
}

Status check_overrides(const Model& model, const QuantizeSettings& settings) {
  for (const auto& [name, ignored] : settings.overrides) {
    if (model.graph->find(name) != nullptr) continue;
    std::vector<std::string> names;
    for (const Value* value : model.graph->values()) names.push_back(value->name());
    const std::string near = nearest(name, names);
    return misuse("the overrides name '" + printable(name) + "', and the model has no such tensor",
                  near.empty() ? "" : "did you mean '" + printable(near) + "'?");
  }
  return done();
}

// The hint is of what was not given.
Failure nothing_to_quantize(const QuantizeSettings& settings, const InnerNodes& inner) {
  const std::string what = "there is nothing to quantize";
  if (inner.count > 0) {
    return fail(
        Fault::bad_input, what,
        "it is all in subgraphs: " + inner.words + ", where static quantization cannot calibrate",
        "--precision dynamic and fp16 reach inside");
  }
  const std::string preset = "preset " + std::string(settings.preset.name);
  const bool is_named = !settings.include.empty();
  std::vector<std::string> hints;
  if (settings.preset.op_bit != 0) hints.emplace_back("--preset qnn takes every op");
  hints.emplace_back(is_named ? "name nodes that compute, like Conv and MatMul"
                              : "--include names nodes");
  return fail(Fault::bad_input, what,
              is_named ? "of the nodes that --include names, " + preset + " quantizes no tensor"
                       : preset + " takes no node of the model" +
                             (settings.exclude.empty() ? "" : " that --exclude leaves"),
              join(hints, "; "));
}

CalibrationPlan calibration_plan(const QuantizePlan& plan, const QuantizeSettings& settings) {
  CalibrationPlan calibration;
  calibration.tensors = tensors_to_measure(plan, settings);
  calibration.method = settings.method;
  calibration.settings = settings.method_settings;
  if (settings.method.has_bins_of_preset) calibration.bins = settings.preset.entropy_bins;
  return calibration;
}

Result<Calibration> measure(const Model& original, const QuantizePlan& plan, QuantizeJob& job) {
  const CalibrationPlan calibration = calibration_plan(plan, job.settings);
  if (calibration.tensors.empty()) return Calibration();
  return calibrate(job.runtime, original, job.samples, calibration, job.calibration_file,
                   job.progress);
}

QuantizedRangeFacts facts_of(const TensorPlan& tensor, const TensorScales& scales,
                             const Calibration& calibration) {
  QuantizedRangeFacts facts;
  facts.tensor = tensor.value->name();
  facts.kind = tensor.constant ? QuantizedKind::weight : QuantizedKind::activation;
  facts.type = name_of(scales.type);
  if (tensor.constant) return facts;
  if (tensor.shares != nullptr) facts.shares = tensor.shares->name();
  const auto measured = calibration.tensors.find(tensor.measured_at);
  if (tensor.fixed_range) {
    facts.low = tensor.fixed_range->low;
    facts.high = tensor.fixed_range->high;
  } else if (measured != calibration.tensors.end() && tensor.shares == nullptr) {
    facts.low = measured->second.range.low;
    facts.high = measured->second.range.high;
    facts.movement = measured->second.movement;
  }
  return facts;
}

// Settled when leaving out half of the samples would move no range by much.
void judge_sufficiency(const Calibration& calibration, QuantizeResult& result) {
  result.ranges_sufficient = calibration.tensors.empty() || calibration.samples >= 2;
  if (!result.ranges_sufficient) {
    result.notes.push_back("one sample cannot show whether more would move the ranges");
    return;
  }
  std::size_t moving = 0;
  double most = 0;
  std::string farthest;
  for (const auto& [name, tensor] : calibration.tensors) {
    const double movement = tensor.movement.value_or(0);
    moving += movement > settled_movement ? 1 : 0;
    if (movement > most) farthest = name;
    most = std::max(most, movement);
  }
  if (moving == 0) return;
  result.ranges_sufficient = false;
  result.notes.push_back("more samples would still move the ranges of " + std::to_string(moving) +
                         " of " + std::to_string(calibration.tensors.size()) +
                         " tensors; half of the " + std::to_string(calibration.samples) + " miss " +
                         std::to_string(static_cast<int>(most * 100)) + " % of '" + farthest + "'");
}

void record(const QuantizePlan& plan, const ScaleMap& scales, const Calibration& calibration,
            const QuantizeSettings& settings, QuantizeResult& result) {
  result.method = settings.method.name;
  result.nodes_quantized += plan.quantized_nodes;
  result.nodes_removed += plan.removed_nodes;
  result.samples = calibration.samples;
  for (const TensorPlan& tensor : plan.tensors) {
    const auto found = scales.find(tensor.value);
    if (found != scales.end())
      result.ranges.push_back(facts_of(tensor, found->second, calibration));
  }
  result.notes.insert(result.notes.end(), plan.notes.begin(), plan.notes.end());
  judge_sufficiency(calibration, result);
}

void record(const InsertReport& report, QuantizeResult& result) {
  result.activations += report.activations;
  result.weights += report.weights;
  result.biases += report.biases;
  result.tensors += report.activations + report.weights + report.biases;
  result.nodes_inserted += report.nodes;
  result.notes.insert(result.notes.end(), report.notes.begin(), report.notes.end());
}

// Milliseconds since it was made or last asked.
class Stopwatch {
 public:
  double lap() {
    const auto now = Clock::now();
    const std::chrono::duration<double, std::milli> elapsed = now - start_;
    start_ = now;
    return elapsed.count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

Status apply_static(Model& model, const Precision& precision, QuantizeJob& job) {
  Stopwatch watch;
  QuantizeResult& result = job.result;
  HONE_TRY_DO(choose_types(precision, job));
  HONE_TRY_DO(check_overrides(model, job.settings));
  HONE_TRY(const std::string domain, raise_opset(model, job));
  HONE_TRY_DO(infer_types(job.runtime, job.probe_library, model));
  const Model original = clone(model);
  HONE_TRY(const QuantizePlan plan, make_plan(model, job.settings));
  const InnerNodes inner =
      find_inner_nodes(model, [&](const Node& node) { return is_selected(node, job.settings); });
  if (plan.tensors.empty()) return nothing_to_quantize(job.settings, inner);
  if (inner.count > 0) {
    result.notes.push_back(inner.words +
                           ", where nothing can be calibrated: left in float "
                           "(--precision dynamic reaches inside)");
  }
  if (plan.weights_as_activations > 0) {
    result.notes.push_back(
        counted(plan.weights_as_activations, "weight") +
        " in Constant nodes, which ONNX Runtime's tools take for activations: they are float32 "
        "in the result "
        "(hone optimize makes them weights, and so does --preset cpu)");
  }
  if (job.samples_are_random) {
    result.notes.push_back(
        "calibrated on random samples: ranges of real ones differ (--calibration-data)");
  }
  result.times_ms.infer = watch.lap();
  HONE_TRY(Calibration calibration, measure(original, plan, job));
  result.times_ms.calibrate = watch.lap();
  result.times_ms.in_run += std::chrono::duration<double, std::milli>(calibration.in_run).count();
  Ranges ranges;
  for (const auto& [name, tensor] : calibration.tensors) ranges.emplace(name, tensor.range);
  HONE_TRY(const ScaleMap scales, find_scales(plan, job.settings, ranges));
  record(plan, scales, calibration, job.settings, result);
  HONE_TRY(const InsertReport report, insert_quantization(model, plan, scales, domain));
  record(report, result);
  result.times_ms.quantize = watch.lap();
  job.float_outputs = std::move(calibration.outputs);
  return done();
}

}  // namespace hone
