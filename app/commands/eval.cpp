// How good a model is: beside another one on the same inputs, at its task on labelled data, and the
// data for it.

#include "flow/eval.h"

#include <cmath>

#include "app/command.h"
#include "app/idle_options.h"
#include "app/pictures.h"
#include "app/step_progress.h"
#include "app/where.h"
#include "base/file.h"
#include "base/text.h"
#include "inspect/eval/task.h"
#include "report/eval/eval_text.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  TaskOrder order;
  std::string mode;
  std::string input_data;
  std::string shape_config;
  std::string columns;
  std::string labels;
  std::string schema;
  std::string mean;
  std::string deviation;
  std::string export_npz;
  DataOrder made;
  std::int64_t count = 0;
};

Failure lacking(const std::string& what, const std::string& option) {
  return fail(Fault::bad_input, "eval needs " + what, {}, "give " + option);
}

Status refuse_idle_options(const Arguments& arguments) {
  const bool judges = arguments.mode != "compare" && !arguments.order.task.empty();
  const bool exports = !arguments.export_npz.empty();
  const char* const task = judges ? nullptr : "--task NAME";
  const char* const pictures = judges || exports ? nullptr : "--task NAME or --export-npz";
  const char* const rows = arguments.order.task.empty() ? "--task NAME" : nullptr;
  const char* const making = arguments.made.kind.empty() ? "--make-data NAME" : nullptr;
  return refuse_idle({{"--max-drop", arguments.order.max_drop.has_value(), task},
                      {"--output-name", !arguments.order.output_name.empty(), task},
                      {"--dictionary", !arguments.order.dictionary.empty(), task},
                      {"--threshold", arguments.order.threshold != TaskOrder().threshold, task},
                      {"--overlap", arguments.order.overlap != TaskOrder().overlap, task},
                      {"--no-answer", arguments.order.may_be_unanswered, task},
                      {"--columns", !arguments.columns.empty(), rows},
                      {"--labels", !arguments.labels.empty(), rows},
                      {"--split", !arguments.order.rows.split.empty(), rows},
                      {"--shuffle", arguments.order.rows.shuffle, rows},
                      {"--tokenizer", !arguments.order.rows.tokenizer.empty(), rows},
                      {"--max-length", arguments.order.rows.max_length != 0, rows},
                      {"--stride", arguments.order.rows.stride != RowOrder().stride, rows},
                      {"--hypothesis", !arguments.order.rows.hypothesis.empty(), rows},
                      {"--data", !arguments.order.data.empty(), pictures},
                      {"--mean", !arguments.mean.empty(), pictures},
                      {"--std", !arguments.deviation.empty(), pictures},
                      {"--processor", !arguments.order.pictures.processor.empty(), pictures},
                      {"--noisy", arguments.made.noisy, making},
                      {"--count", arguments.count > 0, making},
                      {"--source", !arguments.made.source.empty(), making},
                      {"--input-name", !arguments.made.input_name.empty(), making}});
}

Result<PictureOrder> pictures_of(const Arguments& arguments) {
  HONE_TRY(PictureOrder order, read_pictures(arguments.mean, arguments.deviation));
  order.size = arguments.order.pictures.size;
  order.processor = arguments.order.pictures.processor;
  return order;
}

// "text=review,label=stars": what stands before each =, and what behind it.
Result<std::map<std::string, std::string>> pairs_of(const std::string& text,
                                                    const std::string& option) {
  std::map<std::string, std::string> pairs;
  if (text.empty()) return pairs;
  for (const std::string& one : split(text, ',')) {
    const std::size_t middle = one.find('=');
    if (middle == std::string::npos || middle == 0) {
      return fail(Fault::bad_input,
                  option + " is NAME=NAME, with commas between, not '" + printable(one) + "'");
    }
    pairs[one.substr(0, middle)] = one.substr(middle + 1);
  }
  return pairs;
}

Result<RowOrder> rows_of(const Arguments& arguments) {
  RowOrder rows = arguments.order.rows;
  HONE_TRY(rows.columns, pairs_of(arguments.columns, "--columns"));
  HONE_TRY(rows.labels, pairs_of(arguments.labels, "--labels"));
  return rows;
}

Result<ExitCode> compare(const Arguments& arguments, const Call& call) {
  if (arguments.order.reference.model.empty())
    return lacking("a model to compare with", "--reference MODEL, or --task NAME --data DIR");
  ParityOrder order;
  order.model = arguments.order.model;
  order.reference = arguments.order.reference;
  order.input_data = arguments.input_data;
  order.shape_config = arguments.shape_config;
  order.samples = arguments.order.samples;
  order.seed = arguments.order.seed;
  order.where = arguments.order.where;
  StepProgress progress(call);
  HONE_TRY(const CompareReport report, compare_outputs(order, progress.watch()));
  progress.end();
  HONE_TRY_DO(call.answer(to_document(report, eval_schema_version), describe_comparison(report)));
  return ExitCode::done;
}

