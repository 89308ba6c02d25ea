// A model compiled ahead of time for an EP, so that opening it is fast.

#include "flow/compile.h"

#include "app/command.h"
#include "app/step_progress.h"
#include "app/where.h"
#include "base/misuse.h"
#include "report/compile/compile_text.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  AheadOrder order;
  std::string output_folder;  // of models that share
  bool checks = false;
};

constexpr auto help = "hone help compile";

Result<ExitCode> check(const AheadOrder& order, const AheadWatch& watch, const Call& call) {
  HONE_TRY(const ContextCheck found, check_compiled(order, watch));
  HONE_TRY_DO(
      call.answer(to_document(found, compile_schema_version), describe_context_check(found)));
  return found.state == ContextState::fits ? ExitCode::done : ExitCode::not_held;
}

Result<AheadOrder> shared_order(const Arguments& arguments) {
  AheadOrder order = arguments.order;
  if (arguments.checks || order.embeds || !order.output.empty())
    return misuse("--share-with goes with none of --check, --embed, --output",
                  "--output-dir DIR takes all models and what they share");
  if (arguments.output_folder.empty()) return misuse("--share-with needs --output-dir DIR", help);
  order.output = arguments.output_folder;
  return order;
}

Result<ExitCode> share(const AheadOrder& order, const AheadWatch& watch, StepProgress& progress,
                       const Call& call) {
  HONE_TRY(const SharedCompileReport shared, compile_shared(order, watch));
  progress.end();
  HONE_TRY_DO(call.answer(to_document(shared, compile_schema_version), describe_shared(shared)));
  return ExitCode::done;
}

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  StepProgress progress(call);
  const AheadWatch watch{.watch = progress.watch(),
                         .note = [&](const std::string& note) { call.note(note); }};
  if (!arguments.order.others.empty()) {
    HONE_TRY(const AheadOrder order, shared_order(arguments));
    return share(order, watch, progress, call);
  }
  if (arguments.checks) return check(arguments.order, watch, call);
  if (arguments.order.output.empty()) return misuse("hone compile needs --output FILE", help);
  HONE_TRY(const CompileReport report, compile_one(arguments.order, watch));
  progress.end();
  HONE_TRY_DO(call.answer(to_document(report, compile_schema_version), describe_compile(report)));
  return ExitCode::done;
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.model(arguments->order.model);
  options.text("-o,--output FILE", arguments->order.output, "where the compiled model goes");
  options.texts("--share-with MODEL", arguments->order.others,
                "another model to compile with it, so that they share contexts");
  options.text("--output-dir DIR", arguments->output_folder, "where models that share go");
  options.flag("--overwrite", arguments->order.overwrite, "replace an output that exists");
  options.flag("--embed", arguments->order.embeds,
               "put the compiled code into the model, not beside it");
  options.flag("--check", arguments->checks,
               "say whether a compiled model fits what is here; exit 3 if not");
  options.flag("--no-cache", arguments->order.skips_cache, "compile even if it was done before");
  options.flag("--no-verify", arguments->order.skips_verification,
               "do not load and run the compiled model");
  options.text("--input-data FILE", arguments->order.input_data, "inputs to check it on, as .npz");
  options.shape_config(arguments->order.shape_config);
  options.seed(arguments->order.seed, "of the random inputs");
  options.integer("--timeout SECONDS", arguments->order.timeout_s, "for compiling (300)",
                  Need::optional, {.least = 1, .most = 86'400});
  declare_where(options, arguments->order.where);
  return [arguments](const Call& call) { return run(*arguments, call); };
}

}  // namespace

Command compile() {
  return {.name = "compile",
          .group = "change a model",
          .summary = "Compile a model ahead of time for an EP; check that it loads and runs",
          .help =
              "The EP compiles the nodes it takes, in a process of its own; the result is a\n"
              "model with EPContext nodes, its compiled code beside it or (--embed) inside. It\n"
              "is loaded and run, and compared with the source on the same target, before it\n"
              "is written. Results are kept in ~/.cache/hone by model, EP library, driver,\n"
              "options and ONNX Runtime. --check tells a stale or foreign one. With\n"
              "--share-with, several models are compiled in one process and what the EP finds\n"
              "in more than one of them is stored once.",
          .examples =
              "hone compile model.onnx -o model.ctx.onnx --ep qnn --device npu\n"
              "hone compile model.ctx.onnx --check --ep qnn --device npu\n"
              "hone compile prompt.onnx --share-with token.onnx --output-dir both --ep qnn",
          .declare = declare};
}

}  // namespace hone::app::commands
