// A model on inputs of the user's: what comes out.

#include "flow/run.h"

#include "app/command.h"
#include "app/outputs.h"
#include "app/pictures.h"
#include "app/progress.h"
#include "app/where.h"
#include "report/run/run_text.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  RunOrder order;
  std::string image_size;
  std::string mean;
  std::string deviation;
  bool overwrite = false;
};

Result<RunOrder> order_of(const Arguments& arguments) {
  RunOrder order = arguments.order;
  HONE_TRY(order.pictures, read_pictures(arguments.mean, arguments.deviation));
  order.pictures.processor = arguments.order.pictures.processor;
  HONE_TRY(order.image_size, read_image_size("--image-size", arguments.image_size));
  HONE_TRY_DO(check_outputs({order.output}, arguments.overwrite,
                            {order.model, order.input_data, order.labels}));
  return order;
}

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  HONE_TRY(const RunOrder order, order_of(arguments));
  Progress progress(call, "running, samples", format_count);
  HONE_TRY(
      const RunReport report,
      run_on_inputs(order, {.watch = progress.watch(),
                            .warn = [&](const std::string& warning) { call.detail(warning); }}));
  HONE_TRY_DO(call.answer(to_document(report, run_schema_version), describe_run(report)));
  if (!order.output.empty()) call.note("wrote " + order.output);
  return ExitCode::done;
}

void declare_inputs(Options& options, RunOrder& order) {
  options.texts("--input [NAME=]WHAT", order.inputs,
                "an .npy, .png, .jpg, .bmp or .wav file, NAME=[1,2,3], NAME:=5 or text:WORDS");
  options.text("--input-data FILE", order.input_data,
               "inputs as .npz by their names, or a folder of them");
  options.flag("--random", order.makes_up_rest, "make up what is not given, from the seed");
  options.integer("--samples N", order.samples,
                  "how many random ones (1), or of --input-data; else all", Need::optional,
                  {.least = 1, .most = 1 << 20});
  options.seed(order.seed, "of random inputs");
  options.shape_config(order.shape_config);
  options.flag("--cast", order.may_lose, "take the nearest values where a type cannot hold all");
}

void declare_media(Options& options, Arguments& arguments) {
  options.text("--image-size N", arguments.image_size,
               "pictures: instead of what the processor says, or where it is open; N or HxW");
  options.text("--mean LIST", arguments.mean,
               "pictures: taken off, of 0 to 1; else the processor's or ImageNet's");
  options.text("--std LIST", arguments.deviation,
               "pictures: divided by; else the processor's or ImageNet's");
  options.text("--processor WHERE", arguments.order.pictures.processor,
               "the preprocessor_config.json, or a folder with one; else the model's; or none");
  options.integer("--sample-rate HZ", arguments.order.sample_rate,
                  "sounds: the rate the model takes", {.least = 1, .most = 768'000});
}

void declare_outputs(Options& options, Arguments& arguments) {
  options.text("-o,--output FILE", arguments.order.output, "write the outputs as .npz");
  options.flag("--overwrite", arguments.overwrite, "replace a file that is there");
  options.text("--labels FILE", arguments.order.labels,
               "names of classes: a line each, or JSON; else of the model's config.json");
  options.integer("--top-k N", arguments.order.top, "classes to show of an output of scores (5)",
                  Need::optional, {.least = 0, .most = 1 << 20});
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.model(arguments->order.model);
  declare_inputs(options, arguments->order);
  declare_media(options, *arguments);
  declare_outputs(options, *arguments);
  declare_where(options, arguments->order.where);
  options.integer("--timeout SECONDS", arguments->order.timeout_s,
                  "for opening the session, and for each run (300)", Need::optional,
                  {.least = 1, .most = 86'400});
  return [arguments](const Call& call) { return run(*arguments, call); };
}

}  // namespace

Command run() {
  return {.name = "run",
          .group = "look at a model",
          .summary = "Run a model on pictures, sounds, arrays or numbers: what comes out",
          .help =
              "Reads what you give, makes it what the model takes (size, layout, type) and says\n"
              "what was assumed. Runs in a process of its own on any target, and tells which\n"
              "EP got the nodes. For each output: type, shape, range, the best classes with\n"
              "their labels. Without NAME= an input goes where it fits; given several times it\n"
              "is several samples, one run each. What would lose values is refused.",
          .examples =
              "hone run model.onnx --input cat.png --labels imagenet.txt\n"
              "hone run model.onnx --input x=cat.png --input mask=m.npy -o outputs.npz\n"
              "hone run bert.onnx --input 'input_ids=[[101,7592,102]]' --input "
              "attention_mask:=1\n"
              "hone run vad.onnx --input input=speech.wav --sample-rate 16000 --random\n"
              "hone run model.onnx --random --ep qnn --device npu --require-placement 95%",
          .declare = declare};
}

}  // namespace hone::app::commands