Status check_task(const Arguments& arguments) {
  if (arguments.order.data.empty())
    return lacking("labelled data", "--data DIR; --make-data makes some");
  if (!arguments.order.max_drop) return done();
  if (!(*arguments.order.max_drop > 0 && *arguments.order.max_drop < 1))
    return fail(Fault::bad_input, "--max-drop is a share between 0 and 1", {},
                "--max-drop 0.01 allows a drop of one point of a hundred");
  if (arguments.order.reference.model.empty())
    return lacking("a model to compare with for --max-drop", "--reference MODEL");
  return done();
}

Result<ExitCode> judge_task(const Arguments& arguments, const Call& call) {
  HONE_TRY_DO(check_task(arguments));
  TaskOrder order = arguments.order;
  HONE_TRY(order.rows, rows_of(arguments));
  HONE_TRY(order.pictures, pictures_of(arguments));
  StepProgress progress(call);
  HONE_TRY(const EvalReport report, evaluate_task(order, progress.watch()));
  progress.end();
  HONE_TRY_DO(call.answer(to_document(report, eval_schema_version), describe_evaluation(report)));
  const bool holds = !report.verdict || report.verdict->verdict == Inferiority::pass;
  return holds ? ExitCode::done : ExitCode::not_held;
}

// What quantize and perf take, preprocessed as the evaluation does it.
Result<ExitCode> export_data(const Arguments& arguments, const Call& call) {
  if (arguments.order.data.empty()) return lacking("data to export", "--data DIR");
  HONE_TRY_DO(refuse_existing(arguments.export_npz, arguments.made.overwrite));
  ExportOrder order;
  order.model = arguments.order.model;
  order.data = arguments.order.data;
  order.output = arguments.export_npz;
  order.task = arguments.order.task;
  order.seed = arguments.order.seed;
  HONE_TRY(order.rows, rows_of(arguments));
  HONE_TRY(order.pictures, pictures_of(arguments));
  order.samples = arguments.order.samples;
  order.host = arguments.order.where.host;
  std::vector<std::string> notes;
  HONE_TRY(const MadeData made, export_samples(order, &notes));
  for (const std::string& note : notes) call.note(note);
  HONE_TRY_DO(call.answer(to_document(made, eval_schema_version), describe_made_data(made)));
  return ExitCode::done;
}

Result<ExitCode> make_samples(const Arguments& arguments, const Call& call) {
  if (arguments.made.output.empty()) return lacking("a folder for the data", "-o DIR");
  DataOrder order = arguments.made;
  order.count = static_cast<std::uint64_t>(arguments.count);
  order.seed = arguments.order.seed;
  StepProgress progress(call);
  HONE_TRY(const MadeData made, make_data(order, progress.watch()));
  progress.end();
  HONE_TRY_DO(call.answer(to_document(made, eval_schema_version), describe_made_data(made)));
  return ExitCode::done;
}

// What a task takes, so that data can be made of it.
Result<ExitCode> show_schema(const Arguments& arguments, const Call& call) {
  HONE_TRY(const Task task, find_task(arguments.schema));
  const TaskSchema schema = schema_of(task);
  HONE_TRY_DO(call.answer(to_document(schema, eval_schema_version), describe_schema(schema)));
  return ExitCode::done;
}

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  HONE_TRY_DO(refuse_idle_options(arguments));
  if (!arguments.schema.empty()) return show_schema(arguments, call);
  if (!arguments.made.kind.empty()) return make_samples(arguments, call);
  if (arguments.order.model.empty())
    return lacking("a model", "one: hone eval MODEL --task NAME --data DIR");
  if (!arguments.export_npz.empty()) return export_data(arguments, call);
  if (arguments.mode == "task" && arguments.order.task.empty())
    return lacking("a task", "--task NAME");
  if (arguments.mode != "compare" && !arguments.order.task.empty())
    return judge_task(arguments, call);
  return compare(arguments, call);
}

