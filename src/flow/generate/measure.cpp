#include "flow/generate/measure.h"

#include <algorithm>

#include "base/misuse.h"
#include "base/text.h"
#include "flow/generate/source.h"
#include "flow/job.h"
#include "flow/where.h"
#include "measure/percentile.h"
#include "measure/sessions.h"

namespace hone {
namespace {

double milliseconds_since(std::int64_t start_ns) {
  return static_cast<double>(now_ns() - start_ns) / 1e6;
}

struct OpenTrial {
  WritingModel model;
  GenerationSettings settings;
  OpenNetwork open;
};

std::vector<std::int64_t> random_tokens(std::int64_t count, std::uint64_t vocabulary,
                                        std::uint64_t seed) {
  Random random(mix64(seed));
  std::vector<std::int64_t> tokens;
  for (std::int64_t i = 0; i < count; ++i)
    tokens.push_back(static_cast<std::int64_t>(random.below(vocabulary)));
  return tokens;
}

// Zeros of the size that an input of a picture or a sound has.
Result<TensorPtr> zeros_for(const Port& port) {
  std::vector<std::int64_t> dims;
  const Shape shape = port.type.shape.value_or(Shape());
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0 && !shape[i].value)
      return fail(Fault::unsupported,
                  "the encoder's input '" + printable(port.name) + "' has an open size",
                  to_string(port.type), "hone fix-shapes gives it one");
    dims.push_back(i == 0 ? 1 : *shape[i].value);
  }
  const auto elements = count_elements(dims);
  const auto bytes = elements ? bytes_of(port.type.element, *elements) : std::nullopt;
  if (!bytes || *bytes > (std::uint64_t{1} << 30))
    return fail(Fault::unsupported,
                "the encoder's input '" + printable(port.name) + "' is too large");
  return make_tensor(port.name, port.type.element, dims, Blob::own(std::string(*bytes, '\0')));
}

Result<NamedTensors> source_of(const std::vector<Port>& ports,
                               const std::vector<std::int64_t>& tokens) {
  NamedTensors source;
  const std::vector<std::int64_t> ones(tokens.size(), 1);
  const std::vector<std::int64_t> dims = {1, static_cast<std::int64_t>(tokens.size())};
  for (const Port& port : ports) {
    const bool is_mask = port.name == "attention_mask";
    if (is_mask || port.name == "input_ids") {
      HONE_TRY(source[port.name], whole_numbers(port, dims, is_mask ? ones : tokens));
    } else {
      HONE_TRY(source[port.name], zeros_for(port));
    }
  }
  return source;
}

Status check_sizes(const GenerationSizes& sizes, const OpenTrial& trial) {
  const bool has_encoder = trial.open.network->has_encoder();
  const std::int64_t in_front =
      has_encoder ? static_cast<std::int64_t>(trial.settings.opening.size()) : sizes.prompt_tokens;
  const std::int64_t context = trial.settings.context;
  if (context == 0 || in_front + sizes.output_tokens <= context) return done();
  return misuse("the model takes " + std::to_string(context) + " tokens, fewer than " +
                    std::to_string(in_front) + " and " + std::to_string(sizes.output_tokens),
                "smaller --prompt-tokens or --output-tokens");
}

// Writes it once.
Result<GenerationTimes> write_once(OpenTrial& trial, const GenerationSizes& sizes,
                                   std::uint64_t seed) {
  Network& network = *trial.open.network;
  ChoiceRules rules;
  rules.max_tokens = sizes.output_tokens;
  HONE_TRY(const std::uint64_t vocabulary, network.vocabulary());
  std::vector<std::int64_t> prompt = random_tokens(sizes.prompt_tokens, vocabulary, seed);
  const std::int64_t started = now_ns();
  if (network.has_encoder()) {
    HONE_TRY(const NamedTensors source, source_of(network.source_ports(), prompt));
    HONE_TRY_DO(network.encode(source));
    HONE_TRY(prompt, settle_opening(network, trial.settings.opening));
  }
  HONE_TRY(Generation made, write_texts(network, {prompt}, rules, {}, started));
  return std::move(made.times);
}

Result<GenerationSamples> measure_sizes(OpenTrial& trial, const GenerationTrialOrder& order,
                                        const GenerationSizes& sizes) {
  HONE_TRY_DO(check_sizes(sizes, trial));
  GenerationSamples samples{.sizes = sizes, .first_token_ms = {}, .step_ms = {}};
  for (std::int64_t i = 0; i <= order.repeats; ++i) {
    HONE_TRY(const GenerationTimes times, write_once(trial, sizes, order.seed));
    if (i == 0) continue;  // arenas grow, and kernels choose how they run
    samples.first_token_ms.push_back(times.first_token_ms);
    samples.step_ms.insert(samples.step_ms.end(), times.step_ms.begin(), times.step_ms.end());
  }
  return samples;
}

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : quantile(values, 50);
}

