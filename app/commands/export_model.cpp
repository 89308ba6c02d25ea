// A checkpoint as ONNX models, without Python.

#include "app/command.h"
#include "app/pictures.h"
#include "app/step_progress.h"
#include "app/where.h"
#include "base/text.h"
#include "flow/export/export.h"
#include "report/export/export_text.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  ExportModelOrder order;
  std::string shape_config;
  std::int64_t batch = 0;  // not said
  std::int64_t sequence = 0;
  std::string image;
  bool keeps_open = false;
  bool explains = false;
};

// As --shape-config takes them; empty: all stays open.
Result<std::string> read_shapes(const Arguments& arguments) {
  std::vector<std::string> words;
  if (arguments.batch > 0) words.push_back("batch_size=" + std::to_string(arguments.batch));
  if (arguments.sequence > 0)
    words.push_back("sequence_length=" + std::to_string(arguments.sequence));
  HONE_TRY(const auto image, read_image_size("--image", arguments.image));
  if (image)
    words.push_back("height=" + std::to_string(image->height) +
                    ",width=" + std::to_string(image->width));
  if (!arguments.shape_config.empty()) words.push_back(arguments.shape_config);
  if (words.empty() || !arguments.keeps_open) return join(words, ",");
  return fail(Fault::bad_input, "--dynamic-axes leaves open what '" + join(words, ",") + "' closes",
              {}, "one of the two");
}

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  ExportModelOrder order = arguments.order;
  HONE_TRY(order.shape_config, read_shapes(arguments));
  StepProgress progress(call);
  HONE_TRY(const ExportResult made, export_model(order, progress.watch()));
  progress.end();
  HONE_TRY_DO(call.answer(to_document(made, export_schema_version),
                          describe_export(made, call.style(), arguments.explains)));
  return ExitCode::done;
}

void declare_what(Options& options, Arguments& arguments) {
  ExportModelOrder& order = arguments.order;
  options.text("--task NAME", order.task, "what it is for; else what the checkpoint says");
  options.choice(
      "--form FORM", order.form, {"standard", "contrib", "onnx-attention"},
      "operators: ONNX's basic ones (standard), com.microsoft's, or opset 23's Attention");
  options.integer("--opset N", order.opset, "9 to 25; 17, or 23 for onnx-attention", Need::optional,
                  {.least = 9, .most = 25});
  options.choice("--dtype TYPE", order.dtype, {"float32", "float16", "bfloat16", "auto"},
                 "what is computed in (float32); auto: the type of the checkpoint's weights");
  options.choice("--weights HOW", order.weights, {"in-place", "copy"},
                 "in-place: read where they lie (default); copy: turned and cast, in a new file");
}

void declare_shapes(Options& options, Arguments& arguments) {
  constexpr IntegerRange sizes{.least = 1, .most = 1 << 20};
  options.integer("--batch N", arguments.batch, "a fixed batch", Need::optional, sizes);
  options.integer("--sequence N", arguments.sequence, "a fixed number of tokens", Need::optional,
                  sizes);
  options.text("--image HxW", arguments.image, "a fixed size of pictures");
  options.shape_config(arguments.shape_config);
  options.flag("--dynamic-axes", arguments.keeps_open, "leave all sizes open (the default)");
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  ExportModelOrder& order = arguments->order;
  options.source(
      order.source, "SOURCE",
      "a folder with config.json and model.safetensors, such a file, or ORG/NAME; -m too");
  options.takes_checkpoint(order.source);
  options.text("-o,--output OUT", order.output, "a folder, or FILE.onnx where it is one model",
               Need::required);
  options.flag("--overwrite", order.overwrite, "replace an output that exists");
  declare_what(options, *arguments);
  declare_shapes(options, *arguments);
  options.no_flag("--no-check", order.checks, "do not open and run what was written");
  options.flag("--allow-difference", order.allows_difference,
               "write it even where reference.npz says something else");
  options.flag("--explain", arguments->explains,
               "list the switches of the configuration that were read, and what is left over");
  options.seed(order.seed, "of random inputs");
  declare_ort(options, order.host);
  return [arguments](const Call& call) { return run(*arguments, call); };
}

}  // namespace

Command export_model() {
  return {.name = "export",
          .group = "change a model",
          .summary = "Write a Hugging Face checkpoint as ONNX, weights left where they lie",
          .help =
              "The graph is written down per family of models (docs/export.md lists them), so\n"
              "there is no tracing and no Python, and weights stay in the safetensors file: the\n"
              "models refer to it, under a second name beside them. All sizes stay open unless\n"
              "they are said. A switch of the configuration that a family does not know is\n"
              "refused by name. Before anything takes its name it is opened and run by ONNX\n"
              "Runtime, and compared with reference.npz where that lies beside the checkpoint\n"
              "(exit 3 where they differ). Every command that takes a model takes the folder of\n"
              "a checkpoint too, and exports it by itself.",
          .examples =
              "hone export bert-base -o bert\n"
              "hone export resnet-50 -o resnet.onnx --batch 1 --image 224x224\n"
              "hone export bert-base -o bert-fp16 --dtype float16 --weights copy\n"
              "hone export bert-base -o bert --explain",
          .declare = declare};
}

}  // namespace hone::app::commands