void declare_rows(Options& options, Arguments& arguments) {
  options.text("--columns LIST", arguments.columns,
               "what the data calls the task's columns: text=review,label=stars");
  options.text("--labels LIST", arguments.labels,
               "which class the data means: neg=0,pos=1; else the model's own names");
  options.text("--split NAME", arguments.order.rows.split,
               "which file of a folder of rows; else test, validation or the only one");
  options.flag("--shuffle", arguments.order.rows.shuffle,
               "draw --samples rows from all of the data, by --seed; else the first");
  options.text("--tokenizer WHERE", arguments.order.rows.tokenizer,
               "a folder or file; else what lies beside the model or its reference");
  options.integer("--max-length N", arguments.order.rows.max_length,
                  "tokens of a text; else what model and tokenizer take", Need::optional,
                  {.least = 8, .most = 1 << 20});
  options.integer("--stride N", arguments.order.rows.stride,
                  "tokens that two windows of a long text share (128)", Need::optional,
                  {.least = 0, .most = 1 << 20});
  options.text("--hypothesis TEXT", arguments.order.rows.hypothesis,
               "zero-shot-classification: what is asked, {} being the class");
  options.flag("--no-answer", arguments.order.may_be_unanswered,
               "question-answering: that there is none may be the answer");
  options.number("--overlap SHARE", arguments.order.overlap,
                 "boxes: what overlaps a better one by more is dropped (0.7)");
}

void declare_task(Options& options, Arguments& arguments) {
  options.choice("--task NAME", arguments.order.task, judged_task_names(),
                 join(judged_task_names(), ", "));
  options.text("--data DIR", arguments.order.data,
               "labelled samples: CSV, JSON lines, COCO, .npz with labels.json, or a folder");
  options.choice("--schema TASK", arguments.schema, judged_task_names(),
                 "print what rows a task takes, and what it measures");
  declare_rows(options, arguments);
  options.number("--max-drop SHARE", arguments.order.max_drop,
                 "exit 3 unless it is shown that the metric drops less, e.g. 0.01");
  options.text("--output-name NAME", arguments.order.output_name,
               "the output that is looked at; else the first");
  options.text("--dictionary FILE", arguments.order.dictionary,
               "text-recognition: a character per line; else English");
  options.number("--threshold P", arguments.order.threshold,
                 "voice-activity: speech is above it (0.5)");
  options.text("--mean LIST", arguments.mean,
               "pictures: taken off, of 0 to 1; else the processor's or ImageNet's");
  options.text("--std LIST", arguments.deviation,
               "pictures: divided by; else the processor's or ImageNet's");
  options.text("--processor WHERE", arguments.order.pictures.processor,
               "the preprocessor_config.json, or a folder with one; else the model's; or none");
  options.integer("--image-size N", arguments.order.pictures.size,
                  "pictures: instead of what the processor says, or where it is open (224)",
                  Need::optional, {.least = 1, .most = 1 << 14});
}

void declare_compare(Options& options, Arguments& arguments) {
  options.choice("--mode NAME", arguments.mode, {"compare", "task"},
                 "compare outputs, or judge a task; --task alone means task");
  options.takes_model(arguments.order.reference.model);
  options.text("--reference MODEL", arguments.order.reference.model, "the model to compare with");
  options.text("--reference-ep NAME", arguments.order.reference.ep, "where that one runs (cpu)");
  options.choice("--reference-device CLASS", arguments.order.reference.device,
                 {"auto", "cpu", "gpu", "npu"}, "the kind of device of that EP");
  options.text("--input-data FILE", arguments.input_data,
               "samples as .npz, or a folder of them; else seeded random ones");
  options.integer("--samples N", arguments.order.samples,
                  "how many of them; else all, or 32 random ones", Need::optional,
                  {.least = 1, .most = 1 << 24});
  options.shape_config(arguments.shape_config);
  options.seed(arguments.order.seed, "of random samples, made data and the bootstrap");
}

void declare_data(Options& options, Arguments& arguments) {
  options.choice("--make-data NAME", arguments.made.kind, dataset_names(),
                 "make data instead: " + join(dataset_names(), ", "));
  options.text("-o,--output DIR", arguments.made.output, "where made data goes");
  options.flag("--overwrite", arguments.made.overwrite, "replace data that is there");
  options.integer("--count N", arguments.count, "lines, digits or clips to make", Need::optional,
                  {.least = 1, .most = 1 << 24});
  options.flag("--noisy", arguments.made.noisy, "harder ones: blur and noise");
  options.text("--source DIR", arguments.made.source, "digits: the folder of the MNIST files");
  options.text("--input-name NAME", arguments.made.input_name, "the model's input in made data");
  options.text("--export-npz FILE", arguments.export_npz,
               "write --data as calibration data instead, as the model takes it");
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.model(arguments->order.model, "MODEL", model_help, Need::optional);
  declare_compare(options, *arguments);
  declare_task(options, *arguments);
  declare_data(options, *arguments);
  declare_where(options, arguments->order.where);
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
