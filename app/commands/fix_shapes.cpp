// A model with static shapes: inputs of fixed sizes, and all that follows from them.

#include "flow/fix_shapes.h"

#include "app/command.h"
#include "app/step_progress.h"
#include "app/where.h"
#include "report/optimize/fix_shapes_text.h"

namespace hone::app::commands {
namespace {

Result<ExitCode> run(const FixShapesOrder& order, const Call& call) {
  StepProgress progress(call);
  HONE_TRY(const FixShapesReport report, fix_shapes_of_model(order, progress.watch()));
  progress.end();
  HONE_TRY_DO(
      call.answer(to_document(report, fix_shapes_schema_version), describe_fixed_shapes(report)));
  return ExitCode::done;
}

Run declare(Options& options) {
  auto order = std::make_shared<FixShapesOrder>();
  options.model(order->model);
  options.output(order->output, order->overwrite, "where the model goes");
  options.shape_config(order->shape_config);
  options.text("--input-data FILE", order->input_data,
               "inputs to check it on, as .npz; else seeded ones");
  options.seed(order->seed, "of random inputs");
  declare_runtime(options, order->where.host);
  return [order](const Call& call) { return run(*order, call); };
}

}  // namespace

Command fix_shapes() {
  return {.name = "fix-shapes",
          .group = "change a model",
          .summary = "Give the inputs of a model fixed sizes, and fold what follows from them",
          .help =
              "For EPs that take no open dimension. Shapes are inferred through the graph,\n"
              "computed shapes and Ifs on them are replaced by what they come to, and the\n"
              "result must give the same bytes as the model as it was. What stays open is\n"
              "named with the node that makes it so. `hone build` does this by itself for\n"
              "EPs that need it.",
          .examples =
              "hone fix-shapes ocr.onnx -o ocr.fixed.onnx --shape-config x=1x3x48x192\n"
              "hone fix-shapes bert.onnx -o bert.fixed.onnx --shape-config batch=1,sequence=128",
          .declare = declare};
}

}  // namespace hone::app::commands
