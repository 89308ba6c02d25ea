// How good a model is: beside another one on the same inputs, at its task on labelled data, and the
// data for it.

#include <algorithm>
#include <cmath>

#include "app/command.h"
#include "app/errors.h"
#include "app/idle_options.h"
#include "app/inputs.h"
#include "app/model_path.h"
#include "app/names.h"
#include "app/progress.h"
#include "app/where.h"
#include "base/system_files.h"
#include "base/text.h"
#include "inspect/eval/compare.h"
#include "inspect/eval/dataset.h"
#include "inspect/eval/evaluate.h"
#include "model/npz/npz.h"
#include "report/eval/eval_text.h"
#include "runtime/prepared.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  std::string model;
  WhereArguments where;
  std::string mode;
  std::string reference;
  std::string reference_ep;
  std::string reference_device;
  std::string input_data;
  std::string shape_config;
  std::int64_t samples = 0;
  std::uint64_t seed = 0;
  std::string task;
  std::string data;
  double max_drop = std::nan("");  // not given: no option takes it
  std::string output_name;
  std::string dictionary;
  double threshold = 0.5;
  std::string mean;
  std::string deviation;
  std::int64_t image_size = 224;
  std::string export_npz;
  std::string make_data;
  std::string output;
  bool overwrite = false;
  std::int64_t count = 0;
  bool noisy = false;
  std::string source;
  std::string input_name;
};

Failure lacking(const std::string& what, const std::string& option) {
  return fail(Fault::bad_input, "eval needs " + what, {}, "give " + option);
}

bool has_max_drop(const Arguments& arguments) { return !std::isnan(arguments.max_drop); }

Status refuse_idle_options(const Arguments& arguments) {
  const bool judges = arguments.mode != "compare" && !arguments.task.empty();
  const bool exports = !arguments.export_npz.empty();
  const char* const task = judges ? nullptr : "--task NAME";
  const char* const pictures = judges || exports ? nullptr : "--task NAME or --export-npz";
  const char* const making = arguments.make_data.empty() ? "--make-data NAME" : nullptr;
  return refuse_idle({{"--max-drop", has_max_drop(arguments), task},
                      {"--output-name", !arguments.output_name.empty(), task},
                      {"--dictionary", !arguments.dictionary.empty(), task},
                      {"--threshold", arguments.threshold != 0.5, task},
                      {"--data", !arguments.data.empty(), pictures},
                      {"--mean", !arguments.mean.empty(), pictures},
                      {"--std", !arguments.deviation.empty(), pictures},
                      {"--noisy", arguments.noisy, making},
                      {"--count", arguments.count > 0, making},
                      {"--source", !arguments.source.empty(), making},
                      {"--input-name", !arguments.input_name.empty(), making}});
}

// Both models on one runtime.
struct Sessions {
  RunPlan plan;
  RunPlan reference_plan;
  std::shared_ptr<Runtime> runtime;
  std::optional<Session> model;
  std::optional<Session> reference;
  std::vector<std::string> notes;
};

// Two models take turns here. Threads of the one that wait by spinning hold the cores that the
// other needs: a recognizer of text beside its reference took 22 s with them and 15 s without.
void let_threads_sleep(RunPlan& plan) {
  plan.session_options.try_emplace("session.intra_op.allow_spinning", "0");
}

// Its options are its own: what was said of the model's EP and session is not meant for it.
Result<GivenModel> find_reference(const Arguments& arguments) {
  WhereArguments where = arguments.where;
  where.ep = arguments.reference_ep;
  where.device = arguments.reference_device;
  where.ep_options.clear();
  where.session_options.clear();
  return find_model(arguments.reference, where);
}

