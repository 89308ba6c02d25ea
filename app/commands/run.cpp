// A model on inputs of the user's: what comes out.

#include <algorithm>

#include "app/command.h"
#include "app/image_rules.h"
#include "app/outputs.h"
#include "app/progress.h"
#include "app/where.h"
#include "base/system_files.h"
#include "base/text.h"
#include "flow/given_model.h"
#include "flow/where.h"
#include "inspect/run/run_model.h"
#include "report/run/run_text.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  std::string model;
  Where where;
  std::vector<std::string> inputs;
  std::string input_data;
  bool random = false;
  std::string shape_config;
  std::int64_t samples = 0;  // not said
  std::uint64_t seed = 0;
  bool cast = false;
  std::string image_size;
  std::string mean;
  std::string deviation;
  std::int64_t sample_rate = 0;  // not said
  std::string labels;
  std::int64_t top_k = 5;
  std::int64_t timeout = 300;
  std::string output;
  bool overwrite = false;
};

Status check(const Arguments& arguments) {
  if (!arguments.output.empty() &&
      lowercase(Path(arguments.output).extension().string()) != ".npz") {
    return fail(Fault::bad_input, "'" + arguments.output + "' does not end in .npz", {},
                "outputs are written as arrays with names: -o outputs.npz");
  }
  return check_outputs({arguments.output}, arguments.overwrite,
                       {arguments.model, arguments.input_data, arguments.labels});
}

// "224" or "48x320", height before width.
Result<std::optional<ImageSize>> read_image_size(const std::string& text) {
  if (text.empty()) return std::optional<ImageSize>();
  std::vector<std::int64_t> sides;
  for (const std::string& word : split(text, 'x'))
    sides.push_back(parse_number<std::int64_t>(word).value_or(0));
  constexpr std::int64_t most = 1 << 14;
  const bool are_sides =
      std::ranges::all_of(sides, [&](std::int64_t side) { return side > 0 && side <= most; });
  if (!are_sides || sides.size() > 2) {
    return fail(Fault::bad_input, "'" + text + "' is no value for --image-size", {},
                "it takes a side or HEIGHTxWIDTH: 224, 48x320");
  }
  return std::optional(ImageSize{sides.front(), sides.back()});
}

Result<RunRequest> make_request(const Arguments& arguments, const GivenModel& given) {
  RunRequest request;
  RunInputsRequest& inputs = request.inputs;
  HONE_TRY(inputs.plan, plan_of(given));
  inputs.plan.input_data = arguments.input_data;
  inputs.plan.shape_config = arguments.shape_config;
  inputs.plan.samples = arguments.samples;
  inputs.plan.seed = arguments.seed;
  inputs.words = arguments.inputs;
  inputs.makes_up_rest = arguments.random;
  inputs.may_lose = arguments.cast;
  HONE_TRY(inputs.images, read_image_rules(arguments.mean, arguments.deviation));
  inputs.says_scaling = !arguments.mean.empty() || !arguments.deviation.empty();
  HONE_TRY(inputs.image_size, read_image_size(arguments.image_size));
  if (arguments.sample_rate > 0) inputs.sample_rate = static_cast<double>(arguments.sample_rate);
  inputs.program = arguments.where.host.program;
  request.labels = arguments.labels;
  request.top = static_cast<std::size_t>(arguments.top_k);
  request.output = arguments.output;
  request.limits.open = std::chrono::seconds(arguments.timeout);
  request.limits.block = std::chrono::seconds(arguments.timeout);
  return request;
}

Result<RunReport> run_request(const RunRequest& request, const Model& model, const Call& call,
                              const Where& where) {
  Progress progress(call, "running, samples", format_count);
  RunHooks hooks;
  hooks.accept = [&](const WorkerOpened& opened) {
    for (const std::string& warning : opened.warnings) call.detail(warning);
    return check_placement(where, opened.placement);
  };
  hooks.progress = [&](std::uint64_t done, std::uint64_t total) { progress.update(done, total); };
  return run_model(request, model, hooks);
}

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  HONE_TRY_DO(check(arguments));
  HONE_TRY(const GivenModel given, find_model(arguments.model, arguments.where));
  HONE_TRY(const Model model, load_whole_model(given.file));
  HONE_TRY(const RunRequest request, make_request(arguments, given));
  Result<RunReport> result = run_request(request, model, call, arguments.where);
  if (!result) return fail(std::move(result).error());
  result->notes.insert(result->notes.begin(), given.notes.begin(), given.notes.end());
  HONE_TRY_DO(call.answer(to_document(*result, run_schema_version), describe_run(*result)));
  if (!arguments.output.empty()) call.note("wrote " + arguments.output);
  return ExitCode::done;
}

void declare_inputs(Options& options, Arguments& arguments) {
  options.texts("--input [NAME=]WHAT", arguments.inputs,
                "an .npy, .png, .jpg, .bmp or .wav file, NAME=[1,2,3], NAME:=5 or text:WORDS");
  options.text("--input-data FILE", arguments.input_data,
               "inputs as .npz by their names, or a folder of them");
  options.flag("--random", arguments.random, "make up what is not given, from the seed");
  options.integer("--samples N", arguments.samples,
                  "how many random ones (1), or of --input-data; else all", Need::optional,
                  {.least = 1, .most = 1 << 20});
  options.seed(arguments.seed, "of random inputs");
  options.shape_config(arguments.shape_config);
  options.flag("--cast", arguments.cast, "take the nearest values where a type cannot hold all");
}

void declare_media(Options& options, Arguments& arguments) {
  options.text("--image-size N", arguments.image_size,
               "pictures: where the model leaves it open; N or HEIGHTxWIDTH");
  options.text("--mean LIST", arguments.mean, "pictures: taken off, of 0 to 1; else ImageNet's");
  options.text("--std LIST", arguments.deviation, "pictures: divided by; else ImageNet's");
  options.integer("--sample-rate HZ", arguments.sample_rate, "sounds: the rate the model takes",
                  Need::optional, {.least = 1, .most = 768'000});
}

void declare_outputs(Options& options, Arguments& arguments) {
  options.text("-o,--output FILE", arguments.output, "write the outputs as .npz");
  options.flag("--overwrite", arguments.overwrite, "replace a file that is there");
  options.text("--labels FILE", arguments.labels,
               "names of classes: a line each, or JSON; else of the model's config.json");
  options.integer("--top-k N", arguments.top_k, "classes to show of an output of scores (5)",
                  Need::optional, {.least = 0, .most = 1 << 20});
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.model(arguments->model);
  declare_inputs(options, *arguments);
  declare_media(options, *arguments);
  declare_outputs(options, *arguments);
  declare_where(options, arguments->where);
  options.integer("--timeout SECONDS", arguments->timeout,
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
