#include "flow/eval.h"

#include <algorithm>

#include "flow/generate/writer.h"
#include "flow/given_model.h"
#include "flow/inputs.h"
#include "flow/job.h"
#include "flow/task_data.h"
#include "flow/where.h"
#include "inspect/eval/compare.h"
#include "inspect/eval/dataset.h"
#include "inspect/eval/evaluate.h"
#include "runtime/prepared.h"

namespace hone {
namespace {

// Both models on one runtime.
struct Sessions {
  RunPlan plan;
  RunPlan reference_plan;
  std::shared_ptr<Runtime> runtime;
  std::optional<Session> model;
  std::optional<Session> reference;
  std::vector<std::string> notes;
  std::vector<ModelPlace> places;  // of the model, and of the reference
};

// Two models take turns here. Threads of the one that wait by spinning hold the cores that the
// other needs: a recognizer of text beside its reference took 22 s with them and 15 s without.
void let_threads_sleep(RunPlan& plan) {
  plan.session_options.try_emplace("session.intra_op.allow_spinning", "0");
}

Result<GivenModel> find_reference(const ReferenceModel& reference, const Where& said) {
  Where where = said;
  where.ep = reference.ep;
  where.device = reference.device;
  where.ep_options.clear();
  where.session_options.clear();
  return find_model(reference.model, where);
}

Result<Sessions> open_sessions(const std::string& model, const ReferenceModel& reference,
                               const Where& where) {
  Sessions sessions;
  RunPlan& plan = sessions.plan;
  HONE_TRY(const GivenModel given, find_model(model, where));
  HONE_TRY(plan, plan_of(given));
  sessions.notes = given.notes;
  sessions.places.push_back({given.file, given.exported});
  RunPlan& other = sessions.reference_plan;
  if (!reference.model.empty()) {
    HONE_TRY(const GivenModel found, find_reference(reference, where));
    HONE_TRY(other, plan_of(found));
    sessions.places.push_back({found.file, found.exported});
    for (const std::string& note : found.notes) sessions.notes.push_back("the reference " + note);
    plan.ep_libraries.insert(other.ep_libraries.begin(), other.ep_libraries.end());
    for (RunPlan* each : {&plan, &other}) let_threads_sleep(*each);
  }
  HONE_TRY(sessions.runtime, start_runtime(plan));
  HONE_TRY(sessions.model, Session::open(sessions.runtime, plan.model, settings_of(plan)));
  if (!other.model.empty()) {
    HONE_TRY(sessions.reference, Session::open(sessions.runtime, other.model, settings_of(other)));
  }
  return sessions;
}

std::size_t limit_of(std::int64_t samples) {
  return samples > 0 ? static_cast<std::size_t>(samples) : SampleStream::no_limit;
}

Result<SampleStream> open_samples(const ParityOrder& order, const std::string& shape_config,
                                  const Sessions& sessions) {
  const std::vector<Port>& inputs = sessions.model->inputs();
  if (!order.input_data.empty())
    return SampleStream::from_files(order.input_data, inputs, limit_of(order.samples));
  HONE_TRY(const ShapeRules rules, parse_shape_rules(shape_config));
  HONE_TRY(const Model model, load_model(sessions.plan.model));
  const auto count = static_cast<std::size_t>(order.samples > 0 ? order.samples : 32);
  return SampleStream::from_seed(inputs, rules, read_input_facts(model), order.seed, count);
}

// Both models run on what the first of them runs on.
Result<SettledInputs> settle_samples(const ParityOrder& order) {
  HONE_TRY(const GivenModel model, find_model(order.model, order.where));
  HONE_TRY(const Path reference, find_model_file(order.reference.model, order.where.host));
  return settle_inputs(model.where, {model.file, order.input_data, order.shape_config, order.seed},
                       {reference});
}

ByteProgress counted_for(const Watch& watch, const std::string& doing) {
  return
      [&watch, doing](std::uint64_t done, std::uint64_t total) { watch.step(doing, done, total); };
}

// What is judged, of one session or of several that write, and what there is to say of it.
struct Answering {
  std::shared_ptr<const Sessions> sessions{};  // what the two below run on, where they do not say
  std::optional<Answerer> model{};
  std::optional<Answerer> reference{};
  std::vector<Port> inputs{};
  std::string model_name{};
  std::string reference_name{};
  Target target{};
  Placement placement{};
  std::vector<std::string> notes{};
  std::vector<ModelPlace> places{};
  std::string decoding{};  // of models that write
};

Result<Answering> answering_sessions(const TaskOrder& order) {
  HONE_TRY(Sessions opened, open_sessions(order.model, order.reference, order.where));
  const auto sessions = std::make_shared<const Sessions>(std::move(opened));
  Answering made{.sessions = sessions,
                 .model = answerer_of(*sessions->model),
                 .inputs = sessions->model->inputs(),
                 .model_name = sessions->plan.model,
                 .reference_name = sessions->reference_plan.model,
                 .target = sessions->plan.target,
                 .placement = sessions->model->placement(),
                 .notes = sessions->notes,
                 .places = sessions->places};
  if (sessions->reference) made.reference = answerer_of(*sessions->reference);
  return made;
}

ModelPlace place_of(const OpenWriter& writer) {
  return {writer.model.parts.front().plan.model, writer.model.exported};
}

Result<Answering> answering_writers(const TaskOrder& order) {
  HONE_TRY(const std::shared_ptr<OpenWriter> writer, open_writer(order.model, order.where));
  Answering made{.model = answerer_of(writer),
                 .inputs = writer->open.network->source_ports(),
                 .model_name = order.model,
                 .reference_name = order.reference.model,
                 .target = writer->model.parts.front().plan.target,
                 .placement = writer->open.placements.back(),
                 .notes = writer->model.notes,
                 .decoding = describe(writer->rules) + ", at most " +
                             std::to_string(writer->rules.max_tokens) + " tokens"};
  made.places.push_back(place_of(*writer));
  if (order.reference.model.empty()) return made;
  Where where = order.where;
  where.ep = order.reference.ep;
  where.device = order.reference.device;
  HONE_TRY(const std::shared_ptr<OpenWriter> other, open_writer(order.reference.model, where));
  made.reference = answerer_of(other);
  made.places.push_back(place_of(*other));
  return made;
}

Result<Answering> open_answering(const TaskOrder& order) {
  HONE_TRY(const bool writes, is_writer(order.model, order.where.host));
  return writes ? answering_writers(order) : answering_sessions(order);
}

TaskDataRequest data_request(const TaskOrder& order, const Answering& answering) {
  return {.task = order.task,
          .data = order.data,
          .rows = order.rows,
          .pictures = order.pictures,
          .samples = order.samples,
          .seed = order.seed,
          .models = answering.places,
          .writes = !answering.decoding.empty()};
}

TaskSettings settings_for(const TaskOrder& order, TaskSettings found) {
  found.output = order.output_name;
  found.dictionary = order.dictionary;
  found.threshold = order.threshold;
  found.overlap = order.overlap;
  found.may_be_unanswered = order.may_be_unanswered;
  return found;
}

}  // namespace

Result<CompareReport> compare_outputs(const ParityOrder& order, const Watch& watch) {
  HONE_TRY(const SettledInputs inputs, settle_samples(order));
  HONE_TRY(const Sessions sessions, open_sessions(order.model, order.reference, order.where));
  HONE_TRY_DO(check_placement(order.where, sessions.model->placement()));
  HONE_TRY(SampleStream samples, open_samples(order, inputs.shape_config, sessions));
  CompareReport report{.model = sessions.plan.model,
                       .reference = sessions.reference_plan.model,
                       .target = sessions.plan.target,
                       .reference_target = sessions.reference_plan.target,
                       .placement = sessions.model->placement(),
                       .samples_from = order.input_data,
                       .outputs = {},
                       .notes = sessions.notes};
  report.notes.insert(report.notes.end(), inputs.notes.begin(), inputs.notes.end());
  if (samples.is_seeded()) {
    report.samples_from = "seed " + std::to_string(order.seed);
    report.notes.emplace_back("random samples: real ones may differ more or less (--input-data)");
  }
  HONE_TRY_DO(compare_sessions(*sessions.model, *sessions.reference, samples, order.seed,
                               counted_for(watch, "comparing, samples"), report));
  return report;
}

Result<EvalReport> evaluate_task(const TaskOrder& order, const Watch& watch) {
  EvaluateRequest request;
  HONE_TRY(request.task, find_task(order.task));
  request.max_drop = order.max_drop;
  request.seed = order.seed;
  request.progress = counted_for(watch, "evaluating, samples");
  HONE_TRY(const Answering answering, open_answering(order));
  HONE_TRY(TaskData opened, open_task_data(data_request(order, answering), answering.inputs));
  request.settings = settings_for(order, std::move(opened.settings));
  EvalReport report{.task = order.task,
                    .model = answering.model_name,
                    .reference = {},
                    .data = order.data,
                    .target = answering.target,
                    .placement = answering.placement,
                    .metrics = {},
                    .verdict = {},
                    .misses = {},
                    .notes = answering.notes};
  if (answering.reference) report.reference = answering.reference_name;
  HONE_TRY_DO(check_placement(order.where, report.placement));
  const Answerer* reference = answering.reference ? &*answering.reference : nullptr;
  HONE_TRY_DO(evaluate(*answering.model, reference, opened.data, request, report));
  if (!answering.decoding.empty()) report.processing["decoding"] = answering.decoding;
  return report;
}

Result<MadeData> export_samples(const ExportOrder& order, std::vector<std::string>* notes) {
  HONE_TRY(const FoundModel found, find_given(order.model, order.host));
  HONE_TRY(const Model model, load_model(found.file));
  const TaskDataRequest request{.task = order.task,
                                .data = order.data,
                                .rows = order.rows,
                                .pictures = order.pictures,
                                .samples = order.samples,
                                .seed = order.seed,
                                .models = {{found.file, found.exported}}};
  HONE_TRY(TaskData opened, open_task_data(request, input_ports(model)));
  if (notes != nullptr) {
    // Arrays are what they are.
    for (const auto& [part, how] : opened.data.described())
      if (part != "input") notes->push_back(part + ": " + how);
  }
  HONE_TRY(const std::uint64_t count, write_samples(opened.data, order.output));
  return MadeData{.dataset = order.data, .output = order.output, .samples = count, .files = 1};
}

Result<MadeData> make_data(const DataOrder& order, const Watch& watch) {
  HONE_TRY(const Dataset dataset, find_dataset(order.kind));
  DatasetRequest request{
      .output = order.output,
      .overwrite = order.overwrite,
      .count = order.count,
      .seed = order.seed,
      .noisy = order.noisy,
      .source = order.source,
      .input = order.input_name,
      .progress = counted_for(watch, "making " + std::string(dataset.kind.name))};
  return make_dataset(dataset, std::move(request));
}

Job jobs::parity() { return job_of(compare_outputs); }
Job jobs::task() { return job_of(evaluate_task); }
Job jobs::data() { return job_of(make_data); }

}  // namespace hone
