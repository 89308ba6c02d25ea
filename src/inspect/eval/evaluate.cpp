#include "inspect/eval/evaluate.h"

#include <algorithm>

#include "base/misuse.h"
#include "base/text.h"
#include "inspect/eval/intervals.h"

namespace hone {
namespace {

constexpr std::size_t most_misses = 20;

// One of the models, its judge, and the scores it has got: by metric, then by unit.
struct Side {
  const Session* session;
  std::unique_ptr<Judge> judge;
  std::vector<std::vector<double>> scores;
};

Result<Side> open_side(const Session& session, const EvaluateRequest& request) {
  TaskSettings settings = request.settings;
  if (session.outputs().empty()) return fail(Fault::bad_input, "the model has no outputs");
  if (settings.output.empty()) settings.output = session.outputs().front().name;
  HONE_TRY(std::unique_ptr<Judge> judge, request.task.open(settings));
  return Side{&session, std::move(judge),
              std::vector<std::vector<double>>(request.task.metrics.size())};
}

void add_unit(Side& side, const Unit& unit) {
  for (std::size_t i = 0; i < unit.scores.size(); ++i) side.scores[i].push_back(unit.scores[i]);
}

void note_miss(const Unit& unit, std::uint64_t index, EvalReport& report) {
  if (unit.expected == unit.got || report.misses.size() >= most_misses) return;
  report.misses.push_back({index, unit.expected, unit.got});
}

Result<NamedTensors> run_side(Side& side, const LabelledSample& labelled) {
  Sample sample = labelled.sample;
  HONE_TRY_DO(side.judge->prepare(sample, labelled.label));
  return side.session->run(sample);
}

Status judge_side(Side& side, const Judged& judged, EvalReport* report) {
  HONE_TRY(const std::optional<Unit> unit, side.judge->judge(judged));
  if (!unit) return done();
  if (report != nullptr) note_miss(*unit, side.scores.front().size(), *report);
  add_unit(side, *unit);
  return done();
}

void finish_side(Side& side, EvalReport* report) {
  const std::optional<Unit> unit = side.judge->finish();
  if (!unit) return;
  if (report != nullptr) note_miss(*unit, side.scores.front().size(), *report);
  add_unit(side, *unit);
}

bool counts(std::uint64_t index, SampleShare share) {
  return share == SampleShare::all || (index % 2 == 0) == (share == SampleShare::even);
}

Status run_all(Side& model, Side* reference, EvalData& data, const EvaluateRequest& request,
               EvalReport& report) {
  for (std::uint64_t index = 0;; ++index) {
    HONE_TRY(const std::optional<LabelledSample> sample, data.next());
    if (!sample) break;
    if (!counts(index, request.share)) continue;
    NamedTensors expected;
    if (reference != nullptr) {
      HONE_TRY(expected, run_side(*reference, *sample));
      HONE_TRY_DO(judge_side(*reference, {expected, &expected, sample->label}, nullptr));
    }
    HONE_TRY(const NamedTensors outputs, run_side(model, *sample));
    const NamedTensors* wanted = reference != nullptr ? &expected : nullptr;
    HONE_TRY_DO(judge_side(model, {outputs, wanted, sample->label}, &report));
    ++report.samples;
    if (request.progress) request.progress(report.samples, data.size());
  }
  if (reference != nullptr) finish_side(*reference, nullptr);
  finish_side(model, &report);
  return done();
}

std::uint64_t count_ones(const std::vector<double>& scores) {
  return static_cast<std::uint64_t>(std::ranges::count(scores, 1.0));
}

Estimate estimate(const MetricFacts& facts, const std::vector<double>& scores, std::uint64_t seed) {
  return facts.is_yes_no ? wilson_interval(count_ones(scores), scores.size())
                         : bootstrap_interval(scores, seed);
}

MetricDifference difference_of(const MetricFacts& facts, const std::vector<double>& model,
                               const std::vector<double>& reference, std::uint64_t seed) {
  std::vector<double> differences(model.size());
  std::uint64_t lost = 0;
  std::uint64_t gained = 0;
  for (std::size_t i = 0; i < model.size(); ++i) {
    differences[i] = model[i] - reference[i];
    lost += differences[i] < 0 ? 1 : 0;
    gained += differences[i] > 0 ? 1 : 0;
  }
  return facts.is_yes_no ? tango_interval(lost, gained, model.size())
                         : bootstrap_difference(differences, seed);
}

EvalMetric summarize(const MetricFacts& facts, const std::vector<double>& model,
                     const std::vector<double>* reference, std::uint64_t seed) {
  EvalMetric metric;
  metric.name = facts.name;
  metric.model = estimate(facts, model, seed);
  if (reference == nullptr) return metric;
  metric.reference = estimate(facts, *reference, seed);
  metric.difference = difference_of(facts, model, *reference, seed);
  return metric;
}

Status check_request(const EvaluateRequest& request, const Session* reference,
                     const EvalData& data) {
  const Task& task = request.task;
  const std::string name(task.name);
  if (task.needs_labels && !data.is_labelled()) {
    return fail(Fault::bad_input, name + " needs labels, and the data has none",
                "a label is " + std::string(task.label),
                "put a labels.json beside the samples: docs/eval.md");
  }
  if (task.needs_reference && reference == nullptr) {
    return fail(Fault::bad_input, name + " needs a model to compare with", {},
                "give one: --reference MODEL");
  }
  return done();
}

}  // namespace

Status evaluate(const Session& model, const Session* reference, EvalData& data,
                const EvaluateRequest& request, EvalReport& report) {
  HONE_TRY_DO(check_request(request, reference, data));
  HONE_TRY(Side own, open_side(model, request));
  std::optional<Side> other;
  if (reference != nullptr) {
    HONE_TRY(other, open_side(*reference, request));
  }
  HONE_TRY_DO(run_all(own, other ? &*other : nullptr, data, request, report));
  if (own.scores.front().empty()) return fail(Fault::bad_input, "there is no sample in the data");
  for (std::size_t i = 0; i < request.task.metrics.size(); ++i) {
    report.metrics.push_back(summarize(request.task.metrics[i], own.scores[i],
                                       other ? &other->scores[i] : nullptr, request.seed));
  }
  if (request.max_drop && reference != nullptr)
    report.verdict = judge_inferiority(report.metrics.front(), *request.max_drop);
  return done();
}

}  // namespace hone