using SamplesOf = std::vector<double> GenerationSamples::*;

PerfSessions sessions_of(const std::vector<GenerationTrial>& trials, std::size_t at,
                         SamplesOf which) {
  std::vector<PerfSession> sessions;
  for (const GenerationTrial& trial : trials) {
    const std::vector<double>& values = trial.samples[at].*which;
    sessions.push_back({.p50_ms = median_of(values), .iterations = values.size()});
  }
  return summarize_sessions(std::move(sessions));
}

GenerationPoint point_of(const std::vector<GenerationTrial>& trials, std::size_t at) {
  GenerationPoint point;
  point.sizes = trials.front().samples[at].sizes;
  point.first_token = sessions_of(trials, at, &GenerationSamples::first_token_ms);
  point.per_token = sessions_of(trials, at, &GenerationSamples::step_ms);
  std::vector<double> steps;
  for (const GenerationTrial& trial : trials) {
    const std::vector<double>& own = trial.samples[at].step_ms;
    steps.insert(steps.end(), own.begin(), own.end());
  }
  std::ranges::sort(steps);
  if (!steps.empty()) {
    point.p90_ms = percentile(steps, 90).value;
    point.p95_ms = percentile(steps, 95).value;
    point.p99_ms = percentile(steps, 99).value;
  }
  if (point.per_token.latency_ms) point.tokens_per_second = 1000 / *point.per_token.latency_ms;
  if (point.first_token.latency_ms)
    point.prefill_tokens_per_second =
        static_cast<double>(point.sizes.prompt_tokens) * 1000 / *point.first_token.latency_ms;
  return point;
}

GenerationPerf summarize(const GenerationPerfOrder& order,
                         const std::vector<GenerationTrial>& trials) {
  const GenerationTrial& first = trials.front();
  GenerationPerf perf;
  perf.model = order.trial.model;
  perf.parts = first.parts;
  perf.target = first.target;
  perf.runtime_version = first.runtime_version;
  perf.sessions = static_cast<std::int64_t>(trials.size());
  perf.repeats = order.trial.repeats;
  for (std::size_t at = 0; at < first.samples.size(); ++at)
    perf.points.push_back(point_of(trials, at));
  perf.cache_bytes_per_token = first.cache_bytes_per_token;
  std::vector<PerfSession> loads;
  for (const GenerationTrial& trial : trials)
    loads.push_back({.p50_ms = trial.load_ms, .iterations = 1});
  perf.load = summarize_sessions(std::move(loads));
  perf.notes = first.notes;
  perf.repeat = order.repeat;
  return perf;
}

}  // namespace

Result<GenerationTrial> try_generation(const GenerationTrialOrder& order, const Watch& watch) {
  OpenTrial opened;
  HONE_TRY(opened.model, find_writing_model(order.model, order.where, watch));
  HONE_TRY(opened.settings, generation_settings_of(opened.model, nullptr));
  const std::int64_t started = now_ns();
  HONE_TRY(opened.open, open_network(opened.model.parts, false));
  GenerationTrial trial;
  trial.load_ms = milliseconds_since(started);
  for (const Placement& placement : opened.open.placements)
    HONE_TRY_DO(check_placement(order.where, placement));
  for (const GenerationSizes& sizes : order.sizes) {
    HONE_TRY(trial.samples.emplace_back(), measure_sizes(opened, order, sizes));
  }
  HONE_TRY(trial.cache_bytes_per_token, opened.open.network->cache_bytes_per_token());
  trial.parts = opened.open.network->part_names();
  trial.target = opened.model.parts.front().plan.target;
  trial.runtime_version = opened.open.runtime->version();
  trial.notes = opened.model.notes;
  return trial;
}

Result<GenerationPerf> measure_generation(const GenerationPerfOrder& order, const Watch& watch) {
  const JobLimits limits{.time = std::chrono::seconds(order.timeout_s)};
  std::vector<GenerationTrial> trials;
  for (std::int64_t i = 0; i < order.sessions; ++i) {
    watch.step("measuring, sessions", static_cast<std::uint64_t>(i),
               static_cast<std::uint64_t>(order.sessions));
    Result<GenerationTrial> trial =
        run_apart(order.trial, order.trial.where.host.program, limits, watch);
    const bool is_stopped = watch.stop != nullptr && *watch.stop;
    if (!trial && is_stopped && !trials.empty()) break;
    HONE_TRY(trials.emplace_back(), std::move(trial));
  }
  return summarize(order, trials);
}

Job jobs::generation_trial() { return job_of(try_generation); }

}  // namespace hone
