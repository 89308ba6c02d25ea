#include "flow/debug.h"

#include "base/misuse.h"
#include "flow/given_model.h"
#include "flow/inputs.h"
#include "flow/job.h"
#include "inspect/debug/debug.h"
#include "runtime/prepared.h"

namespace hone {
namespace {

constexpr std::size_t default_random_samples = 4;

Status check(const DebugOrder& order) {
  constexpr std::int64_t most_memory_mib = 1 << 20;
  if (order.samples < 0) return misuse("'samples' is a number of samples", "0 takes all of them");
  if (order.memory_mib < 1 || order.memory_mib > most_memory_mib)
    return misuse("'memory_mib' cannot be " + std::to_string(order.memory_mib),
                  "it takes 1 to " + std::to_string(most_memory_mib));
  return done();
}

Result<SampleStream> open_samples(const DebugOrder& order, const std::string& shape_config,
                                  const Model& model) {
  const auto limit = static_cast<std::size_t>(order.samples);
  if (!order.input_data.empty()) {
    return SampleStream::from_files(order.input_data, input_ports(model),
                                    limit > 0 ? limit : SampleStream::no_limit);
  }
  HONE_TRY(ShapeRules rules, parse_shape_rules(shape_config));
  return SampleStream::from_seed(input_ports(model), std::move(rules), read_input_facts(model),
                                 order.seed, limit > 0 ? limit : default_random_samples);
}

DebugOptions options_of(const DebugOrder& order, const RunPlan& plan) {
  DebugOptions options;
  options.memory_bytes = static_cast<std::uint64_t>(order.memory_mib) << 20;
  options.threads = plan.threads;
  options.device = settings_of(plan);
  return options;
}

void add_origin(const DebugOrder& order, const SampleStream& samples, DebugResult& result) {
  result.samples_from =
      samples.is_seeded() ? "seed " + std::to_string(order.seed) : order.input_data;
  if (samples.is_seeded()) {
    result.notes.push_back(
        "random samples say little about real ones: give some with --input-data");
  }
}

}  // namespace

Result<DebugResult> debug_model(const DebugOrder& order, const Watch& watch) {
  HONE_TRY_DO(check(order));
  HONE_TRY(const Path float_path, find_model_file(order.float_model, order.where.host));
  HONE_TRY(const GivenModel quantized, find_model(order.quant_model, order.where));
  HONE_TRY(const RunPlan plan, plan_of(quantized));
  HONE_TRY(
      const SettledInputs inputs,
      settle_inputs(quantized.where, {float_path, order.input_data, order.shape_config, order.seed},
                    {quantized.file}));
  HONE_TRY(const Model float_model, load_model(float_path));
  HONE_TRY(const Model quant_model, load_model(quantized.file));
  HONE_TRY(SampleStream samples, open_samples(order, inputs.shape_config, float_model));
  HONE_TRY(const std::shared_ptr<Runtime> runtime, start_runtime(plan));
  const auto progress = [&](std::uint64_t steps, std::uint64_t total) {
    watch.step("running both models, steps", steps, total);
  };
  HONE_TRY(DebugResult result, debug_models(runtime, float_model, quant_model, samples,
                                            options_of(order, plan), progress));
  result.notes.insert(result.notes.begin(), quantized.notes.begin(), quantized.notes.end());
  add_origin(order, samples, result);
  result.notes.insert(result.notes.end(), inputs.notes.begin(), inputs.notes.end());
  return result;
}

Job jobs::debug() { return job_of(debug_model); }

}  // namespace hone