Result<Sessions> open_sessions(const Arguments& arguments) {
  Sessions sessions;
  RunPlan& plan = sessions.plan;
  HONE_TRY(const GivenModel given, find_model(arguments.model, arguments.where));
  HONE_TRY(plan, plan_of(given));
  sessions.notes = given.notes;
  RunPlan& other = sessions.reference_plan;
  if (!arguments.reference.empty()) {
    HONE_TRY(const GivenModel reference, find_reference(arguments));
    HONE_TRY(other, plan_of(reference));
    for (const std::string& note : reference.notes)
      sessions.notes.push_back("the reference " + note);
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

Result<SampleStream> open_samples(const Arguments& arguments, const std::string& shape_config,
                                  const Sessions& sessions) {
  const std::vector<Port>& inputs = sessions.model->inputs();
  if (!arguments.input_data.empty()) {
    const auto limit = arguments.samples > 0 ? static_cast<std::size_t>(arguments.samples)
                                             : SampleStream::no_limit;
    return SampleStream::from_files(arguments.input_data, inputs, limit);
  }
  HONE_TRY(const ShapeRules rules, parse_shape_rules(shape_config));
  HONE_TRY(const Model model, load_model(sessions.plan.model));
  const auto count = static_cast<std::size_t>(arguments.samples > 0 ? arguments.samples : 32);
  return SampleStream::from_seed(inputs, rules, read_input_facts(model), arguments.seed, count);
}

// Both models run on what the first of them runs on.
Result<SettledInputs> settle_samples(const Arguments& arguments) {
  HONE_TRY(const Path model, find_model_file(arguments.model));
  HONE_TRY(const Path reference, find_model_file(arguments.reference));
  return settle_inputs(arguments.where,
                       {model, arguments.input_data, arguments.shape_config, arguments.seed},
                       {reference});
}

Result<ExitCode> refuse(const Error& error, const Call& call) {
  report(error, call.settings());
  return ExitCode::not_held;
}

Result<ExitCode> compare(const Arguments& arguments, const Call& call) {
  if (arguments.reference.empty())
    return lacking("a model to compare with", "--reference MODEL, or --task NAME --data DIR");
  HONE_TRY(PlacementGate gate, PlacementGate::read(arguments.where.require_placement));
  HONE_TRY(const SettledInputs inputs, settle_samples(arguments));
  HONE_TRY(const Sessions sessions, open_sessions(arguments));
  if (const Status held = gate.check(sessions.model->placement()); !held)
    return refuse(held.error(), call);
  HONE_TRY(SampleStream samples, open_samples(arguments, inputs.shape_config, sessions));
  CompareReport report{.model = sessions.plan.model,
                       .reference = sessions.reference_plan.model,
                       .target = sessions.plan.target,
                       .reference_target = sessions.reference_plan.target,
                       .placement = sessions.model->placement(),
                       .samples_from = arguments.input_data,
                       .outputs = {},
                       .notes = sessions.notes};
  report.notes.insert(report.notes.end(), inputs.notes.begin(), inputs.notes.end());
  if (samples.is_seeded()) {
    report.samples_from = "seed " + std::to_string(arguments.seed);
    report.notes.emplace_back("random samples: real ones may differ more or less (--input-data)");
  }
  {
    Progress progress(call, "comparing, samples", format_count);
    HONE_TRY_DO(compare_sessions(
        *sessions.model, *sessions.reference, samples, arguments.seed,
        [&](std::uint64_t done, std::uint64_t total) { progress.update(done, total); }, report));
  }
  HONE_TRY_DO(call.answer(to_document(report, eval_schema_version), describe_comparison(report)));
  return ExitCode::done;
}

Result<std::vector<double>> read_numbers(const std::string& text, const std::string& option) {
  std::vector<double> numbers;
  for (const std::string& word : split(text, ',')) {
    const std::optional<double> number = parse_number<double>(word);
    if (!number) {
      return fail(Fault::bad_input, "'" + word + "' is no value for " + option, {},
                  "it takes a number, or one per channel: 0.485,0.456,0.406");
    }
    numbers.push_back(*number);
  }
  return numbers;
}

Result<EvalData> open_data(const Arguments& arguments, const Session& session) {
  ImageRules images;
  images.size = static_cast<std::size_t>(arguments.image_size);
  if (!arguments.mean.empty()) {
    HONE_TRY(images.mean, read_numbers(arguments.mean, "--mean"));
  }
  if (!arguments.deviation.empty()) {
    HONE_TRY(images.deviation, read_numbers(arguments.deviation, "--std"));
    if (std::ranges::find(images.deviation, 0.0) != images.deviation.end())
      return fail(Fault::bad_input, "--std cannot be 0: pixels are divided by it");
  }
  const auto limit =
      arguments.samples > 0 ? static_cast<std::size_t>(arguments.samples) : SampleStream::no_limit;
  return EvalData::open(arguments.data, session.inputs(), std::move(images), limit);
}

Status check_task(const Arguments& arguments) {
  if (arguments.data.empty()) return lacking("labelled data", "--data DIR; --make-data makes some");
  if (has_max_drop(arguments) && !(arguments.max_drop > 0 && arguments.max_drop < 1))
    return fail(Fault::bad_input, "--max-drop is a share between 0 and 1", {},
                "--max-drop 0.01 allows a drop of one point of a hundred");
  if (has_max_drop(arguments) && arguments.reference.empty())
    return lacking("a model to compare with for --max-drop", "--reference MODEL");
  return done();
}

Result<ExitCode> evaluate_task(const Arguments& arguments, const Call& call) {
  HONE_TRY_DO(check_task(arguments));
  EvaluateRequest request;
  HONE_TRY(request.evaluator, find_evaluator(arguments.task));
  request.settings = {arguments.output_name, arguments.dictionary, arguments.threshold};
  if (has_max_drop(arguments)) request.max_drop = arguments.max_drop;
  request.seed = arguments.seed;
  HONE_TRY(const Sessions sessions, open_sessions(arguments));
  HONE_TRY(EvalData data, open_data(arguments, *sessions.model));
  EvalReport report{.task = arguments.task,
                    .model = sessions.plan.model,
                    .reference = {},
                    .data = arguments.data,
                    .target = sessions.plan.target,
                    .placement = sessions.model->placement(),
                    .metrics = {},
                    .verdict = {},
                    .misses = {},
                    .notes = sessions.notes};
  if (sessions.reference) report.reference = sessions.reference_plan.model;
  HONE_TRY(PlacementGate gate, PlacementGate::read(arguments.where.require_placement));
  if (const Status held = gate.check(report.placement); !held) return refuse(held.error(), call);
  {
    Progress progress(call, "evaluating, samples", format_count);
    request.progress = [&](std::uint64_t done, std::uint64_t total) {
      progress.update(done, total);
    };
    const Session* reference = sessions.reference ? &*sessions.reference : nullptr;
    HONE_TRY_DO(evaluate(*sessions.model, reference, data, request, report));
  }
  HONE_TRY_DO(call.answer(to_document(report, eval_schema_version), describe_evaluation(report)));
  const bool holds = !report.verdict || report.verdict->verdict == Inferiority::pass;
  return holds ? ExitCode::done : ExitCode::not_held;
}

// What quantize and perf take, preprocessed as the evaluation does it.
Result<ExitCode> export_samples(const Arguments& arguments, const Call& call) {
  if (arguments.data.empty()) return lacking("data to export", "--data DIR");
  HONE_TRY_DO(refuse_existing(arguments.export_npz, arguments.overwrite));
  HONE_TRY(const Sessions sessions, open_sessions(arguments));
  HONE_TRY(EvalData data, open_data(arguments, *sessions.model));
  std::vector<TensorPtr> arrays;
  std::uint64_t count = 0;
  while (true) {
    HONE_TRY(const std::optional<LabelledSample> labelled, data.next());
    if (!labelled) break;
    for (const auto& [name, tensor] : labelled->sample) {
      arrays.push_back(make_tensor(std::to_string(count) + "/" + name, tensor->type, tensor->dims,
                                   tensor->dense));
    }
    ++count;
  }
  HONE_TRY_DO(write_npz(arguments.export_npz, arrays));
  const MadeData made{
      .dataset = arguments.data, .output = arguments.export_npz, .samples = count, .files = 1};
  HONE_TRY_DO(call.answer(to_document(made, eval_schema_version), describe_made_data(made)));
  return ExitCode::done;
}

Result<ExitCode> make_samples(const Arguments& arguments, const Call& call) {
  if (arguments.output.empty()) return lacking("a folder for the data", "-o DIR");
  HONE_TRY(const Dataset dataset, find_dataset(arguments.make_data));
  Progress progress(call, "making " + std::string(dataset.name), format_count);
  DatasetRequest request{
      .output = arguments.output,
      .overwrite = arguments.overwrite,
      .count = static_cast<std::uint64_t>(arguments.count),
      .seed = arguments.seed,
      .noisy = arguments.noisy,
      .source = arguments.source,
      .input = arguments.input_name,
      .progress = [&](std::uint64_t done, std::uint64_t total) { progress.update(done, total); }};
  HONE_TRY(const MadeData made, make_dataset(dataset, std::move(request)));
  HONE_TRY_DO(call.answer(to_document(made, eval_schema_version), describe_made_data(made)));
  return ExitCode::done;
}

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  HONE_TRY_DO(refuse_idle_options(arguments));
  if (!arguments.make_data.empty()) return make_samples(arguments, call);
  if (arguments.model.empty())
    return lacking("a model", "one: hone eval MODEL --task NAME --data DIR");
  if (!arguments.export_npz.empty()) return export_samples(arguments, call);
  if (arguments.mode == "task" && arguments.task.empty()) return lacking("a task", "--task NAME");
  if (arguments.mode != "compare" && !arguments.task.empty()) return evaluate_task(arguments, call);
  return compare(arguments, call);
}

void declare_task(Options& options, Arguments& arguments) {
  options.choice("--task NAME", arguments.task, names_in(all_evaluators()),
                 "image-classification, text-recognition, feature-similarity, ...");
  options.text("--data DIR", arguments.data,
               "labelled samples: .npz with labels.json, or a folder per class");
  options.number("--max-drop SHARE", arguments.max_drop,
                 "exit 3 unless it is shown that the metric drops less, e.g. 0.01");
  options.text("--output-name NAME", arguments.output_name,
               "the output that is looked at; else the first");
  options.text("--dictionary FILE", arguments.dictionary,
               "text-recognition: a character per line; else English");
  options.number("--threshold P", arguments.threshold, "voice-activity: speech is above it (0.5)");
  options.text("--mean LIST", arguments.mean, "pictures: taken off, of 0 to 1; else ImageNet's");
  options.text("--std LIST", arguments.deviation, "pictures: divided by; else ImageNet's");
  options.integer("--image-size N", arguments.image_size,
                  "pictures: where the model leaves it open (224)", Need::optional,
                  {.least = 1, .most = 1 << 14});
}

void declare_compare(Options& options, Arguments& arguments) {
  options.choice("--mode NAME", arguments.mode, {"compare", "task"},
                 "compare outputs, or judge a task; --task alone means task");
  options.text("--reference MODEL", arguments.reference, "the model to compare with");
  options.text("--reference-ep NAME", arguments.reference_ep, "where that one runs (cpu)");
  options.choice("--reference-device CLASS", arguments.reference_device,
                 {"auto", "cpu", "gpu", "npu"}, "the kind of device of that EP");
  options.text("--input-data FILE", arguments.input_data,
               "samples as .npz, or a folder of them; else seeded random ones");
  options.integer("--samples N", arguments.samples, "how many of them; else all, or 32 random ones",
                  Need::optional, {.least = 1, .most = 1 << 24});
  options.shape_config(arguments.shape_config);
  options.seed(arguments.seed, "of random samples, made data and the bootstrap");
}

void declare_data(Options& options, Arguments& arguments) {
  options.choice("--make-data NAME", arguments.make_data, names_in(all_datasets()),
                 "make data instead: text-lines, digits or speech");
  options.text("-o,--output DIR", arguments.output, "where made data goes");
  options.flag("--overwrite", arguments.overwrite, "replace data that is there");
  options.integer("--count N", arguments.count, "lines, digits or clips to make", Need::optional,
                  {.least = 1, .most = 1 << 24});
  options.flag("--noisy", arguments.noisy, "harder ones: blur and noise");
  options.text("--source DIR", arguments.source, "digits: the folder of the MNIST files");
  options.text("--input-name NAME", arguments.input_name, "the model's input in made data");
  options.text("--export-npz FILE", arguments.export_npz,
               "write --data as calibration data instead, as the model takes it");
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.model(arguments->model, "MODEL", model_help, Need::optional);
  declare_compare(options, *arguments);
  declare_task(options, *arguments);
  declare_data(options, *arguments);
  declare_where(options, arguments->where);
  return [arguments](const Call& call) { return run(*arguments, call); };
}

}  // namespace

Command eval() {
  return {.name = "eval",
          .group = "look at a model",
          .summary = "Judge a model at its task, or beside another one, with intervals",
          .help =
              "With --reference, runs both models on the same samples: signal to noise,\n"
              "cosine, largest difference and top-1 agreement of every output. With --task\n"
              "and --data, judges what the model answers; beside a reference the difference\n"
              "is paired, and --max-drop asks whether a drop of that much can be excluded:\n"
              "exit 3 when that is not shown. Data can be made from what the machine has:\n"
              "lines of text, digits, speech. Samples are taken one at a time.",
          .examples =
              "hone eval small.onnx --reference model.onnx --input-data samples.npz\n"
              "hone eval --make-data text-lines -o lines --count 500 --seed 1\n"
              "hone eval rec.onnx --task text-recognition --data lines\n"
              "hone eval q.onnx --task text-recognition --data lines --reference rec.onnx "
              "--max-drop 0.01\n"
              "hone eval rec.onnx --data lines --export-npz calibration.npz --samples 32",
          .declare = declare};
}

}  // namespace hone::app::commands
