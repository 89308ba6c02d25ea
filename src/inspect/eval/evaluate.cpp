#include "inspect/eval/evaluate.h"

#include <algorithm>

#include "base/counted.h"
#include "base/misuse.h"
#include "base/text.h"
#include "inspect/eval/intervals.h"
#include "inspect/eval/tally.h"

namespace hone {
namespace {

constexpr std::size_t most_misses = 20;

// One of the models, and its judge.
struct Side {
  const Answerer* model;
  std::unique_ptr<Judge> judge;
  std::vector<Unit> units;  // that were judged, and not counted yet
};

Result<Side> open_side(const Answerer& model, const EvaluateRequest& request) {
  TaskSettings settings = request.settings;
  if (model.outputs.empty()) return fail(Fault::bad_input, "the model has no outputs");
  if (settings.output.empty()) settings.output = model.outputs.front().name;
  for (const Port& port : model.outputs) settings.outputs.push_back(port.name);
  HONE_TRY(std::unique_ptr<Judge> judge, request.task.open(settings));
  return Side{&model, std::move(judge), {}};
}

void note_miss(const Unit& unit, std::uint64_t index, EvalReport& report) {
  if (unit.expected == unit.got || report.misses.size() >= most_misses) return;
  report.misses.push_back({index, unit.expected, unit.got});
}

Result<NamedTensors> run_side(Side& side, const LabelledSample& labelled) {
  Sample sample = labelled.sample;
  HONE_TRY_DO(side.judge->prepare(sample, labelled.label));
  return side.model->answer(sample);
}

Status judge_side(Side& side, const Judged& judged) {
  HONE_TRY(std::optional<Unit> unit, side.judge->judge(judged));
  if (unit) side.units.push_back(*std::move(unit));
  return done();
}

// Both models have been through the same samples, and so have judged the same units.
void count_units(Side& model, Side* reference, Tally& tally, EvalReport& report) {
  for (std::size_t i = 0; i < model.units.size(); ++i) {
    note_miss(model.units[i], tally.units(), report);
    tally.add(model.units[i], reference != nullptr ? &reference->units[i] : nullptr);
  }
  model.units.clear();
  if (reference != nullptr) reference->units.clear();
}

bool counts(std::uint64_t index, SampleShare share) {
  return share == SampleShare::all || (index % 2 == 0) == (share == SampleShare::even);
}

Status run_sample(Side& model, Side* reference, const LabelledSample& sample) {
  NamedTensors expected;
  if (reference != nullptr) {
    HONE_TRY(expected, run_side(*reference, sample));
    HONE_TRY_DO(judge_side(*reference, {expected, &expected, sample.label}));
  }
  HONE_TRY(const NamedTensors outputs, run_side(model, sample));
  const NamedTensors* wanted = reference != nullptr ? &expected : nullptr;
  return judge_side(model, {outputs, wanted, sample.label});
}

Status run_all(Side& model, Side* reference, EvalData& data, const EvaluateRequest& request,
               Tally& tally, EvalReport& report) {
  std::optional<std::uint64_t> row;
  while (true) {
    HONE_TRY(const std::optional<LabelledSample> sample, data.next());
    if (!sample) break;
    if (!counts(sample->row, request.share)) continue;
    HONE_TRY_DO(run_sample(model, reference, *sample));
    count_units(model, reference, tally, report);
    // A row may be several samples: windows of a long text, frames of a clip.
    if (row != sample->row) ++report.samples;
    row = sample->row;
    if (request.progress) request.progress(report.samples, data.size());
  }
  model.units = model.judge->finish();
  if (reference != nullptr) reference->units = reference->judge->finish();
  count_units(model, reference, tally, report);
  return done();
}

Status check_request(const EvaluateRequest& request, const Answerer* reference,
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

Failure no_units(const EvalData& data) {
  const EvalSamples used = data.used();
  if (used.broken == 0) return fail(Fault::bad_input, "there is no sample in the data");
  const BrokenRow& first = used.broken_rows.front();
  return fail(Fault::bad_input, "no row of the data can be used", first.where + ": " + first.why,
              "hone eval --schema TASK says what a row holds");
}

}  // namespace

Answerer answerer_of(const Session& session) {
  return {.outputs = session.outputs(),
          .answer = [&session](const Sample& sample) { return session.run(sample); }};
}

Status evaluate(const Session& model, const Session* reference, EvalData& data,
                const EvaluateRequest& request, EvalReport& report) {
  const Answerer own = answerer_of(model);
  std::optional<Answerer> other;
  if (reference != nullptr) other = answerer_of(*reference);
  return evaluate(own, other ? &*other : nullptr, data, request, report);
}

Status evaluate(const Answerer& model, const Answerer* reference, EvalData& data,
                const EvaluateRequest& request, EvalReport& report) {
  HONE_TRY_DO(check_request(request, reference, data));
  HONE_TRY(Side own, open_side(model, request));
  std::optional<Side> other;
  if (reference != nullptr) {
    HONE_TRY(other, open_side(*reference, request));
  }
  Tally tally(request.task.metrics, other.has_value());
  HONE_TRY_DO(run_all(own, other ? &*other : nullptr, data, request, tally, report));
  if (tally.units() == 0) return no_units(data);
  report.metrics = tally.metrics(request.seed);
  report.used = data.used();
  report.processing = data.described();
  report.processing.merge(own.judge->described());
  if (report.used.broken > 0) {
    report.notes.push_back(counted(report.used.broken, "row") +
                           " of the data could not be used and " +
                           (report.used.broken == 1 ? "does" : "do") +
                           " not count: " + report.used.broken_rows.front().where + ": " +
                           report.used.broken_rows.front().why);
  }
  if (request.max_drop && reference != nullptr)
    report.verdict = judge_inferiority(report.metrics.front(), *request.max_drop);
  return done();
}

}  // namespace hone
