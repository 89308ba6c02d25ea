#include "inspect/run/run_model.h"

#include <algorithm>

#include "base/text.h"
#include "model/npz/npz.h"
#include "runtime/numpy_form.h"

namespace hone {
namespace {

Result<SummaryRules> summary_rules(const RunRequest& request, const Model& model) {
  SummaryRules rules{.top = request.top, .labels = {}};
  if (request.labels.empty()) {
    rules.labels = find_labels(model, request.inputs.plan.model);
  } else {
    HONE_TRY(rules.labels, read_labels(request.labels));
  }
  return rules;
}

// The declared type of an output that is no tensor.
std::string declared_type(const Model& model, const std::string& name) {
  for (const Value* output : model.graph->outputs()) {
    if (output->name() == name) return to_string(output->type);
  }
  return "unknown";
}

class Runs {
 public:
  Runs(const RunRequest& request, const Model& model, SummaryRules rules, Worker worker,
       TemporaryFolder folder, RunReport& report)
      : request_(request),
        model_(model),
        rules_(std::move(rules)),
        worker_(std::move(worker)),
        folder_(std::move(folder)),
        report_(report) {}

  Result<WorkerOpened> open() { return worker_.open_session(request_.inputs.plan); }

  Status run(const FedSample& sample, const std::vector<Port>& ports) {
    const std::string number = std::to_string(report_.samples++);
    RunOfSample& run = report_.runs.emplace_back();
    run.sample = report_.samples - 1;
    for (const Port& port : ports) run.inputs.push_back(describe_input(sample.at(port.name), port));
    const Path inputs = folder_.path() / ("inputs-" + number + ".npz");
    const Path outputs = folder_.path() / ("outputs-" + number + ".npz");
    HONE_TRY_DO(write_inputs(sample, inputs));
    HONE_TRY(const WorkerAnswered answered, worker_.answer(inputs, outputs));
    HONE_TRY(const std::vector<TensorPtr> arrays, read_npz(outputs));
    for (const WorkerOutput& output : answered.outputs) add_output(output, arrays, run);
    // What is mapped stays until the arrays go.
    std::error_code unimportant;
    std::filesystem::remove(inputs, unimportant);
    std::filesystem::remove(outputs, unimportant);
    if (!request_.output.empty()) kept_.push_back(arrays);
    return done();
  }

  // All arrays of all samples.
  Status write() const {
    if (request_.output.empty()) return done();
    std::vector<TensorPtr> all;
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      for (const TensorPtr& array : kept_[i]) {
        auto named = std::make_shared<Tensor>(*array);
        if (kept_.size() > 1) named->name = std::to_string(i) + "/" + array->name;
        all.push_back(std::move(named));
      }
    }
    return write_npz(request_.output, all);
  }

  // Labels that were asked for and name no class of any output.
  void note_labels() {
    const auto& labels = rules_.labels;
    if (!labels) return;
    std::string scores;
    for (const RunOutput& output : report_.runs.front().outputs) {
      if (!output.top.empty() && output.elements == labels->names.size()) {
        report_.labels_from = labels->from;
        return;
      }
      if (!output.top.empty() && scores.empty())
        scores = ", and '" + printable(output.name) + "' has " + format_count(output.elements);
    }
    if (!request_.labels.empty()) {
      note("the labels are not used: there are " + format_count(labels->names.size()) + " of them" +
           (scores.empty() ? ", and no output looks like scores of classes" : scores));
    }
  }

  void note(const std::string& text) {
    if (std::ranges::find(report_.notes, text) == report_.notes.end())
      report_.notes.push_back(text);
  }

 private:
  static RunInput describe_input(const FedInput& input, const Port& port) {
    return {port.name, name_of(input.tensor->type), input.tensor->dims, input.from};
  }

  static Status write_inputs(const FedSample& sample, const Path& file) {
    std::vector<TensorPtr> arrays;
    for (const auto& [name, input] : sample) {
      arrays.push_back(to_numpy_form(*input.tensor));
      if (arrays.back() == nullptr) {
        return fail(Fault::unsupported, "the input '" + printable(name) + "' is " +
                                            name_of(input.tensor->type) +
                                            ", which cannot be handed over");
      }
    }
    return write_npz(file, arrays);
  }

  void add_output(const WorkerOutput& output, const std::vector<TensorPtr>& arrays,
                  RunOfSample& run) {
    const auto array = std::ranges::find(arrays, output.name, &Tensor::name);
    if (array == arrays.end()) {
      RunOutput& described = run.outputs.emplace_back();
      described.name = output.name;
      described.type = output.type.empty() ? declared_type(model_, output.name) : output.type;
      described.elements = output.entries;
      described.not_saved = output.not_saved;
      return;
    }
    run.outputs.push_back(summarize(**array, rules_));
    run.outputs.back().type = output.type;
    if (output.saved_as && !request_.output.empty()) {
      note(printable(output.name) + " is written as " + *output.saved_as + ": NumPy has no " +
           output.type);
    }
  }

  const RunRequest& request_;
  const Model& model_;
  SummaryRules rules_;
  Worker worker_;
  TemporaryFolder folder_;
  RunReport& report_;
  std::vector<std::vector<TensorPtr>> kept_;
};

Status run_all(Runs& runs, RunInputs& inputs, std::optional<FedSample> sample,
               const RunHooks& hooks) {
  for (std::uint64_t count = 1; sample; ++count) {
    HONE_TRY_DO(runs.run(*sample, inputs.ports()));
    if (hooks.progress) hooks.progress(count, inputs.size());
    HONE_TRY(sample, inputs.next());
  }
  return done();
}

}  // namespace

Result<RunReport> run_model(const RunRequest& request, const Model& model, const RunHooks& hooks) {
  RunReport report;
  HONE_TRY(SummaryRules rules, summary_rules(request, model));
  HONE_TRY(RunInputs inputs, RunInputs::open(request.inputs, model));
  // What is wrong with the first sample is told before a session is opened, which may take minutes.
  HONE_TRY(std::optional<FedSample> first, inputs.next());
  HONE_TRY(Worker worker, Worker::start(request.inputs.program, request.limits));
  HONE_TRY(TemporaryFolder folder, TemporaryFolder::create("run"));
  Runs runs(request, model, std::move(rules), std::move(worker), std::move(folder), report);
  HONE_TRY(const WorkerOpened opened, runs.open());
  if (hooks.accept) HONE_TRY_DO(hooks.accept(opened));
  HONE_TRY_DO(run_all(runs, inputs, std::move(first), hooks));
  for (const std::string& note : inputs.notes()) runs.note(note);
  runs.note_labels();
  HONE_TRY_DO(runs.write());
  report.model = request.inputs.plan.model;
  report.target = request.inputs.plan.target;
  report.device = opened.device;
  report.runtime_version = opened.ort_version;
  report.placement = opened.placement;
  if (!request.output.empty()) report.output = request.output.string();
  return report;
}

}  // namespace hone
